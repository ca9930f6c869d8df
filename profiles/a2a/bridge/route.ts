// Owns how far a request has come and by whom it passed, so that no bridge sends it in a circle, and what of it an
// upstream gets. SPEC.md section 20.2 (#bridge-loops, #bridge-asked).

import { createHash } from 'node:crypto';

import type { AuthorTask, JsonObject, Message, MessageContent } from '../../../src/door/index.ts';
import { TaskError } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import type { AskedMessage } from '../client/asking/asked.ts';
import type { Upstream } from './options.ts';

const TRACE = 'https://w3id.org/a2a-sdl/ext/trace/v1';
/** Bytes of a hash that tell addresses apart. */
const MARK_BYTES = 16;
/** Longer than any limit of hops: who sends more says nothing that can be believed. */
const MOST_VIA = 64;
const MODES = 'acceptedOutputModes';

export interface Route extends JsonObject {
  readonly hops: number;
  readonly via: string[];
}

/** The route of what is sent on. Throws a TaskError that rejects the task, where it would go too far or in a circle. */
export function routeTo(
  { url, name }: Upstream,
  task: Pick<AuthorTask, 'history'>,
  hopsSoFar: number,
  maxHops: number,
): Route {
  const told = task.history[0]?.metadata?.[TRACE];
  const { hops: toldHops, via: toldVia } = told !== undefined && isJsonObject(told) ? told : {};
  const via = Array.isArray(toldVia)
    ? toldVia.filter((mark): mark is string => typeof mark === 'string').slice(-MOST_VIA)
    : [];
  const hops = Math.max(hopsSoFar, countOf(toldHops), via.length);
  if (hops >= maxHops) {
    const words = `the request has already travelled ${hops} hops`;
    throw new TaskError(words, { code: 'LIMIT_HOPS', rejects: true });
  }
  const mark = markOf(url);
  if (via.includes(mark)) {
    const words = `the request was sent to ${name} before: it goes in a circle`;
    throw new TaskError(words, { code: 'UPSTREAM_LOOP', rejects: true });
  }
  return { hops: hops + 1, via: [...via, mark] };
}

function countOf(hops: unknown): number {
  const count = Number(hops);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

function markOf(url: string): string {
  const { href } = new URL(url);
  const digest = createHash('sha256').update(href).digest();
  return digest.subarray(0, MARK_BYTES).toString('base64url');
}

/** The tasks of one context of one owner are one conversation at the upstream. */
export function contextAt(
  { name }: Upstream,
  { tenant, owner, contextId, id, createdAt }: AuthorTask,
): string {
  const place = JSON.stringify([name, tenant, owner, contextId ?? [id, createdAt]]);
  const hex = createHash('sha256').update(place).digest('hex');
  const [a, b, c, d, e] = [0, 8, 12, 16, 20].map((at, of, all) => hex.slice(at, all[of + 1] ?? 32));
  return `${a}-${b}-${c}-${d}-${e}`;
}

/** What the upstream gets of a message: its content, and nothing of who said it. */
export function askedOf(
  message: Message,
  messageId: string,
  route: Route,
  task: Pick<AuthorTask, 'metadata'>,
): Pick<AskedMessage, 'message' | 'acceptedOutputModes'> {
  const { parts, metadata } = message;
  const content: MessageContent = {
    id: messageId,
    role: 'user',
    parts,
    metadata: { ...metadata, [TRACE]: route },
  };
  const modes = task.metadata[MODES];
  const accepted = Array.isArray(modes)
    ? modes.filter((mode): mode is string => typeof mode === 'string')
    : [];
  return { message: content, ...(accepted.length > 0 && { acceptedOutputModes: accepted }) };
}
