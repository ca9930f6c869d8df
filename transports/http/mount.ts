// Owns the agent inside a server that exists already: a handler for node:http and Express, and a plugin for Fastify. The
// server keeps its own timeouts, certificates and connections. SPEC.md section 11 (#transport-http).

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transport } from '../../src/transport.ts';
import { createAccess } from './access.ts';
import type { HttpServiceOptions } from './options.ts';
import { resolveService } from './options.ts';
import { MOUNTED_PATHS, mountedPathOf } from './paths.ts';
import type { HttpService } from './service.ts';

export interface HttpMountOptions extends HttpServiceOptions {
  /** Where others reach the agent, such as `https://agent.example/a2a`; its host is allowed. */
  readonly publicUrl: string;
}

/** A request of node:http, or of Express, which adds to it. What is not named here is there too. */
export interface MountRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly originalUrl?: string;
  readonly headers: object;
}

/** A response of node:http; what is not named here is there too. */
export interface MountResponse {
  writeHead(status: number): unknown;
  end(): unknown;
}

/** What the mount needs of a Fastify app. */
export interface FastifyApp {
  all(path: string, route: FastifyRoute): unknown;
}

export interface FastifyRoute {
  onRequest(
    request: { readonly raw: MountRequest },
    reply: { readonly raw: MountResponse; hijack(): unknown },
  ): Promise<void>;
  handler(): never;
}

/** Serves once a runtime listens on it; before and after that every answer is 503. */
export interface HttpMount extends Transport {
  /**
   * For `createServer` of node:http or node:https, and for `app.use` of Express: before any body parser, because a
   * signature holds only for the bytes as they came. What is not ours goes to `next`; without one it is answered with 404.
   */
  readonly handler: (request: MountRequest, response: MountResponse, next?: () => void) => void;
  /** For `app.register`: takes our paths only, below the prefix where one is given. */
  readonly fastifyPlugin: (app: FastifyApp) => Promise<void>;
}

/** A transport without a server of its own. */
export function mountHttp(options: HttpMountOptions): HttpMount {
  const resolved = resolveService(options);
  const { host } = new URL(options.publicUrl);
  const access = createAccess({ ...resolved, allowedHosts: [host, ...resolved.allowedHosts] });
  let isTaken = false;
  let service: HttpService | undefined;

  /** The public types do not name those of Node, because a user of the package may not have them installed. */
  function serve(mounted: MountRequest, answer: MountResponse, path: string): void {
    const request = mounted as IncomingMessage;
    const response = answer as ServerResponse;
    if (service === undefined) refuseNow(response);
    else void service.handle(request, response, path);
  }

  return {
    name: 'http',
    listen: async (context) => {
      if (isTaken) throw new TypeError('a mount serves one runtime at a time');
      isTaken = true;
      const { createHttpService } = await import('./service.ts');
      const serving = createHttpService(context, access, resolved);
      service = serving;
      return {
        urls: [options.publicUrl],
        close: async (graceMs) => {
          await serving.drain(graceMs);
          if (service !== serving) return;
          service = undefined;
          isTaken = false;
        },
      };
    },
    handler: (request, response, next) => {
      const path = mountedPathOf(request.url, request.originalUrl);
      if (next !== undefined && !MOUNTED_PATHS.includes(path)) next();
      else serve(request, response, path);
    },
    fastifyPlugin: async (app) => {
      for (const path of MOUNTED_PATHS) {
        app.all(path, {
          // Before Fastify reads anything of the body.
          onRequest: async (request, reply) => {
            reply.hijack();
            serve(request.raw, reply.raw, path);
          },
          handler: () => {
            throw new Error('the request was taken over before');
          },
        });
      }
    },
  };
}

function refuseNow(response: ServerResponse): void {
  response.writeHead(503, { connection: 'close', 'content-length': 0 }).end();
}
