// Owns what an agent says to a request: messages, updates of artifacts, and where its work came to rest. Everything is
// numbered, and no weaker than the request. SPEC.md section 22 (#sealed-numbers, #sealed-artifacts, #sealed-end).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import { encodeBase64url } from '../../../src/security/index.ts';
import { SdlError } from '../../../src/transport.ts';
import type { Sealed } from './carry.ts';
import { detached, sealedArtifact, sealedMessage } from './carry.ts';
import {
  ARTIFACT_COVERS,
  chainNext,
  chainStart,
  coveredArtifact,
  digestOfArtifact,
  digestOfMessage,
  digestPayload,
  messageDigest,
  messageValue,
} from './digest.ts';
import { toSealedError } from './error.ts';
import type { Exchange, SaidArtifact, Strength, Turn } from './exchange.ts';
import type { RequestHandle } from './handle.ts';
import { exchangeOf } from './handle.ts';
import type { SealMessageOptions } from './seal.ts';
import type { SealedOptions, Session } from './session.ts';
import { sessionFor } from './session.ts';
import type { Bag, NeutralArtifact, NeutralMessage } from './shapes/neutral.ts';
import { bagOf } from './shapes/neutral.ts';
import { familyOf, placesOf, readArtifact, readMessage } from './shapes/read.ts';
import type { TaskStateName } from './shapes/state.ts';
import { isResting, readState } from './shapes/state.ts';
import { writeMessage, writeStatus } from './shapes/write.ts';

export interface SealAnswerOptions extends SealedOptions {
  /** What is answered, as {@link openTask} gave it. */
  readonly request: RequestHandle;
  /** @default as the request was */
  readonly mode?: Strength | undefined;
}

export interface SealArtifactOptions extends SealAnswerOptions {
  /** It continues the artifact of this id. @default false: it begins, or begins anew */
  readonly append?: boolean | undefined;
  /** Nothing continues it. @default false */
  readonly lastChunk?: boolean | undefined;
}

const STRENGTHS: readonly Strength[] = ['detached', 'sig', 'enc+sig'];

/** One update of an artifact, in the shape that it had. */
export async function sealArtifact<T extends object>(
  artifact: T,
  options: SealArtifactOptions,
): Promise<T> {
  const given = artifact as Bag;
  const neutral = readArtifact(given);
  if (neutral === undefined) throw new TypeError('"artifact" expected an artifact of A2A');
  try {
    const speaker = await speakerFor(exchangeOf(options.request), options);
    return (await sayArtifact(given, neutral, speaker, options)) as T;
  } catch (thrown) {
    throw toSealedError(thrown, '');
  }
}

/**
 * A status whose message is sealed. Where the task has ended or waits for who asked, it is the last answer: the agent's
 * word on the state and on everything that it said. Else it is one event; without a message nothing is sealed.
 */
export async function sealStatus<T extends object>(
  status: T,
  options: SealAnswerOptions,
): Promise<T> {
  const given = status as Bag;
  const state = readState(given['state']);
  const message = bagOf(given['message']);
  const neutral = message && readMessage(message);
  if (state === 'unknown' || (message !== undefined && neutral === undefined)) {
    throw new TypeError('"status" expected a status of A2A');
  }
  try {
    const exchange = exchangeOf(options.request);
    const speaker = await speakerFor(exchange, options);
    if (isResting(state)) return (await sayEnd(given, state, neutral, speaker)) as T;
    if (message === undefined || neutral === undefined) return status;
    const said = await sayMessage(message, neutral, exchange, { ...options, isLast: false });
    return { ...status, message: said };
  } catch (thrown) {
    throw toSealedError(thrown, '');
  }
}

/** A message that answers: all of the answer, or one of its events. */
export async function sayMessage(
  given: Bag,
  message: NeutralMessage,
  exchange: Exchange,
  options: Omit<SealMessageOptions, 'request'>,
): Promise<Bag> {
  const speaker = await speakerFor(exchange, options);
  const { session, isDetached } = speaker;
  const said: NeutralMessage = { ...message, role: 'agent' };
  const [ct, payload] = isDetached
    ? ['a2a.digest.v1', messageDigest(said, session.kit.crypto.sha256)]
    : ['a2a.message.v1', messageValue(said)];
  const { sealed } =
    options.isLast === false
      ? await sayEvent(speaker, () => ({ ct, payload }))
      : await exchange.end(async ({ n }) => ({
          sealed: await seal(speaker, { ct, payload, type: 'res', n }),
        }));
  return isDetached ? detached(given, sealed) : carried(given, sealed, speaker);
}

interface Speaker {
  readonly exchange: Exchange;
  readonly session: Session;
  readonly isDetached: boolean;
  /** Of the envelopes. */
  readonly mode: 'sig' | 'enc+sig';
}

