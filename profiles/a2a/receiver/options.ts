// Owns what may be said about receiving the notifications of other agents, and its defaults. SPEC.md section 20
// (#a2a-hook-receiver).

import type { SpokenVersion } from '../client/discovery/choose.ts';
import type { A2aEvent } from '../client/model.ts';
import type { VerifyDeliveryOptions } from '../push/verify-delivery.ts';

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
  /** Who has signed it. @default nobody, or it was not asked for */
  readonly agentId?: string;
  /** The signature of that agent: its word that it told just this, here and then. To be kept. */
  readonly receipt?: string;
  /** The same came before from a sender that numbers nothing: a piece of output may be told twice, or said twice. */
  readonly mayBeRepeat: boolean;
}

/** Whose signature counts. Beside this it has what proves it. */
export interface SignedHooks extends VerifyDeliveryOptions {
  /** What is not signed is refused. Where it need not be, one that does not hold is refused all the same. @default true */
  readonly required?: boolean | undefined;
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
  /** The agent has to sign what it tells (`serve --sign-hooks`), beside all of the other. @default it need not */
  readonly signed?: SignedHooks;
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
  readonly signed: SignedHooks | undefined;
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
  const { onEvent, token = [], authorization = [], accepts, signed } = options;
  const tokens = typeof token === 'string' ? [token] : [...token];
  const authorizations = typeof authorization === 'string' ? [authorization] : [...authorization];
  if (typeof onEvent !== 'function') throw new TypeError('"onEvent" expected a function');
  const isAsked = tokens.length + authorizations.length > 0 || accepts !== undefined;
  if (!isAsked && (signed === undefined || signed.required === false)) {
    throw new TypeError(
      '"token", "authorization", "accepts" or "signed" is missing: anybody could tell of any task',
    );
  }
  if (signed !== undefined && !URL.canParse(signed.url)) {
    throw new TypeError(
      '"signed.url" expected the address of the hook, as it was given to the agent',
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
  return { onEvent, tokens, authorizations, accepts: accepts ?? (() => true), signed, ...numbers };
}
