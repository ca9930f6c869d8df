// Owns what a message costs its connection: what is charged where a check refuses it before anything is proven.
// SPEC.md section 11 (#net-cost).

import type { SigningForm } from '../envelope/types.ts';
import { costUnits } from '../transport.ts';
import type { Passage } from './passage.ts';
import type { Refusal } from './run-stages.ts';

/** Before these nothing shows that it is a message at all. */
const JUNK_STAGES: ReadonlySet<string> = new Set(['decode', 'shape']);

/** Nothing of it was proven. What is wrong at this end is not charged. */
export function chargeRefusal(
  { isProven, peer: { account }, bytes }: Passage,
  { stage, error: { code, row } }: Refusal,
): void {
  if (account === undefined || isProven) return;
  if (row.wire === 'INTERNAL') return;
  // Who is known and only too fast is held back by admission.
  if (code === 'LIMIT_RATE' && account.isProven) return;
  account.charge(JUNK_STAGES.has(stage) ? 'junk' : 'refusal');
  // What is not admitted is not read.
  const more = stage === 'admit' ? 0 : costUnits(bytes.length) - 1;
  if (more > 0) account.charge('bytes', more);
}

/** None of these forms made the signature hold. */
export function chargeSignature(
  { peer: { account }, bytes }: Passage,
  forms: readonly (SigningForm | 'text')[],
): void {
  account?.charge('signature', costUnits(bytes.length) * forms.length);
}
