// Owns official A2A as a face of the HTTP host: JSON-RPC and REST on its port. ARCHITECTURE.md ("Official A2A").

import type { ListenContext, Transport } from '../../src/transport.ts';
import type { HttpCall, HttpFace } from '../../transports/http/index.ts';
import { httpHostOf } from '../../transports/http/index.ts';
import type { Service } from './bindings/exchange.ts';
import { refuseJsonRpc, serveJsonRpc } from './bindings/jsonrpc.ts';
import { restPathOf } from './bindings/paths.ts';
import { refuseRest, serveRest } from './bindings/rest.ts';
import type { A2aError } from './errors/a2a-error.ts';
import { refusal, toA2aError } from './errors/a2a-error.ts';
import { FACE } from './operations/send.ts';
import type { A2aOptions, ResolvedOptions } from './options.ts';
import { resolveOptions } from './options.ts';

/** Clients of some libraries add a slash to the address that a card names. */
const JSON_RPC_PATH = /^\/rpc\/?$/;
const CARD_PATH = '/.well-known/agent-card.json';
/** What a web page of an allowed origin may send. */
const HEADERS = [
  'accept',
  'authorization',
  'content-type',
  'x-api-key',
  'a2a-version',
  'a2a-extensions',
  'x-a2a-extensions',
  'last-event-id',
];

/** Official A2A 1.0 and 0.3, and the draft between them, on the port of `http()` or of a mount. */
export function a2a(options: A2aOptions = {}): Transport {
  const resolved = resolveOptions(options);
  return {
    name: FACE,
    listen: async (context, earlier) => {
      const host = httpHostOf(earlier, FACE);
      const served = host.serve(createFace(context, resolved));
      return {
        name: FACE,
        isFace: true,
        urls: [host.urlOf(CARD_PATH)],
        close: (graceMs) => served.close(graceMs),
      };
    },
  };
}

function createFace(context: ListenContext, { profile, rules }: ResolvedOptions): HttpFace {
  const service: Service = { context, desk: { tasks: context.tasks, rules }, profile };
  return {
    name: FACE,
    maxBytes: context.limits.maxBytes,
    headers: HEADERS,
    owns: (path) => JSON_RPC_PATH.test(path) || restPathOf(path) !== undefined,
    handle: async (http) => {
      const ticket = context.admit(FACE, http.peer);
      await serve(http, service).finally(() => ticket.release());
    },
    refuse: (http, error, status) =>
      refuse(http, service, status === 421 ? wrongHost() : toA2aError(error)),
  };
}

function serve(http: HttpCall, service: Service): Promise<void> {
  const path = restPathOf(http.path);
  return path === undefined ? serveJsonRpc(http, service) : serveRest(http, path, service);
}

function refuse(http: HttpCall, service: Service, error: A2aError): Promise<void> {
  const path = restPathOf(http.path);
  return path === undefined ? refuseJsonRpc(http, error) : refuseRest(http, path, service, error);
}

function wrongHost(): A2aError {
  return refusal('WRONG_HOST', 'ADDRESS_WRONG', 'this agent is not at that host');
}
