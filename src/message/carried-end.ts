// Owns how the end of a carried request is kept for its repeats: what it was completed with, or that it was refused for
// good. SPEC.md section 7 (#replay-retry).

import { decodeUtf8, encodeUtf8 } from '../codec/utf8.ts';
import type { ErrorCode } from '../errors.ts';
import { ERRORS, SdlError } from '../errors.ts';
import type { ReplayVerdict } from '../security/replay/replay.ts';

/** The first byte; what it was completed with follows, or the code. */
const COMPLETED = 0;
const REFUSED = 1;

/** The verdict as its face sees it. */
export function carriedUse(verdict: ReplayVerdict): ReplayVerdict {
  if (verdict.kind === 'new') {
    return { ...verdict, complete: (reply) => verdict.complete(endOf(COMPLETED, reply)) };
  }
  return { kind: 'retry', reply: verdict.reply.then(replyIn) };
}

export function refusedEnd({ code }: SdlError): Uint8Array {
  return endOf(REFUSED, encodeUtf8(code));
}

/** `undefined` where it was not refused. */
export function refusalIn(end: Uint8Array): SdlError | undefined {
  if (end[0] !== REFUSED) return undefined;
  const code = decodeUtf8(end.subarray(1));
  const isKnown = Object.hasOwn(ERRORS, code);
  return new SdlError(isKnown ? (code as ErrorCode) : 'INTERNAL', 'it was refused before');
}

function replyIn(end: Uint8Array): Uint8Array {
  const refusal = refusalIn(end);
  if (refusal !== undefined) throw refusal;
  return end.slice(1);
}

function endOf(kind: number, content: Uint8Array): Uint8Array {
  const end = new Uint8Array(1 + content.length);
  end[0] = kind;
  end.set(content, 1);
  return end;
}
