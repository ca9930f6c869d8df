// Owns how a message is sealed: a request to an agent, or an answer to one. SPEC.md section 22 (#sealed-message,
// #sealed-detached).

import type { JsonValue } from '../../../src/codec/index.ts';
import type { KnownPeer } from '../../../src/message/index.ts';
import { sayMessage } from './answer.ts';
import type { Sealed } from './carry.ts';
import { detached, sealedMessage } from './carry.ts';
import { messageDigest, messageValue } from './digest.ts';
import { toSealedError } from './error.ts';
import type { Strength } from './exchange.ts';
import type { RequestHandle } from './handle.ts';
import { exchangeOf } from './handle.ts';
import type { SealedOptions } from './session.ts';
import { agentIdOf, sessionFor } from './session.ts';
import type { Bag, NeutralMessage } from './shapes/neutral.ts';
import { familyOf, placesOf, readMessage } from './shapes/read.ts';

export interface SealMessageOptions extends SealedOptions {
  /**
   * Whom it is for: an entry, a key bundle, an identity, a {@link SealedPeer}, or the id of one of `peers`. An answer goes
   * to who asked, whatever stands here.
   */
  readonly to?: KnownPeer | string | undefined;
  /** `detached` leaves it readable for everybody, and signs it. @default 'enc+sig'; of an answer as the request was */
  readonly mode?: Strength | undefined;
  /** The request that it answers, as {@link openTask} gave it. @default it is a request */
  readonly request?: RequestHandle | undefined;
  /** Of an answer: nothing else follows it. @default true */
  readonly isLast?: boolean | undefined;
  /** How long a request is taken for new; at most an hour. @default 600000 */
  readonly lifetimeMs?: number | undefined;
}

const DEFAULT_LIFETIME_MS = 600_000;

/** The message to give to a client or server of A2A, in the shape that it had. */
export async function sealMessage<T extends object>(
  message: T,
  options: SealMessageOptions,
): Promise<T> {
  const given = message as Bag;
  const neutral = readMessage(given);
  if (neutral === undefined) throw new TypeError('"message" expected a message of A2A');
  try {
    const sealed =
      options.request === undefined
        ? await sealRequest(given, neutral, options)
        : await sayMessage(given, neutral, exchangeOf(options.request), options);
    return sealed as T;
  } catch (thrown) {
    throw toSealedError(thrown, '');
  }
}

async function sealRequest(
  given: Bag,
  message: NeutralMessage,
  options: SealMessageOptions,
): Promise<Bag> {
  const { to, mode = 'enc+sig', lifetimeMs = DEFAULT_LIFETIME_MS } = options;
  if (message.role !== 'user') {
    throw new TypeError('"request" is missing: what an agent says answers something');
  }
  if (to === undefined) throw new TypeError('"to" is missing: whom is it for?');
  const session = await sessionFor(options, typeof to === 'string' ? undefined : to);
  const agentId = typeof to === 'string' ? to : agentIdOf(to);
  const seal = (ct: string, payload: JsonValue, envelopeMode: 'sig' | 'enc+sig'): Promise<Sealed> =>
    session.kit.sealRequest(
      { agentId, content: { ct, payload }, mode: envelopeMode, lifetimeMs },
      session.peers,
    );
  if (mode === 'detached') {
    return detached(
      given,
      await seal('a2a.digest.v1', messageDigest(message, session.kit.crypto.sha256), 'sig'),
    );
  }
  return sealedMessage(await seal('a2a.message.v1', messageValue(message), mode), {
    role: 'user',
    places: placesOf(given),
    mode,
    family: familyOf(given),
  });
}
