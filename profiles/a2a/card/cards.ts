// Owns the cards of an agent: composed from what is true now, signed, served to everybody, and the extended one to whom
// it is for. SPEC.md section 21 (#a2a-card, #a2a-card-served, #a2a-card-extended).

import type { JsonObject } from '../../../src/codec/index.ts';
import type { Authenticated, JwsSigner, ListenContext } from '../../../src/transport.ts';
import type { HttpCall } from '../../../transports/http/index.ts';
import { composeCard } from './compose.ts';
import { keySetOf } from './keys.ts';
import type {
  CardDetails,
  CardFacts,
  CardForm,
  CardInterface,
  CardOptions,
  Live,
} from './options.ts';
import type { Publication } from './publication.ts';
import { publish, servePublication } from './publication.ts';
import { signCard } from './sign.ts';
import { formFor } from './version.ts';

/** What a caller who asks for the extended card gets. */
export type ExtendedCard =
  | { readonly kind: 'card'; readonly card: JsonObject }
  /** `unsupported`: the card does not declare one. `notConfigured`: it does, and there is none for this caller. */
  | { readonly kind: 'unauthenticated' | 'forbidden' | 'notConfigured' | 'unsupported' };

export interface Cards {
  /** The two addresses of the card, and that of the keys. */
  owns(path: string): boolean;
  methods(path: string): readonly string[];
  /** Answers for a path that it owns. */
  handle(call: HttpCall): Promise<void>;
  /** The signed card. */
  document(form: CardForm): Promise<JsonObject>;
  /**
   * @param caller who has proven who it is; on a face that is open to everybody, its anonymous one
   * @param form 'strict' by default
   */
  extended(caller: Authenticated | undefined, form?: CardForm): Promise<ExtendedCard>;
}

const KEYS_PATH = '/.well-known/jwks.json';
const PATHS: ReadonlySet<string> = new Set([
  '/.well-known/agent-card.json',
  '/.well-known/agent.json',
  KEYS_PATH,
]);
const METHODS: readonly string[] = ['GET', 'HEAD'];
const MAX_AGE_SECONDS = 300;
/** Where it listens is known only once it does. */
const ANY_INTERFACE: CardInterface = { url: 'any', binding: 'JSONRPC', protocolVersion: '1.0' };

/** Throws a TypeError for details that no card can have. */
export function createCards(
  context: Pick<ListenContext, 'about' | 'signer'>,
  options: CardOptions,
): Cards {
  const { now = Date.now, maxAgeSeconds = MAX_AGE_SECONDS, capabilities, jwksUrl } = options;
  /** What was served last, by its name, and what it was made of. */
  const served = new Map<string, { readonly of: string; readonly made: Promise<Publication> }>();

  const factsOf = (details: CardDetails): Omit<CardFacts, 'interfaces'> => ({
    about: context.about(),
    details,
    capabilities: {
      ...capabilities,
      extensions: [...(capabilities.extensions ?? []), ...(valueOf(options.extensions) ?? [])],
    },
    security: valueOf(options.security),
  });
  const compose = (form: CardForm, details: CardDetails): JsonObject =>
    composeCard(form, { ...factsOf(details), interfaces: valueOf(options.interfaces) });
  const sign = async (
    card: JsonObject,
    form: CardForm,
    signer: JwsSigner | undefined,
  ): Promise<JsonObject> => (signer === undefined ? card : signCard(card, form, signer, jwksUrl));

  /** Made anew when what it is made of has changed. */
  function publication(
    name: string,
    parts: JsonObject,
    signer: JwsSigner | undefined,
    make: () => Promise<JsonObject>,
  ): Promise<Publication> {
    const of = JSON.stringify([signer?.kid, parts]);
    const last = served.get(name);
    if (last?.of === of) return last.made;
    const earlier = last?.made.catch(() => undefined);
    const made = Promise.all([make(), earlier]).then(([document, before]) =>
      publish(document, now(), before),
    );
    served.set(name, { of, made });
    // What failed is tried again at the next request.
    made.catch(() => served.get(name)?.made === made && served.delete(name));
    return made;
  }

  function cardOf(form: CardForm): Promise<Publication> {
    const signer = context.signer();
    const card = compose(form, options);
    return publication(form, card, signer, () => sign(card, form, signer));
  }

  function keys(): Promise<Publication> {
    const document = keySetOf(context.signer()?.keys ?? []);
    return publication(KEYS_PATH, document, undefined, async () => document);
  }

  // What the embedder wrote down is looked at now, not at the first request.
  composeCard('superset', { ...factsOf(options), interfaces: [ANY_INTERFACE] });

  return {
    owns: (path) => PATHS.has(path),
    methods: () => METHODS,
    handle: async (call) => {
      if (call.path === KEYS_PATH) return servePublication(call, await keys(), { maxAgeSeconds });
      const version = call.headers['a2a-version'] || call.query.get('A2A-Version') || '';
      const form = formFor(version, options.form);
      if (form === undefined) return options.refuseVersion(call, version);
      const settings = { maxAgeSeconds, vary: 'A2A-Version' };
      return servePublication(call, await cardOf(form), settings);
    },
    document: async (form) => (await cardOf(form)).document,
    extended: async (caller, form = 'strict') => {
      if (!capabilities.extendedAgentCard) return { kind: 'unsupported' };
      if (caller === undefined) return { kind: 'unauthenticated' };
      const details = await options.extended?.(caller);
      if (details === undefined) return { kind: 'notConfigured' };
      if (details === 'forbidden') return { kind: 'forbidden' };
      const card = compose(form, { ...options, ...details });
      return { kind: 'card', card: await sign(card, form, context.signer()) };
    },
  };
}

function valueOf<T>(live: Live<T>): T {
  return typeof live === 'function' ? (live as () => T)() : live;
}
