// Owns frames of our own: each with a fresh msg_id and the time. SPEC.md section 19 (#swp-msg-id).

import { randomFillSync } from 'node:crypto';
import { VERSION, writeFrame } from '../wire/envelope.ts';
import type { SwpMessage } from '../wire/message.ts';
import { A2A_PROFILE } from '../wire/rules.ts';
import { typeNumber, writePayload } from '../wire/write-payload.ts';

const MSG_ID_BYTES = 16;
/** Chance is asked for many at once, which costs little more than one. */
const POOL_BYTES = 256 * MSG_ID_BYTES;

const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

export function messageFrame(message: SwpMessage, nowMs: number): Uint8Array {
  return writeFrame({
    version: VERSION,
    profileId: A2A_PROFILE,
    msgType: BigInt(typeNumber(message)),
    flags: 0n,
    tsUnixMs: BigInt(Math.trunc(nowMs)),
    msgId: newMsgId(),
    extensions: [],
    payload: writePayload(message),
  });
}

/** Good until it was written. */
function newMsgId(): Uint8Array {
  if (used === POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  used += MSG_ID_BYTES;
  return pool.subarray(used - MSG_ID_BYTES, used);
}