async function speakerFor(
  exchange: Exchange,
  {
    mode: strength = exchange.strength,
    ...options
  }: SealedOptions & { mode?: Strength | undefined },
): Promise<Speaker> {
  if (STRENGTHS.indexOf(strength) < STRENGTHS.indexOf(exchange.strength)) {
    throw new SdlError(
      'MODE_REFUSED',
      `the request was ${exchange.strength}, and so is its answer`,
    );
  }
  const session = await sessionFor(options);
  const mode = strength === 'enc+sig' ? strength : 'sig';
  return { exchange, session, isDetached: strength === 'detached', mode };
}

function seal(
  { session, exchange, mode }: Speaker,
  answer: { ct: string; payload: JsonValue; type: 'evt' | 'res'; n: number },
): Promise<Sealed> {
  return session.kit.sealAnswer({ ...exchange.facts, mode }, answer, session.peers);
}

interface Event {
  readonly ct: string;
  readonly payload: JsonObject;
  readonly artifact?: (payloadDigest: Uint8Array, n: number) => readonly [string, SaidArtifact];
}

function sayEvent(
  speaker: Speaker,
  make: (turn: Turn) => Event,
): Promise<{ readonly sealed: Sealed; readonly payloadDigest: Uint8Array }> {
  const { exchange, session } = speaker;
  return exchange.event(async (turn) => {
    const { ct, payload, artifact } = make(turn);
    const sealed = await seal(speaker, { ct, payload, type: 'evt', n: turn.n });
    const payloadDigest = session.kit.digest(payload);
    return {
      sealed,
      payloadDigest,
      ...(artifact && { artifact: artifact(payloadDigest, turn.n) }),
    };
  }, session.kit.crypto.sha256);
}

async function sayArtifact(
  given: Bag,
  artifact: NeutralArtifact,
  speaker: Speaker,
  { append = false, lastChunk = false }: SealArtifactOptions,
): Promise<Bag> {
  const { sha256 } = speaker.session.kit.crypto;
  const { artifactId } = artifact;
  const last = lastChunk ? { last: true } : {};
  const { sealed } = await sayEvent(speaker, ({ artifacts }) => {
    const before = append ? artifacts.get(artifactId) : undefined;
    const index = before === undefined ? 0 : before.index + 1;
    if (speaker.isDetached) {
      if (append && before === undefined) {
        throw new SdlError(
          'PAYLOAD_INVALID',
          'what is in clear cannot continue an earlier exchange',
        );
      }
      // What a server keeps beside an artifact is only what came last, so that covers all of it.
      const parts = [...(before?.parts ?? []), ...coveredArtifact(artifact).parts];
      const digest = digestOfArtifact({ artifactId, parts }, sha256);
      return {
        ct: 'a2a.digest.v1',
        payload: digestPayload(digest, ARTIFACT_COVERS, last),
        artifact: (payloadDigest, n) => [
          artifactId,
          { n, index, parts, chain: chainNext(chainStart(), payloadDigest, sha256) },
        ],
      };
    }
    const update = { ...artifact, index, ...(append && { append: true }), ...last };
    return {
      ct: 'a2a.artifact.v1',
      payload: update as unknown as JsonObject,
      artifact: (payloadDigest, n) => {
        const chain = chainNext(before?.chain ?? chainStart(), payloadDigest, sha256);
        return [artifactId, { n, index, parts: [], chain }];
      },
    };
  });
  if (speaker.isDetached) return detached(given, sealed);
  return sealedArtifact(sealed, artifactId, speaker.mode, familyOf(given));
}

async function sayEnd(
  given: Bag,
  state: TaskStateName,
  message: NeutralMessage | undefined,
  speaker: Speaker,
): Promise<Bag> {
  const { exchange, session, isDetached } = speaker;
  const family = familyOf(given);
  // In clear there has to be a message for the envelope to stand beside.
  const said = message ?? (isDetached ? wordOf(state, session.kit.newId()) : undefined);
  const sealed = await exchange.end(({ n, messages, digest, artifacts }) => {
    const payload: JsonObject = {
      state,
      events: n,
      messages,
      digest,
      artifacts: [...artifacts].map(([artifactId, { n: last, chain }]) => ({
        artifactId,
        n: last,
        digest: encodeBase64url(chain),
      })),
      ...(said && !isDetached && { message: messageValue({ ...said, role: 'agent' }) }),
      ...(said &&
        isDetached && {
          messageDigest: digestOfMessage({ ...said, role: 'agent' }, session.kit.crypto.sha256),
        }),
    };
    return seal(speaker, { ct: 'a2a.status.v1', payload, type: 'res', n });
  });
  const inClear = bagOf(given['message']) ?? {};
  if (!isDetached) {
    return writeStatus(given, state, carried(inClear, sealed, speaker, family), family);
  }
  const words = message === undefined ? writeMessage(said!, exchange.places, family) : inClear;
  return writeStatus(given, state, detached(words, sealed), family);
}

function carried(given: Bag, sealed: Sealed, speaker: Speaker, family = familyOf(given)): Bag {
  const { exchange, mode } = speaker;
  const places = { ...exchange.places, ...placesOf(given) };
  return sealedMessage(sealed, { role: 'agent', places, mode, family });
}

function wordOf(state: TaskStateName, messageId: string): NeutralMessage {
  return { messageId, role: 'agent', parts: [{ text: state }] };
}
