// Owns what a client says of a web hook, in words of no wire: its bounds, and how it is kept as a hook of the task.
// SPEC.md section 20 (#a2a-push, #a2a-push-guard).

import type { JsonObject, NewHook, TaskHook } from '../../../src/door/index.ts';
import { TransportError } from '../../../src/transport.ts';
import type { Violation } from '../errors/a2a-error.ts';
import { invalidInput } from '../errors/a2a-error.ts';

/** How it is told: in the words of the wire that it was asked for in. */
export type HookWire = 'v1' | 'v03' | 'draft';

/** A web hook as a client asks for it. */
export interface PushConfig {
  readonly wire: HookWire;
  /** The path of its members in the request, with a dot at its end. */
  readonly where: string;
  /** @default one is made */
  readonly id?: string;
  readonly url: string;
  readonly token?: string;
  /** Of which the first is used. */
  readonly schemes?: readonly string[];
  readonly credentials?: string;
}

/** The same as it is shown: without what only the receiver of its notices may know. */
export interface ShownPush {
  readonly taskId: string;
  readonly id: string;
  readonly url: string;
  readonly token?: string;
  readonly schemes?: readonly string[];
}

/** What a hook is told by. */
export interface HookTarget {
  readonly wire: HookWire;
  readonly url: string;
  readonly token?: string;
  readonly schemes?: readonly string[];
  readonly credentials?: string;
}

/** Says where a URL leads; throws a `TransportError` for one that may not be used. */
export type UrlGuard = (url: string) => string;

const MAX_ID = 256;
const MAX_TOKEN = 4_096;
const MAX_SCHEMES = 16;
/** Names and ids may hold any character that can be seen. */
const VISIBLE = /^[^\p{Cc}\p{Cs}]+$/u;
/** What can stand in a header as it is: nothing that would end it. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const SCHEME = /^[\w!#$%&'*+.^`|~-]{1,64}$/;

/** Throws INVALID_PARAMS with the path of every fault. */
export function hookOf(config: PushConfig, guard: UrlGuard): NewHook {
  const { wire, where, id, url, token, schemes, credentials } = config;
  const violations: Violation[] = [];
  const wrong = (name: string, description: string): void => {
    violations.push({ field: `${where}${name}`, description });
  };
  if (id !== undefined && !(id.length <= MAX_ID && VISIBLE.test(id))) {
    wrong('id', `expected at most ${MAX_ID} visible characters`);
  }
  for (const [name, secret] of [
    ['token', token],
    ['authentication.credentials', credentials],
  ] as const) {
    if (secret === undefined || (secret.length <= MAX_TOKEN && HEADER_VALUE.test(secret))) continue;
    wrong(name, `expected at most ${MAX_TOKEN} characters that can stand in a header`);
  }
  if (schemes !== undefined && !(schemes.length <= MAX_SCHEMES && schemes.every(isScheme))) {
    wrong('authentication', 'expected the name of a scheme such as Bearer');
  }
  const lane = laneOf(url, guard, wrong);
  if (violations.length > 0) throw invalidInput(violations);
  const facts: HookTarget = {
    wire,
    url,
    ...(token !== undefined && { token }),
    ...(schemes !== undefined && { schemes }),
    ...(credentials !== undefined && { credentials }),
  };
  return {
    ...(id !== undefined && { id }),
    ...(wire === 'v03' && { isNamedAfterTask: true }),
    facts: facts as unknown as JsonObject,
    lane,
  };
}

function laneOf(
  url: string,
  guard: UrlGuard,
  wrong: (name: string, description: string) => void,
): string {
  try {
    return guard(url);
  } catch (thrown) {
    if (!(thrown instanceof TransportError)) throw thrown;
    wrong('url', `is not taken: ${thrown.message}`);
    return '';
  }
}

function isScheme(scheme: string): boolean {
  return SCHEME.test(scheme);
}

export function targetOf({ facts }: TaskHook): HookTarget {
  return facts as unknown as HookTarget;
}

export function shownPush(taskId: string, hook: TaskHook): ShownPush {
  const { url, token, schemes } = targetOf(hook);
  return {
    taskId,
    id: hook.id,
    url,
    ...(token !== undefined && { token }),
    ...(schemes !== undefined && { schemes }),
  };
}
