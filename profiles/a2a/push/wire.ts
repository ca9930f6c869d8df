// Owns what every wire can do with web hooks: read what is asked of them, and show them. SPEC.md section 20 (#a2a-push).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import { invalidInput } from '../errors/a2a-error.ts';
import type { Fields } from '../fields/read.ts';
import type { WireName } from '../wires/wire.ts';
import type { HookWire, PushConfig, ShownPush } from './config.ts';

interface OfTask {
  /** That the caller names. @default its own */
  readonly tenant?: string;
  readonly taskId: string;
}

export interface PushInput extends OfTask {
  readonly config: PushConfig;
}

export interface PushRef extends OfTask {
  /** Only 0.3 lets it out: then it is the one without a name, else the first. */
  readonly configId?: string;
}

export interface PushPageInput extends OfTask {
  readonly pageSize: number;
  readonly pageToken?: string;
}

export interface PushPage {
  readonly configs: readonly ShownPush[];
  /** Empty at the end. */
  readonly nextPageToken: string;
}

export interface PushWire {
  /** The message of the table that the query of a list is read by. */
  readonly listQuery: string;
  /** These throw INVALID_PARAMS. */
  readPush(value: JsonObject): PushInput;
  readRef(value: JsonObject): PushRef;
  readPage(value: JsonObject): PushPageInput;
  writePush(push: ShownPush): JsonObject;
  writePage(page: PushPage): JsonValue;
  /** The answer to who has dropped one. */
  readonly dropped: JsonValue;
}

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 100;

export function pageOf(request: Fields): Pick<PushPageInput, 'pageSize' | 'pageToken'> {
  const { pageSize = DEFAULT_PAGE_SIZE, pageToken = '' } = request;
  if (!((pageSize as number) >= 1 && (pageSize as number) <= MAX_PAGE_SIZE)) {
    throw invalidInput([{ field: 'pageSize', description: `expected 1 to ${MAX_PAGE_SIZE}` }]);
  }
  const token = pageToken as string;
  return { pageSize: pageSize as number, ...(token !== '' && { pageToken: token }) };
}

/** Both forms of 0.3 are told in the one that names itself. */
export function hookWireOf(wire: WireName): HookWire {
  return wire === 'v1' || wire === 'draft' ? wire : 'v03';
}

/** What is empty is not there. Throws INVALID_PARAMS for one without a URL. */
export function configIn(fields: Fields, wire: HookWire, where: string): PushConfig {
  const { id, url, token, authentication } = fields;
  if (typeof url !== 'string' || url === '') {
    throw invalidInput([{ field: `${where}url`, description: 'is required' }]);
  }
  const { scheme, schemes, credentials } = (authentication ?? {}) as Fields;
  const named = [scheme, ...((schemes ?? []) as readonly string[])].filter(isThere);
  return {
    wire,
    where,
    url,
    ...(isThere(id) && { id }),
    ...(isThere(token) && { token }),
    ...(named.length > 0 && { schemes: named }),
    ...(isThere(credentials) && { credentials }),
  };
}

function isThere(text: unknown): text is string {
  return typeof text === 'string' && text !== '';
}
