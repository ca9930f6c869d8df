// Owns what others may hold of a log: heads, proofs, receipts, and replies that carry one. SPEC.md section 10 (#evidence).

import type { Evidence } from '../../src/audit/index.ts';
import { readEvidence } from '../../src/audit/index.ts';
import type { JsonValue } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import type { Envelope } from '../../src/envelope/index.ts';
import { checkShape, decodeMessage } from '../../src/envelope/index.ts';
import { SchemaRegistry } from '../../src/schema/index.ts';
import type { CommandContext, CommandOption } from '../kit/command.ts';
import { failure } from '../kit/exit.ts';
import { readFileBytes } from '../kit/input.ts';
import type { GivenMessage } from '../inspect/options.ts';
import { toMessage } from '../inspect/options.ts';

/** Nothing of it is checked yet. */
export interface GivenEvidence {
  readonly evidence: Evidence;
  /** The message that a receipt came in; its shape holds. */
  readonly reply?: Envelope;
}

/** A proof of a thousand entries is longer than a message may be. */
const LIMITS = { maxBytes: 16_777_216, maxStringBytes: 16_777_216 };

export const WITNESS_OPTION: CommandOption = {
  type: 'string',
  multiple: true,
  value: 'FILE',
  description:
    'a head, proof, receipt or reply that was kept elsewhere: the log must agree with it',
};

export async function readWitnesses({ options }: CommandContext): Promise<Evidence[]> {
  const found: Evidence[] = [];
  for (const path of options.texts('witness')) {
    found.push(readGivenEvidence(toMessage(await readFileBytes(path))).evidence);
  }
  return found;
}

/** Tells what a document is by its members. Throws for what is nothing of the kind. */
export function readGivenEvidence(message: GivenMessage): GivenEvidence {
  const document = decodeMessage(message.bytes, message.encoding, LIMITS);
  const evidence = readEvidence(document);
  if (evidence !== undefined) return { evidence };
  const trace = memberOf(document, 'trace');
  const receipt = memberOf(trace, 'audit');
  if (receipt !== undefined) return receiptIn(readEnvelope(document), receipt);
  if (memberOf(document, 'payload') !== undefined) {
    throw failure('this message carries no receipt in trace.audit', { code: 'NO_RECEIPT' });
  }
  throw failure('this is neither a proof, nor a receipt, a head or a reply', {
    next: 'a proof is made by "a2a-sdl audit prove ID", a receipt comes with a reply',
  });
}

/** A message that is compared with what a document says of it. */
export function readEnvelope(document: JsonValue): Envelope {
  const ct = memberOf(document, 'ct');
  // Whether anybody handles it is not the question here.
  const contentTypes = new Set(new SchemaRegistry().contentTypes);
  if (typeof ct === 'string') contentTypes.add(ct);
  return checkShape(document, { contentTypes, laxDates: () => true });
}

/** The bundle that came along speaks for the sender alone. */
function receiptIn(reply: Envelope, receipt: JsonValue): GivenEvidence {
  const evidence = readEvidence({ receipt });
  const bundle = memberOf(reply.cap['a2a_sdl'], 'bundle');
  const isOwn = bundle !== undefined && reply.from.agent_id === evidence!.node;
  return { evidence: isOwn ? { ...evidence!, bundle } : evidence!, reply };
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
