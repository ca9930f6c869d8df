// Owns what one connection may bring, judged frame by frame in the order of the wire. It holds nothing for a connection
// that is silent. SPEC.md section 19 (#swp-order, #swp-pace, #swp-freshness).

import { judgeEnvelope, readEnvelope } from '../wire/envelope.ts';
import type { Envelope } from '../wire/envelope.ts';
import type { SwpMessage } from '../wire/message.ts';
import { readPayload } from '../wire/read-payload.ts';
import { SwpRefusal } from '../wire/refusal.ts';
import { A2A_PROFILE } from '../wire/rules.ts';
import type { SwpSettings } from './options.ts';

export interface Incoming {
  readonly message: SwpMessage;
  readonly msgId: Uint8Array;
}

const RATE_WINDOW_MS = 1_000;

export class Inbound {
  readonly #settings: SwpSettings;
  #windowStart = -Infinity;
  #count = 0;
  /** Each msg_id with its moment, oldest first. */
  #seen: Map<string, number> | undefined;

  constructor(settings: SwpSettings) {
    this.#settings = settings;
  }

  /** The message in the body of a frame, and how the frame names itself. Throws a refusal. */
  read(body: Uint8Array): Incoming {
    const { sizes, profiles, framesPerSecond, freshnessMs, now } = this.#settings;
    const moment = performance.now();
    // Every frame counts, also one that is refused for another reason.
    if (framesPerSecond > 0) this.#countFrame(moment);
    const envelope = readEnvelope(body, sizes);
    judgeEnvelope(envelope, { profiles, maxPayloadBytes: sizes.maxPayloadBytes });
    if (freshnessMs > 0) judgeFreshness(envelope, BigInt(now()), BigInt(freshnessMs));
    if (framesPerSecond > 0 && this.#count > framesPerSecond) {
      throw new SwpRefusal(
        'RATE_LIMIT_EXCEEDED',
        `more than ${framesPerSecond} frames in a second`,
      );
    }
    this.#judgeMsgId(envelope.msgId, moment);
    if (envelope.profileId !== A2A_PROFILE) {
      throw new SwpRefusal('UNSUPPORTED_MSG_TYPE', 'nobody here takes messages of this profile');
    }
    const message = readPayload(envelope.payload, envelope.msgType);
    return { message, msgId: envelope.msgId };
  }

  #countFrame(moment: number): void {
    if (moment - this.#windowStart >= RATE_WINDOW_MS) {
      this.#windowStart = moment;
      this.#count = 0;
    }
    this.#count += 1;
  }

  #judgeMsgId(msgId: Uint8Array, moment: number): void {
    const { duplicateWindowMs } = this.#settings;
    if (duplicateWindowMs === 0) return;
    const seen = (this.#seen ??= new Map());
    for (const [old, at] of seen) {
      if (moment - at < duplicateWindowMs) break;
      seen.delete(old);
    }
    const id = Buffer.from(msgId.buffer, msgId.byteOffset, msgId.length).toString('latin1');
    if (seen.has(id)) {
      throw new SwpRefusal('DUPLICATE_MSG_ID', 'this msg_id has come a moment ago');
    }
    seen.set(id, moment);
  }
}

/** Where times are judged a message without one is stale: it would be the way around the rule. */
function judgeFreshness({ tsUnixMs }: Envelope, nowMs: bigint, skewMs: bigint): void {
  const age = nowMs - tsUnixMs;
  if (tsUnixMs !== 0n && (age < 0n ? -age : age) <= skewMs) return;
  throw new SwpRefusal('SECURITY_POLICY', 'the time of the message is too far from now', {
    cause: 'TIME_INVALID',
  });
}
