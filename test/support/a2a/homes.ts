// Owns where an agent of official A2A can live: on a port of its own, or inside a server that exists already, below a
// prefix.

import express from 'express';
import { fastify } from 'fastify';
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { a2a } from '../../../profiles/a2a/index.ts';
import type { HttpMount } from '../../../transports/http/index.ts';
import { mountHttp } from '../../../transports/http/index.ts';
import type { AgentOptions, TestAgent } from './agent.ts';
import { openAgent, runtimeFor } from './agent.ts';

export interface Home {
  readonly name: string;
  open(options: AgentOptions): Promise<TestAgent & { close(): Promise<void> }>;
}

export const OWN_PORT: Home = {
  name: 'on its own port',
  open: async (options) => {
    const agent = await openAgent(options);
    return { ...agent, close: () => agent.runtime.close({ graceMs: 0 }) };
  },
};

/** What a server of this kind does with the mount, below the prefix. */
type Mounting = (mount: HttpMount, server: Server, prefix: string) => Promise<RequestListener>;

export const MOUNTS: readonly Home[] = [
  mountedIn('node:http', '', async ({ handler }) => handler),
  mountedIn('Express', '/agents/bob', async ({ handler }, _server, prefix) => {
    const app = express();
    app.use(prefix, handler);
    return app;
  }),
  mountedIn('Fastify', '/agents/bob', async ({ fastifyPlugin }, server, prefix) => {
    let listener: RequestListener | undefined;
    const app = fastify({
      serverFactory: (handler) => {
        listener = handler;
        return server;
      },
    });
    await app.register(fastifyPlugin, { prefix });
    await app.ready();
    return listener!;
  }),
];

function mountedIn(name: string, prefix: string, mounting: Mounting): Home {
  return {
    name: `mounted in ${name}`,
    open: async (options) => {
      // The card tells the address, so that it is known before anything is mounted.
      const server = createServer();
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const origin = `http://127.0.0.1:${port}${prefix}`;
      const mount = mountHttp({ publicUrl: `${origin}/a2a`, faces: [a2a(options.face)] });
      const runtime = await runtimeFor(options);
      await runtime.listen(mount);
      server.on('request', await mounting(mount, server, prefix));
      const close = async (): Promise<void> => {
        await runtime.close({ graceMs: 0 });
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      };
      return { runtime, origin, rpc: `${origin}/rpc`, close };
    },
  };
}
