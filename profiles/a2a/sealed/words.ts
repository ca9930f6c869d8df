// Owns which words an envelope speaks of: those inside it, or those in clear that it covers. SPEC.md section 22
// (#sealed-message, #sealed-detached).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import { SdlError } from '../../../src/transport.ts';
import type { Sha256 } from './digest.ts';
import { MESSAGE_COVERS, coveredMessage, digestIn, digestOfMessage } from './digest.ts';
import { SealedError } from './error.ts';
import type { Bag, NeutralMessage, Role } from './shapes/neutral.ts';
import { bagOf } from './shapes/neutral.ts';
import { readMessage } from './shapes/read.ts';

/** An envelope that was opened. */
interface OpenedContent {
  readonly ct: string;
  readonly payload: JsonValue;
}

/** `undefined` for a rest without any. Throws PAYLOAD_INVALID for what holds none. */
export function wordsIn({ ct, payload }: OpenedContent, role: Role): NeutralMessage | undefined {
  const isEnd = ct === 'a2a.status.v1';
  const held = isEnd ? (payload as JsonObject)['message'] : payload;
  if (isEnd && held === undefined) return undefined;
  const message = isEnd || ct === 'a2a.message.v1' ? readMessage(bagOf(held) ?? {}) : undefined;
  if (message?.role === role) return message;
  throw new SdlError('PAYLOAD_INVALID', `it is no message of the ${role}`);
}

/** Only what is covered of them. Throws CONTENT_CHANGED where they are not what was signed. */
export function wordsBeside(content: OpenedContent, given: Bag, sha256: Sha256): NeutralMessage {
  const isEnd = content.ct === 'a2a.status.v1';
  const signed = isEnd
    ? (content.payload as JsonObject)['messageDigest']
    : digestIn(content, MESSAGE_COVERS);
  if (signed === undefined) throw new SdlError('PAYLOAD_INVALID', 'it covers no message');
  const clear = readMessage(given);
  if (clear === undefined || digestOf(clear, sha256) !== signed) {
    throw new SealedError('CONTENT_CHANGED', 'the message is not what was signed');
  }
  return coveredMessage(clear);
}

/** What cannot be covered was not signed. */
function digestOf(clear: NeutralMessage, sha256: Sha256): string | undefined {
  try {
    return digestOfMessage(clear, sha256);
  } catch (thrown) {
    if (thrown instanceof SdlError) return undefined;
    throw thrown;
  }
}
