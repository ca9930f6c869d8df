// Owns what others may hold of a log: heads, proofs, receipts, and replies that carry one. SPEC.md section 10 (#audit).

import type { Envelope, JsonObject, JsonValue } from '../src/index.ts';
import { SchemaRegistry, checkShape, decodeMessage, isJsonObject } from '../src/index.ts';
import type { CommandContext, CommandOption } from './command.ts';
import { failure } from './exit.ts';
import { readFileBytes } from './input.ts';
import type { GivenMessage } from './inspect-options.ts';
import { toMessage } from './inspect-options.ts';

/** Nothing of it is checked yet. */
export interface AuditEvidence {
  readonly kind: 'proof' | 'receipt' | 'head';
  readonly document: JsonObject;
  /** The agent that it claims to be of. */
  readonly node: string;
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

export async function readWitnesses({ options }: CommandContext): Promise<AuditEvidence[]> {
  const found: AuditEvidence[] = [];
  for (const path of options.texts('witness')) {
    found.push(readEvidence(toMessage(await readFileBytes(path))));
  }
  return found;
}

/** Tells what a document is by its members. Throws for what is nothing of the kind. */
export function readEvidence({ bytes, encoding }: GivenMessage): AuditEvidence {
  const document = decodeMessage(bytes, encoding, LIMITS);
  const has = (name: string): boolean => isJsonObject(document) && Object.hasOwn(document, name);
  if (isJsonObject(document)) {
    if (has('entries')) return evidence('proof', document, objectIn(document, 'head'));
    if (has('verdict')) return evidence('receipt', document, document);
    if (has('root')) return evidence('head', document, document);
    const receipt = objectIn(objectIn(document, 'trace'), 'audit');
    if (receipt !== undefined) {
      const { contentTypes } = new SchemaRegistry();
      const reply = checkShape(document, { contentTypes, laxDates: () => true });
      return { ...evidence('receipt', receipt, receipt), reply };
    }
    if (has('payload')) {
      throw failure('this message carries no receipt in trace.audit', { code: 'NO_RECEIPT' });
    }
  }
  throw failure('this is neither a proof, nor a receipt, a head or a reply', {
    next: 'a proof is made by "a2a-sdl audit prove ID", a receipt comes with a reply',
  });
}

function evidence(
  kind: AuditEvidence['kind'],
  document: JsonObject,
  signed: JsonObject | undefined,
): AuditEvidence {
  const node = signed?.['node'];
  if (typeof node === 'string') return { kind, document, node };
  throw failure(`this ${kind} does not say of whose log it is`, { code: 'ENVELOPE_INVALID' });
}

function objectIn(value: JsonObject | undefined, name: string): JsonObject | undefined {
  const member: JsonValue | undefined = value?.[name];
  return isJsonObject(member) ? member : undefined;
}
