// Owns the paths of REST, and which wire a request to one is of. SPEC.md section 20 (#a2a-versions).

import type { JsonValue } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import type { OperationName } from '../operations/inputs.ts';
import type { WireName } from '../wires/wire.ts';
import type { AskedVersion } from './version.ts';

type RestWire = Exclude<WireName, 'v03-jsonrpc'>;
type Verbs = Readonly<Record<string, OperationName>>;

/** A path without its prefix: what may be done there, with which method of HTTP. */
export interface RestPath {
  /** What stands before: nothing, a tenant or `v1`, or both. */
  readonly prefix: readonly string[];
  readonly verbs: Verbs;
  /** Of the task. */
  readonly id?: string;
  /** Of a web hook of it. */
  readonly configId?: string;
  /** It is that of the extended card in 0.3. */
  readonly isCard?: true;
}

const SEND: Verbs = { POST: 'send' };
const STREAM: Verbs = { POST: 'stream' };
const LIST: Verbs = { GET: 'list' };
const GET: Verbs = { GET: 'get' };
const CANCEL: Verbs = { POST: 'cancel' };
const SUBSCRIBE: Verbs = { GET: 'subscribe', POST: 'subscribe' };
const CONFIGS: Verbs = { GET: 'listPush', POST: 'createPush' };
const CONFIG: Verbs = { GET: 'getPush', DELETE: 'deletePush' };
const CARD: Verbs = { GET: 'extendedCard' };

const V1 = 'v1';
const MAX_PREFIX = 2;
/** How roles begin that are written as protobuf writes them. */
const PROTOBUF_ROLE = 'ROLE_';

/** `undefined` for a path that no wire has. What is fixed counts before what may be a tenant. */
export function restPathOf(path: string): RestPath | undefined {
  const names = path.split('/').slice(1);
  for (let length = 0; length <= MAX_PREFIX; length += 1) {
    const prefix = names.slice(0, length).map(decoded);
    const found = withoutPrefix(names.slice(length));
    if (found === undefined || !prefix.every(isName)) continue;
    const isAllowed =
      (length < MAX_PREFIX || prefix[1] === V1) &&
      (found.isCard !== true || (length === 1 && prefix[0] === V1));
    if (isAllowed) return { prefix, ...found };
  }
  return undefined;
}

function withoutPrefix(names: readonly string[]): Omit<RestPath, 'prefix'> | undefined {
  const [first, second, third, fourth, ...more] = names;
  if (more.length > 0) return undefined;
  if (second === undefined) return alone(first);
  if (first !== 'tasks') return undefined;
  if (third === undefined) return ofTask(second);
  const id = decoded(second);
  if (third !== 'pushNotificationConfigs' || !isName(id)) return undefined;
  if (fourth === undefined) return { verbs: CONFIGS, id };
  const configId = decoded(fourth);
  return isName(configId) ? { verbs: CONFIG, id, configId } : undefined;
}

function alone(name: string | undefined): Omit<RestPath, 'prefix'> | undefined {
  switch (name === undefined ? '' : decoded(name)) {
    case 'message:send':
      return { verbs: SEND };
    case 'message:stream':
      return { verbs: STREAM };
    case 'tasks':
      return { verbs: LIST };
    case 'extendedAgentCard':
      return { verbs: CARD };
    case 'card':
      return { verbs: CARD, isCard: true };
    default:
      return undefined;
  }
}

function ofTask(name: string): Omit<RestPath, 'prefix'> | undefined {
  const [, id, verb] = /^(.*?)(:cancel|:subscribe)?$/s.exec(decoded(name)) ?? [];
  if (id === undefined || !isName(id)) return undefined;
  if (verb === undefined) return { verbs: GET, id };
  return { verbs: verb === ':cancel' ? CANCEL : SUBSCRIBE, id };
}

/** Empty for what is no text. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return '';
  }
}

function isName(name: string): boolean {
  return name !== '';
}

export interface ChosenWire {
  readonly wire: RestWire;
  readonly tenant?: string;
}

interface Hints {
  /** The caller names the media type of A2A. */
  readonly hasA2aType: boolean;
  /** `undefined` where it was not read, or there is none. */
  readonly body: JsonValue | undefined;
}

/** `undefined` for a path that the version does not have. @param version one that is supported, or none. */
export function restWireOf(
  path: RestPath,
  version: Exclude<AskedVersion, 'other'>,
  { hasA2aType, body }: Hints,
): ChosenWire | undefined {
  const [first, second] = path.prefix;
  const named = first === undefined ? {} : { tenant: first };
  if (version === '1.0') {
    return second === V1 || path.isCard === true ? undefined : { wire: 'v1', ...named };
  }
  if (second === V1) return { wire: 'draft', ...named };
  if (first === V1) return { wire: isDraft(path, hasA2aType, body) ? 'draft' : 'v03-rest' };
  const isV1 = version === undefined && textOf(messageIn(body)?.['role']).startsWith(PROTOBUF_ROLE);
  return { wire: isV1 ? 'v1' : 'draft', ...named };
}

/** Below `/v1`. */
function isDraft(path: RestPath, hasA2aType: boolean, body: JsonValue | undefined): boolean {
  if (path.isCard === true) return false;
  // Paths that 0.3 does not have.
  if (path.verbs === LIST || path.verbs === CARD) return true;
  const { parts, role } = messageIn(body) ?? {};
  return hasA2aType || (parts !== undefined && !textOf(role).startsWith(PROTOBUF_ROLE));
}

function messageIn(body: JsonValue | undefined): Readonly<Record<string, JsonValue>> | undefined {
  const message = isJsonObject(body) ? body['message'] : undefined;
  return isJsonObject(message) ? message : undefined;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
