// Owns how envelopes are found in A2A: by what is in the body, never by a header, and also where the path has stripped or
// wrapped what stood around them. SPEC.md section 22 (#sealed-recognised).

import { SdlError } from '../../../src/transport.ts';
import { SEALED_EXTENSION } from './extension.ts';
import type { Bag } from './shapes/neutral.ts';
import { bagOf } from './shapes/neutral.ts';

/** The member of a data part that holds an envelope. */
export const ENVELOPE_MEMBER = 'a2aSdl';

/** What a wire may have put around the data of a part. */
const WRAPPERS = ['data', 'value'];

/** The envelope in a part of any shape. */
export function envelopeInPart(given: unknown): Bag | undefined {
  const part = bagOf(given);
  const said = bagOf(part?.['content']);
  const data = bagOf(said === undefined ? part?.['data'] : said['value']);
  return whole(envelopeIn(data, WRAPPERS.length));
}

function envelopeIn(data: Bag | undefined, wrappersLeft: number): Bag | undefined {
  if (data === undefined) return undefined;
  const found = Object.hasOwn(data, ENVELOPE_MEMBER) ? bagOf(data[ENVELOPE_MEMBER]) : undefined;
  if (found !== undefined || wrappersLeft === 0) return found;
  const wrapped = WRAPPERS.map((name) => bagOf(data[name])).find((inner) => inner !== undefined);
  return envelopeIn(wrapped, wrappersLeft - 1);
}

/** The envelope that stands beside a message or an artifact in clear. */
export function envelopeBeside(given: Bag): Bag | undefined {
  return whole(bagOf(bagOf(bagOf(given['metadata'])?.[SEALED_EXTENSION])?.['envelope']));
}

/** A payload that is encrypted is null in clear, which not every wire can say: it travels without. */
function whole(envelope: Bag | undefined): Bag | undefined {
  if (envelope === undefined || Object.hasOwn(envelope, 'payload')) return envelope;
  return { ...envelope, payload: null };
}

/** As JSON, for the checks. Nothing of it has been looked at. */
export function envelopeBytes(envelope: Bag): Uint8Array {
  try {
    return new TextEncoder().encode(JSON.stringify(envelope));
  } catch (cause) {
    throw new SdlError('LIMIT_DEPTH', 'the envelope cannot be written', { cause });
  }
}
