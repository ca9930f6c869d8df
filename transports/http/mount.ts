// Owns the agent inside a server that exists already: a handler for node:http and Express, and a plugin for Fastify. The
// server keeps its own timeouts, certificates and connections. SPEC.md section 11 (#transport-http).

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ListenContext, Listener, Transport } from '../../src/transport.ts';
import type { HttpHost } from './face.ts';
import type { HttpFaces } from './host/faces.ts';
import type { HttpServiceOptions } from './options.ts';
import { resolveService } from './options.ts';
import {
  MESSAGE_PATH,
  MOUNTED_PATHS,
  baseOf,
  belowPrefix,
  mountedPathOf,
  pathOf,
} from './paths.ts';

export interface HttpMountOptions extends HttpServiceOptions {
  /** Where others reach the agent, such as `https://agent.example/a2a`; its host is allowed. */
  readonly publicUrl: string;
  /** Dialects that are served beside envelopes, in this order; they listen and close with the mount. @default none */
  readonly faces?: readonly Transport[];
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
  readonly prefix?: string;
  all(path: string, route: FastifyRoute): unknown;
}

export interface FastifyRoute {
  onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  handler(request: FastifyRequest, reply: FastifyReply): void;
}

export interface FastifyRequest {
  readonly raw: MountRequest;
}

export interface FastifyReply {
  readonly raw: MountResponse;
  hijack(): unknown;
  callNotFound(): unknown;
}

/** Serves once a runtime listens on it; before and after that every answer is 503. */
export interface HttpMount extends Transport {
  listen(context: ListenContext, earlier?: readonly Listener[]): Promise<HttpHost>;
  /**
   * For `createServer` of node:http or node:https, and for `app.use` of Express: before any body parser, because a
   * signature holds only for the bytes as they came. What is not ours goes to `next`; without one it is answered with 404.
   */
  readonly handler: (request: MountRequest, response: MountResponse, next?: () => void) => void;
  /**
   * For `app.register`: takes our paths only, below the prefix where one is given. With faces it has the route `/*`, which
   * leaves what is not ours to the app's handler for what is not found.
   */
  readonly fastifyPlugin: (app: FastifyApp) => Promise<void>;
}

/** A transport without a server of its own. */
export function mountHttp(options: HttpMountOptions): HttpMount {
  const resolved = resolveService(options);
  const { publicUrl, faces = [] } = options;
  let isTaken = false;
  let serving: HttpFaces | undefined;

  /** Before a runtime listens nobody knows the paths of the other faces. */
  const isOurs = (path: string): boolean => serving?.owns(path) ?? MOUNTED_PATHS.includes(path);

  /** The public types do not name those of Node, because a user of the package may not have them installed. */
  function serve(mounted: MountRequest, answer: MountResponse, path: string): void {
    const request = mounted as IncomingMessage;
    const response = answer as ServerResponse;
    if (serving === undefined) refuseNow(response);
    else void serving.handle(request, response, path);
  }

  async function listen(context: ListenContext): Promise<HttpHost> {
    const [{ createFaces }, { createAccess }, { createMessageFace }] = await Promise.all([
      import('./host/faces.ts'),
      import('./host/access.ts'),
      import('./sdl/message-face.ts'),
    ]);
    const allowedHosts = [new URL(publicUrl).host, ...resolved.allowedHosts];
    const access = createAccess({ ...resolved, allowedHosts });
    const mounted = createFaces(access, { ...resolved, onError: context.onError });
    mounted.serve(createMessageFace(context));
    const started: Listener[] = [];
    const host: HttpHost = {
      name: 'http',
      urls: [publicUrl],
      faces: started,
      urlOf: (path) => `${baseOf(publicUrl, MESSAGE_PATH)}${path}`,
      serve: (face) => mounted.serve(face),
      close: async (graceMs) => {
        await Promise.all([mounted.drain(graceMs), ...started.map((face) => face.close(graceMs))]);
        if (serving !== mounted) return;
        serving = undefined;
        isTaken = false;
      },
    };
    serving = mounted;
    try {
      for (const face of faces) started.push(await face.listen(context, [host]));
    } catch (thrown) {
      await host.close(0);
      throw thrown;
    }
    return host;
  }

  const route = (
    isTheRest: boolean,
    pathIn: (request: FastifyRequest) => string,
  ): FastifyRoute => ({
    // Before Fastify reads anything of the body.
    onRequest: async (request, reply) => {
      const path = pathIn(request);
      if (isTheRest && !isOurs(path)) return;
      reply.hijack();
      serve(request.raw, reply.raw, path);
    },
    // Only what is not ours gets here.
    handler: (_request, reply) => void reply.callNotFound(),
  });

  return {
    name: 'http',
    listen: async (context) => {
      if (isTaken) throw new TypeError('a mount serves one runtime at a time');
      isTaken = true;
      return listen(context);
    },
    handler: (request, response, next) => {
      const path = mountedPathOf(request.url, request.originalUrl, isOurs);
      if (next !== undefined && !isOurs(path)) next();
      else serve(request, response, path);
    },
    fastifyPlugin: async (app) => {
      const { prefix = '' } = app;
      for (const path of MOUNTED_PATHS)
        app.all(
          path,
          route(false, () => path),
        );
      if (faces.length === 0) return;
      app.all(
        '/*',
        route(true, ({ raw }) => belowPrefix(pathOf(raw.url), prefix)),
      );
    },
  };
}

function refuseNow(response: ServerResponse): void {
  response.writeHead(503, { connection: 'close', 'content-length': 0 }).end();
}
