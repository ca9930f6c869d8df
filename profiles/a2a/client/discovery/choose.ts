// Owns which address of an agent is used, in which version, and why: the first of the card that can be.
// SPEC.md section 20 (#a2a-client-choice).

import { SdlError } from '../../../../src/door/index.ts';
import { DRAFT_SHAPE } from '../../wires/draft/wire.ts';
import type { Shape } from '../../wires/shape.ts';
import { V03_JSONRPC_SHAPE } from '../../wires/v03/jsonrpc-wire.ts';
import { V03_REST_SHAPE } from '../../wires/v03/rest-wire.ts';
import { V1_SHAPE } from '../../wires/v1/wire.ts';
import type { KnownCard, OfferedInterface } from './known-card.ts';

export type Binding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
export type SpokenVersion = '1.0' | '0.3' | 'draft';

/** Only such are used. @default any */
export interface InterfaceWish {
  readonly binding?: Binding;
  readonly version?: SpokenVersion;
}

export interface ChosenInterface {
  readonly url: string;
  readonly binding: Binding;
  readonly version: SpokenVersion;
  readonly tenant?: string;
  readonly shape: Shape;
  /** Why it is this one, and why none of those before it. */
  readonly reason: string;
}

/** Some cards have other names for them. */
const BINDINGS: Readonly<Record<string, Binding>> = {
  JSONRPC: 'JSONRPC',
  'JSON-RPC': 'JSONRPC',
  'HTTP+JSON': 'HTTP+JSON',
  REST: 'HTTP+JSON',
  GRPC: 'GRPC',
};

const SHAPES: Readonly<Record<SpokenVersion, Readonly<Partial<Record<Binding, Shape>>>>> = {
  '1.0': { JSONRPC: V1_SHAPE, 'HTTP+JSON': V1_SHAPE, GRPC: V1_SHAPE },
  '0.3': { JSONRPC: V03_JSONRPC_SHAPE, 'HTTP+JSON': V03_REST_SHAPE, GRPC: V03_REST_SHAPE },
  draft: { JSONRPC: DRAFT_SHAPE, 'HTTP+JSON': DRAFT_SHAPE },
};

const MOST_INTERFACES = 32;
const LONGEST_WORD = 64;

export function isGrpc({ binding }: OfferedInterface): boolean {
  return BINDINGS[binding.toUpperCase()] === 'GRPC';
}

export interface ChoiceFacts {
  /** Where the card was found. @default in a file */
  readonly cardUrl?: string;
  /** Why gRPC cannot be spoken. @default it can */
  readonly noGrpc?: string;
}

/** Throws CT_UNSUPPORTED with the reason for each that cannot be used. */
export function chooseInterface(
  card: KnownCard,
  wish: InterfaceWish = {},
  { cardUrl, noGrpc }: ChoiceFacts = {},
): ChosenInterface {
  const passed: string[] = [];
  for (const offered of card.interfaces.slice(0, MOST_INTERFACES)) {
    const url = addressOf(offered, cardUrl);
    const judged = judge({ ...offered, url }, wish, noGrpc);
    if (typeof judged === 'string') {
      passed.push(`${nameOf(offered)}: ${judged}`);
      continue;
    }
    const { tenant } = offered;
    const { binding, version, shape } = judged;
    const first =
      passed.length === 0 ? 'the first that the card names' : 'the first that is usable';
    return {
      url,
      binding,
      version,
      ...(tenant !== undefined && { tenant }),
      shape,
      reason: [first, ...passed.map((words) => `not ${words}`)].join('; '),
    };
  }
  const words = passed.length === 0 ? 'its card names none' : passed.join('; ');
  throw new SdlError('CT_UNSUPPORTED', `the agent has no address that can be used: ${words}`);
}

/** What it is, or why it cannot be used. */
function judge(
  { url, binding: name, version: said }: OfferedInterface,
  wish: InterfaceWish,
  noGrpc: string | undefined,
): Pick<ChosenInterface, 'binding' | 'version' | 'shape'> | string {
  const binding = BINDINGS[name.toUpperCase()];
  if (binding === undefined) return 'this binding is not spoken here';
  const version = versionOf(said);
  const shape = version && SHAPES[version][binding];
  if (version === undefined || shape === undefined) return 'this version is not spoken here';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return binding === 'GRPC' ? 'it has no address of gRPC' : 'it has no http address';
  if (wish.binding !== undefined && wish.binding !== binding) return `${wish.binding} is wanted`;
  if (wish.version !== undefined && wish.version !== version) return `${wish.version} is wanted`;
  if (binding === 'GRPC' && noGrpc !== undefined) return noGrpc;
  return { binding, version, shape };
}

/**
 * As a URL; empty where it is none. gRPC has no paths, and many cards name only `HOST:PORT`: that is encrypted, but at the
 * host of a card which came without encryption itself.
 */
export function addressOf(offered: OfferedInterface, cardUrl: string | undefined): string {
  const { url } = offered;
  if (!isGrpc(offered)) return URL.canParse(url) ? url : '';
  const isBare = /^(\[[\da-f:.]+\]|[\w.-]+):\d{1,5}$/i.test(url);
  const [plain, secure] = isBare ? [`http://${url}`, `https://${url}`] : ['', url];
  const isPlain = isBare && cardUrl?.startsWith('http:') && hostOf(plain) === hostOf(cardUrl);
  const place = isPlain ? plain : secure;
  return URL.canParse(place) && /^https?:/i.test(place) ? new URL(place).origin : '';
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

/** Patch numbers count for nothing; one that is not said is the draft's. */
function versionOf(said: string): SpokenVersion | undefined {
  if (said === '') return 'draft';
  const [, short] = /^(\d+\.\d+)(?:\.\d+)?$/.exec(said.trim()) ?? [];
  return short === '1.0' || short === '0.3' ? short : undefined;
}

/** Words of a stranger, in one line and no longer than a name. */
function nameOf({ binding, version }: OfferedInterface): string {
  const words = `${binding === '' ? 'without a binding' : binding} ${version}`.trim();
  return words.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_WORD);
}
