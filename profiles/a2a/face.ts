// Owns official A2A as a face: JSON-RPC and REST on the port of the HTTP host, gRPC on one of its own.
// ARCHITECTURE.md ("Official A2A").

import type { Dialect } from '../../src/client/index.ts';
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
import { securityFor } from './card/callers.ts';
import { createCards } from './card/cards.ts';
import type { CardExtension, CardInterface } from './card/options.ts';
import { a2aDialect } from './client/dialect.ts';
import type { A2aError } from './errors/a2a-error.ts';
import { refusal, toA2aError } from './errors/a2a-error.ts';
import type { GrpcListener } from './grpc/listen.ts';
import type { ResolvedGrpc } from './grpc/options.ts';
import { FACE } from './operations/send.ts';
import type { A2aOptions, ResolvedOptions } from './options.ts';
import { resolveOptions } from './options.ts';
import { openPush } from './push/open.ts';
import { sealedCardExtension } from './sealed/extension.ts';
import { SealedTasks } from './sealed-tasks/sealed-tasks.ts';

/** Clients of some libraries add a slash to the address that a card names. */
const JSON_RPC_PATHS: ReadonlySet<string> = new Set(['/rpc', '/rpc/']);
const CARD_PATH = '/.well-known/agent-card.json';
const KEYS_PATH = '/.well-known/jwks.json';
/** What is refused at an address of the card has the form of a path without a prefix. */
const BARE: RestPath = { prefix: [], verbs: {} };
const VERSIONS = ['1.0', '0.3'] as const;
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

/** The way in for a runtime, and the way to other agents for a client. */
export interface A2aTransport extends Transport, Dialect {}

/**
 * Official A2A 1.0 and 0.3, and the draft between them: on the port of `http()` or of a mount, with the option `grpc` also
 * over gRPC; and from a client to other agents.
 */
export function a2a(options: A2aOptions = {}): A2aTransport {
  const resolved = resolveOptions(options);
  return {
    ...a2aDialect(options.client),
    name: FACE,
    listen: async (context, earlier) => {
      const host = httpHostOf(earlier, FACE);
      let grpc: GrpcListener | undefined;
      const service = createService(context, resolved, host, () => [
        ...interfacesOf(host),
        ...(grpc === undefined ? [] : grpcInterfaces(grpc, host)),
      ]);
      if (resolved.grpc !== undefined) grpc = await listenGrpc(resolved.grpc, service);
      const served = host.serve(createFace(service));
      return {
        name: FACE,
        isFace: true,
        urls: [host.urlOf(CARD_PATH)],
        ...(grpc !== undefined && { faces: [grpc] }),
        close: async (graceMs) => {
          await Promise.all([served.close(graceMs), grpc?.close(graceMs)]);
        },
      };
    },
  };
}

interface FaceService extends Service {
  readonly cards: Cards;
}

function createService(
  context: ListenContext,
  { profile, rules, sealed: rule, push: settings, card }: ResolvedOptions,
  host: HttpHost,
  interfaces: () => readonly CardInterface[],
): FaceService {
  const sealed = rule === 'none' ? undefined : new SealedTasks(context, rule);
  const push = openPush(FACE, context, settings, sealed);
  const cards = createCards(context, {
    security: () => securityFor(context.schemes(FACE)),
    ...card,
    capabilities: { ...card.capabilities, pushNotifications: push !== undefined },
    extensions: () => sealedExtensions(context, rule),
    interfaces,
    jwksUrl: host.urlOf(KEYS_PATH),
    refuseVersion: async () => {
      throw versionRefusal();
    },
  });
  const extendedCard: Cards['extended'] = (caller, form) => cards.extended(caller, form);
  const desk = { tasks: context.tasks, rules, push, extendedCard, sealed };
  const service: FaceService = { context, desk, profile, cards };
  return service;
}

/** Its keys change. An agent whose id is a label has no bundle: who seals to it knows its keys otherwise. */
function sealedExtensions(
  { bundle, limits }: ListenContext,
  rule: ResolvedOptions['sealed'],
): readonly CardExtension[] {
  const own = rule === 'none' ? undefined : bundle();
  if (own === undefined) return [];
  const { maxBytes } = limits;
  return [sealedCardExtension({ bundle: own, maxBytes, required: rule === 'require' })];
}

function createFace(service: FaceService): HttpFace {
  const { context, cards } = service;
  return {
    name: FACE,
    maxBytes: context.limits.maxBytes,
    headers: HEADERS,
    takesParsed: true,
    owns: (path) => JSON_RPC_PATHS.has(path) || cards.owns(path) || restPathOf(path) !== undefined,
    handle: async (http) => {
      const ticket = context.admit(FACE, http.peer);
      try {
        await serve(http, new Exchange(http, service, ticket), cards);
      } finally {
        ticket.release();
      }
    },
    refuse: (http, error, status) =>
      refuse(http, service, status === 421 ? wrongHost() : toA2aError(error)),
  };
}

/** Loaded only where it is spoken. */
async function listenGrpc(options: ResolvedGrpc, service: FaceService): Promise<GrpcListener> {
  const { listenGrpc: listen } = await import('./grpc/listen.ts');
  return listen(options, service);
}

/** At the end: who can choose takes a binding that needs no port of its own. */
function grpcInterfaces({ url }: GrpcListener, host: HttpHost): CardInterface[] {
  // Nobody can dial every address of a machine: it is reached where HTTP is.
  const { hostname } = new URL(host.urlOf('/'));
  const reached = url.replace(/(?<=:\/\/)(0\.0\.0\.0|\[::\])(?=:)/, hostname);
  return VERSIONS.map((protocolVersion) => ({ url: reached, binding: 'GRPC', protocolVersion }));
}

/** Both bindings of HTTP, each in both versions; the first of a version is what a client prefers. */
function interfacesOf(host: HttpHost): CardInterface[] {
  const [rpc, rest] = [host.urlOf('/rpc'), host.urlOf('/').replace(/\/$/, '')];
  return VERSIONS.flatMap((protocolVersion): CardInterface[] => [
    { url: rpc, binding: 'JSONRPC', protocolVersion },
    { url: rest, binding: 'HTTP+JSON', protocolVersion },
  ]);
}

function serve(http: HttpCall, exchange: Exchange, cards: Cards): Promise<void> {
  if (JSON_RPC_PATHS.has(http.path)) return serveJsonRpc(http, exchange);
  if (cards.owns(http.path)) return serveCard(http, exchange, cards);
  return serveRest(http, exchange, restPathOf(http.path)!);
}

async function serveCard(http: HttpCall, exchange: Exchange, cards: Cards): Promise<void> {
  const { service } = exchange;
  const allow = cards.methods(http.path);
  try {
    if (allow.includes(http.method)) return await cards.handle(http);
    const words = 'a card is only read';
    throw refusal('METHOD_NOT_ALLOWED', 'ADDRESS_WRONG', words, { allow });
  } catch (thrown) {
    return refuse(http, service, exchange.told(thrown));
  }
}

function refuse(http: HttpCall, service: Service, error: A2aError): Promise<void> {
  if (JSON_RPC_PATHS.has(http.path)) return refuseJsonRpc(http, error);
  return refuseRest(http, restPathOf(http.path) ?? BARE, service, error);
}

function wrongHost(): A2aError {
  return refusal('WRONG_HOST', 'ADDRESS_WRONG', 'this agent is not at that host');
}
