// Owns what may be said about receiving the notifications of other agents, and its defaults. SPEC.md section 20
// (#a2a-hook-receiver).

import type { SpokenVersion } from '../client/discovery/choose.ts';
import type { A2aEvent } from '../client/model.ts';

/** What a sender has shown. */
export interface ShownByHook {
  /** `X-A2A-Notification-Token`. */
  readonly token?: string;
  /** `Authorization`, all of it. */
  readonly authorization?: string;
}

/** One notification. */
export interface HookDelivery {
  readonly event: A2aEvent;
  /** None with a message that belongs to no task. */
  readonly taskId?: string;
  readonly version: SpokenVersion;
  /** By which the sender knows it, where it numbers what it tells. */
  readonly id?: string;
  /** As it was shown: by it one hook is told from another. */
  readonly token?: string;
  /** The same came before from a sender that numbers nothing: a piece of output may be told twice, or said twice. */
  readonly mayBeRepeat: boolean;
}

export interface HookReceiverOptions {
  /**
   * Told of each notification once, those of one task one after the other. The sender gets its answer afterwards: what is
   * thrown makes it try again, and `gone` makes it stop.
   */
  readonly onEvent: (delivery: HookDelivery) => unknown;
  /** The token, or one of the tokens, that hooks were made with. @default none is asked for */
  readonly token?: string | readonly string[];
  /** What `Authorization` must be, such as `Bearer secret`, or one of several. @default none is asked for */
  readonly authorization?: string | readonly string[];
  /** Judges by itself what was shown, beside the two above. @default those two alone */
  readonly accepts?: (shown: ShownByHook) => boolean | Promise<boolean>;
  /** Of one notification. @default 1048576 */
  readonly maxBytes?: number;
  /** For its body to arrive. @default 30000 */
  readonly timeoutMs?: number;
  /** How many notifications are kept in mind, to know a repeat. @default 10000 */
  readonly remembers?: number;
  /** How many are taken at once; more are asked to come later. @default 256 */
  readonly maxAtOnce?: number;
}

export interface ResolvedReceiver {
  readonly onEvent: HookReceiverOptions['onEvent'];
  /** Empty where none is asked for. */
  readonly tokens: readonly string[];
  readonly authorizations: readonly string[];
  readonly accepts: (shown: ShownByHook) => boolean | Promise<boolean>;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly remembers: number;
  readonly maxAtOnce: number;
}

const MAX_BYTES = 1_048_576;
const TIMEOUT_MS = 30_000;
const REMEMBERS = 10_000;
const MAX_AT_ONCE = 256;

/** Wrong use by the programmer is a TypeError or RangeError; it never has the secret in it. */
export function resolveReceiver(options: HookReceiverOptions): ResolvedReceiver {
  const { onEvent, token = [], authorization = [], accepts } = options;
  const tokens = typeof token === 'string' ? [token] : [...token];
  const authorizations = typeof authorization === 'string' ? [authorization] : [...authorization];
  if (typeof onEvent !== 'function') throw new TypeError('"onEvent" expected a function');
  if (tokens.length + authorizations.length === 0 && accepts === undefined) {
    throw new TypeError(
      '"token", "authorization" or "accepts" is missing: anybody could tell of any task',
    );
  }
  for (const [name, texts] of Object.entries({ token: tokens, authorization: authorizations })) {
    if (texts.some((text) => text.trim() === '')) throw new TypeError(`"${name}" is empty`);
  }
  const numbers = {
    maxBytes: options.maxBytes ?? MAX_BYTES,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    remembers: options.remembers ?? REMEMBERS,
    maxAtOnce: options.maxAtOnce ?? MAX_AT_ONCE,
  };
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new RangeError(`"${name}" expected a whole number of at least 1`);
    }
  }
  return { onEvent, tokens, authorizations, accepts: accepts ?? (() => true), ...numbers };
}
