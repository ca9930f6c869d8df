// Owns the agent inside a server that exists already: a handler for node:http, and a plugin for Fastify. The server
// keeps its own timeouts, certificates and connections. SPEC.md section 11 (#transport-http).

import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transport } from '../../src/transport.ts';
import { createAccess } from './access.ts';
import type { HttpServiceOptions } from './options.ts';
import { resolveService } from './options.ts';
import type { HttpService } from './service.ts';
import { MOUNTED_PATHS, createHttpService } from './service.ts';

export interface HttpMountOptions extends HttpServiceOptions {
  /** Where others reach the agent, such as `https://agent.example/a2a`; its host is allowed. */
  readonly publicUrl: string;
}

/** Serves once a runtime listens on it; before and after that every answer is 503. */
export interface HttpMount extends Transport {
  /** For `createServer` of node:http or node:https. Paths that are not ours are answered with 404. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  /** For `app.register`: takes our paths only. */
  readonly fastifyPlugin: (app: FastifyInstance) => Promise<void>;
}

/** A transport without a server of its own. */
export function mountHttp(options: HttpMountOptions): HttpMount {
  const resolved = resolveService(options);
  const { host } = new URL(options.publicUrl);
  const access = createAccess({ ...resolved, allowedHosts: [host, ...resolved.allowedHosts] });
  let service: HttpService | undefined;
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    if (service === undefined) refuseNow(response);
    else void service.handle(request, response);
  };
  return {
    name: 'http',
    listen: async (context) => {
      if (service !== undefined) throw new TypeError('a mount serves one runtime at a time');
      const serving = createHttpService(context, access, resolved);
      service = serving;
      return {
        urls: [options.publicUrl],
        close: async (graceMs) => {
          await serving.drain(graceMs);
          if (service === serving) service = undefined;
        },
      };
    },
    handler,
    fastifyPlugin: async (app) => addRoutes(app, MOUNTED_PATHS, handler),
  };
}

function refuseNow(response: ServerResponse): void {
  response.writeHead(503, { connection: 'close', 'content-length': 0 }).end();
}

/** Gives these paths to the handler, whatever the method, before Fastify reads anything of the body. */
export function addRoutes(
  app: FastifyInstance,
  paths: readonly string[],
  handler: HttpMount['handler'],
): void {
  for (const url of paths) {
    app.all(url, {
      onRequest: async (request, reply) => {
        reply.hijack();
        handler(request.raw, reply.raw);
      },
      handler: () => {
        throw new Error('the request was taken over before');
      },
    });
  }
}
