// Owns reading a whole stream of octets frame by frame, and writing one frame: for programs that look at a recording, and
// for tests. SPEC.md section 19 (#swp-order, #swp-form).

import { judgeEnvelope, readEnvelope, writeFrame } from './envelope.ts';
import type { Envelope } from './envelope.ts';
import type { SwpFrameForm, SwpFrameInput } from './form.ts';
import { envelopeForm, messageForm } from './form.ts';
import { SwpFrameReader } from './frame-reader.ts';
import { envelopeIn } from './read-form.ts';
import { readPayload } from './read-payload.ts';
import { SwpRefusal } from './refusal.ts';
import type { EnvelopeRules, Freshness, SwpLimits } from './rules.ts';
import { A2A_PROFILE, DEFAULT_SKEW_MS, KNOWN_PROFILES, resolveLimits } from './rules.ts';

export interface DecodeOptions extends SwpLimits {
  /** A frame without a time is refused, and freshness is judged. @default false */
  readonly requireTs?: boolean;
  /** A time further from now is refused. @default it is not judged; with `requireTs` 300000 */
  readonly skewMs?: number | bigint;
  /** Milliseconds since the epoch. @default the clock */
  readonly nowMs?: number | bigint;
  /** Numbers of the profiles that are known. @default 1, 2, 10 to 19 */
  readonly profiles?: Iterable<number | bigint>;
}

/** What becomes of each frame, up to one whose refusal would close the connection. Never throws for octets. */
export function decodeStream(bytes: Uint8Array, options: DecodeOptions = {}): SwpFrameForm[] {
  const sizes = resolveLimits(options);
  const rules = { ...sizes, ...rulesOf(options) };
  const reader = new SwpFrameReader(sizes.maxFrameBytes);
  const frames: SwpFrameForm[] = [];
  let isOver = false;
  try {
    reader.read(bytes, (body) => {
      const frame = frameOf(body, rules);
      frames.push(frame.form);
      isOver = frame.closes;
      return !isOver;
    });
    if (reader.isInsideFrame && !isOver) {
      throw new SwpRefusal('INVALID_FRAME', 'the stream ends in a frame');
    }
  } catch (thrown) {
    if (!(thrown instanceof SwpRefusal)) throw thrown;
    frames.push(rejected(thrown));
  }
  return frames;
}

/** One frame with its length. The inverse of {@link decodeStream}; of the outcome nothing counts. */
export function encodeFrame(frame: SwpFrameInput): Uint8Array {
  return new Uint8Array(writeFrame(envelopeIn(frame)));
}

function frameOf(
  body: Uint8Array,
  rules: EnvelopeRules & ReturnType<typeof resolveLimits>,
): { readonly form: SwpFrameForm; readonly closes: boolean } {
  let envelope: Envelope | undefined;
  try {
    envelope = readEnvelope(body, rules);
    judgeEnvelope(envelope, rules);
    const message =
      envelope.profileId === A2A_PROFILE
        ? readPayload(envelope.payload, envelope.msgType)
        : undefined;
    const form: SwpFrameForm = {
      outcome: 'accept',
      code: 'OK',
      envelope: envelopeForm(envelope),
      ...(message !== undefined && { message: messageForm(message) }),
    };
    return { form, closes: false };
  } catch (thrown) {
    if (!(thrown instanceof SwpRefusal)) throw thrown;
    return { form: rejected(thrown, envelope ?? thrown.envelope), closes: thrown.closes };
  }
}

function rejected({ code, error, detail }: SwpRefusal, envelope?: Envelope): SwpFrameForm {
  return {
    outcome: 'reject',
    code,
    error,
    ...(detail !== undefined && { detail }),
    ...(envelope !== undefined && { envelope: envelopeForm(envelope) }),
  };
}

function rulesOf({ requireTs = false, skewMs, nowMs, profiles }: DecodeOptions): {
  readonly profiles: ReadonlySet<bigint>;
  readonly freshness: Freshness | undefined;
} {
  const known = new Set([...(profiles ?? KNOWN_PROFILES)].map((profile) => BigInt(profile)));
  // No profile has this number, whoever lists it.
  known.delete(0n);
  if (!requireTs && skewMs === undefined) return { profiles: known, freshness: undefined };
  const now = BigInt(nowMs ?? Date.now());
  const freshness = {
    isTimeRequired: requireTs,
    skewMs: BigInt(skewMs ?? DEFAULT_SKEW_MS),
    nowMs: () => now,
  };
  return { profiles: known, freshness };
}
