// Owns official A2A as a face of the HTTP host: JSON-RPC and REST on its port. ARCHITECTURE.md ("Official A2A").

import type { ListenContext, Transport } from '../../src/transport.ts';
import type { HttpCall, HttpFace, HttpHost } from '../../transports/http/index.ts';
import { httpHostOf } from '../../transports/http/index.ts';
import type { Service } from './bindings/exchange.ts';
import { Exchange } from './bindings/exchange.ts';
import { refuseJsonRpc, serveJsonRpc } from './bindings/jsonrpc.ts';
import type { RestPath } from './bindings/paths.ts';
import { restPathOf } from './bindings/paths.ts';
import { refuseRest, serveRest } from './bindings/rest.ts';
import { versionRefusal } from './bindings/version.ts';
import type { Cards } from './card/cards.ts';
import { createCards } from './card/cards.ts';
import type { CardInterface } from './card/options.ts';
import type { A2aError } from './errors/a2a-error.ts';
import { refusal, toA2aError } from './errors/a2a-error.ts';
import { FACE } from './operations/send.ts';
import type { A2aOptions, ResolvedOptions } from './options.ts';
import { resolveOptions } from './options.ts';

/** Clients of some libraries add a slash to the address that a card names. */
const JSON_RPC_PATH = /^\/rpc\/?$/;
const CARD_PATH = '/.well-known/agent-card.json';
const KEYS_PATH = '/.well-known/jwks.json';
/** What is refused at an address of the card has the form of a path without a prefix. */
const BARE: RestPath = { prefix: [], verbs: {} };
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
      const served = host.serve(createFace(context, resolved, host));
      return {
        name: FACE,
        isFace: true,
        urls: [host.urlOf(CARD_PATH)],
        close: (graceMs) => served.close(graceMs),
      };
    },
  };
}

function createFace(
  context: ListenContext,
  { profile, rules, card }: ResolvedOptions,
  host: HttpHost,
): HttpFace {
  const cards = createCards(context, {
    ...card,
    interfaces: () => interfacesOf(host),
    jwksUrl: host.urlOf(KEYS_PATH),
    refuseVersion: async (http) => {
      throw new Exchange(http, service).told(versionRefusal());
    },
  });
  const extendedCard: Cards['extended'] = (caller, form) => cards.extended(caller, form);
  const desk = { tasks: context.tasks, rules, extendedCard };
  const service: Service = { context, desk, profile };
  return {
    name: FACE,
    maxBytes: context.limits.maxBytes,
    headers: HEADERS,
    owns: (path) => cards.owns(path) || JSON_RPC_PATH.test(path) || restPathOf(path) !== undefined,
    handle: async (http) => {
      const ticket = context.admit(FACE, http.peer);
      await serve(http, service, cards).finally(() => ticket.release());
    },
    refuse: (http, error, status) =>
      refuse(http, service, status === 421 ? wrongHost() : toA2aError(error)),
  };
}

/** Both bindings, each in both versions; the first of a version is what a client prefers. */
function interfacesOf(host: HttpHost): CardInterface[] {
  const [rpc, rest] = [host.urlOf('/rpc'), host.urlOf('/').replace(/\/$/, '')];
  return (['1.0', '0.3'] as const).flatMap((protocolVersion): CardInterface[] => [
    { url: rpc, binding: 'JSONRPC', protocolVersion },
    { url: rest, binding: 'HTTP+JSON', protocolVersion },
  ]);
}

async function serve(http: HttpCall, service: Service, cards: Cards): Promise<void> {
  if (cards.owns(http.path)) return serveCard(http, service, cards);
  const path = restPathOf(http.path);
  return path === undefined ? serveJsonRpc(http, service) : serveRest(http, path, service);
}

async function serveCard(http: HttpCall, service: Service, cards: Cards): Promise<void> {
  const allow = cards.methods(http.path);
  if (allow.includes(http.method)) {
    await cards.handle(http).catch((thrown: unknown) => refuse(http, service, toA2aError(thrown)));
    return;
  }
  const words = 'a card is only read';
  const error = refusal('METHOD_NOT_ALLOWED', 'ADDRESS_WRONG', words, { allow });
  await refuse(http, service, new Exchange(http, service).told(error));
}

function refuse(http: HttpCall, service: Service, error: A2aError): Promise<void> {
  if (JSON_RPC_PATH.test(http.path)) return refuseJsonRpc(http, error);
  return refuseRest(http, restPathOf(http.path) ?? BARE, service, error);
}

function wrongHost(): A2aError {
  return refusal('WRONG_HOST', 'ADDRESS_WRONG', 'this agent is not at that host');
}
