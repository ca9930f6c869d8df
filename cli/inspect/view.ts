// Owns how a judgement is shown: the checks, the message, and why a signature does not hold.

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import type { CheckReport } from '../../src/internal.ts';
import type { Judgement } from './judge.ts';
import type { SignatureExplanation } from './signature.ts';
import { FORM_WORDS, describeForm, explainSignature, heldForm } from './signature.ts';
import { prettyJson } from '../kit/pretty-json.ts';
import type { Terminal } from '../kit/terminal.ts';

/** The words of `reportStages` for what comes after a failure. */
const NOT_REACHED = 'not reached';

const MAX_SHOWN = 20;

/** Why the signature fails; `undefined` where it does not, or where no key is known to fail it. */
export async function explanationOf({
  report,
  passage,
}: Judgement): Promise<SignatureExplanation | undefined> {
  const failed = report.checks.find(({ status }) => status === 'fail');
  if (failed?.stage !== 'verify' || !passage.hasSender) return undefined;
  const { kid } = passage.envelope.sec!;
  const isKnown = passage.sender.peer.signingKeys.some((key) => key.kid === kid);
  return isKnown ? explainSignature(passage) : undefined;
}

/** Who signed, once that is proven. */
export function signerOf({ passage }: Judgement): string | null {
  return passage.isProven ? passage.envelope.from.agent_id : null;
}

/** The payload, once nothing up to `decrypt` has failed. */
function payloadOf({ report, passage }: Judgement): JsonValue {
  const opening = report.checks.find(({ stage }) => stage === 'decrypt')!;
  const isReached = opening.status !== 'fail' && opening.reason !== NOT_REACHED;
  return isReached ? passage.payload : null;
}

export function judgementDocument(
  judgement: Judgement,
  explanation: SignatureExplanation | undefined,
): JsonObject {
  const { report, passage } = judgement;
  const sec = passage.hasEnvelope ? passage.envelope.sec : undefined;
  return {
    ok: report.ok,
    mode: passage.hasEnvelope ? (sec?.mode ?? 'none') : null,
    signer: signerOf(judgement),
    kid: sec?.kid ?? null,
    canon: heldForm(passage) ?? null,
    checks: report.checks.map(({ stage, status, reason }) => ({
      stage,
      status,
      reason: reason ?? null,
    })),
    payload: payloadOf(judgement),
    ...(explanation && { explanation: explanationDocument(explanation) }),
  };
}

export function explanationDocument({ forms, places, meaning }: SignatureExplanation): JsonObject {
  return {
    forms: forms.map(({ form, refusal, length, sha256, differsAt, heldBy }) => ({
      form,
      ...(refusal !== undefined && { refusal }),
      ...(length !== undefined && { length }),
      ...(sha256 !== undefined && { sha256 }),
      ...(differsAt !== undefined && { differs_at: differsAt }),
      ...(heldBy !== undefined && { held_by: heldBy }),
    })),
    places: places.map((place) => ({ ...place })),
    meaning: [...meaning],
  };
}

export function showJudgement(judgement: Judgement, terminal: Terminal): void {
  const { report, passage } = judgement;
  terminal.table(report.checks.map((check) => rowOf(check, terminal)));
  if (passage.hasEnvelope) {
    const { id, type, ct, from, to, sec } = passage.envelope;
    terminal.print();
    terminal.table([
      ['message', `${type} ${ct} ${id}`],
      ['from', `${from.agent_id}${passage.isProven ? '' : ' (not proven)'}`],
      ['to', to.agent_id],
      ['mode', sec?.mode ?? 'none'],
      ...(sec?.kid === undefined ? [] : [['key', sec.kid]]),
      ...(passage.isProven ? [['signed over', describeForm(passage)]] : []),
    ]);
    const payload = payloadOf(judgement);
    if (payload !== null) {
      terminal.print();
      terminal.printText(prettyJson(payload));
    }
  }
}

function rowOf({ stage, status, reason = '' }: CheckReport, terminal: Terminal): string[] {
  if (status === 'pass') return [terminal.style('green', 'passed'), stage, reason];
  if (status === 'fail') return [terminal.style('red', 'failed'), stage, reason];
  if (reason === NOT_REACHED) return [terminal.style('dim', 'not reached'), stage];
  return [terminal.style('dim', 'not judged'), stage, reason];
}

/** The bytes that each form gives, where the forms part, and what follows. */
export function showExplanation(
  { forms, places, meaning }: SignatureExplanation,
  terminal: Terminal,
): void {
  terminal.print();
  terminal.table([
    ['FORM', 'BYTES', 'SHA-256', 'DIFFERS FROM THE TEXT', 'SIGNATURE'],
    ...forms.map(({ form, refusal, length, sha256, differsAt, heldBy }) => [
      FORM_WORDS[form],
      length === undefined ? '-' : String(length),
      sha256 ?? '-',
      differsAt === undefined ? '-' : `from byte ${differsAt} on`,
      refusal ?? (heldBy === undefined ? 'does not hold' : `holds under ${JSON.stringify(heldBy)}`),
    ]),
  ]);
  if (places.length > 0) terminal.print();
  for (const { left, right, reason } of places.slice(0, MAX_SHOWN)) {
    terminal.print(`${left} and ${right}: ${reason}`);
  }
  if (places.length > MAX_SHOWN) terminal.print(`and ${places.length - MAX_SHOWN} more places`);
  terminal.print();
  for (const sentence of meaning) terminal.print(sentence);
}
