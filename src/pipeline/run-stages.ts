// Owns the walk through the checks: all of them in order until one fails, or those that can be judged with what is at
// hand, each with its verdict. SPEC.md section 13 (#checks).

import type { SdlError } from '../errors.ts';
import { toSdlError } from '../errors.ts';
import type { Passage } from './passage.ts';
import type { Stage, StageName } from './stages.ts';
import { STAGES } from './stages.ts';

const AT_SESSION = STAGES.findIndex(({ name }) => name === 'session');
const BEFORE_SESSION = STAGES.slice(0, AT_SESSION);
const FROM_SESSION = STAGES.slice(AT_SESSION);

/** The check that failed, and how. */
export interface Refusal {
  readonly stage: StageName;
  readonly error: SdlError;
}

/** Runs the checks; answers the first that fails. A retry of a known request ends at `contact`: it counts too. */
export async function runStages(passage: Passage): Promise<Refusal | undefined> {
  const refusal = await runEach(passage, BEFORE_SESSION);
  if (refusal !== undefined || passage.replayVerdict?.kind === 'retry') return refusal;
  return runEach(passage, FROM_SESSION);
}

/** Runs these checks, both included: on a retry that gets more than what was kept for it. */
export function runStagesFrom(
  passage: Passage,
  first: StageName,
  last: StageName,
): Promise<Refusal | undefined> {
  const names = STAGES.map(({ name }) => name);
  const stages = STAGES.slice(names.indexOf(first), names.indexOf(last) + 1);
  return runEach(passage, stages);
}

/**
 * What may be sent again later is judged anew then. Any other refusal of a sender that is proven is final: whoever has
 * the bytes gets it again, whatever is allowed by then. True where it is kept.
 * @param kept makes what a retry finds.
 */
export async function settleRefusal(
  { replayVerdict }: Passage,
  { stage, error }: Refusal,
  kept: () => Promise<Uint8Array>,
): Promise<boolean> {
  if (replayVerdict?.kind !== 'new') return false;
  // Otherwise an agent that sends too fast would fill its quota of nonces with what nobody has looked at.
  if (stage === 'contact') await replayVerdict.forget(error);
  else if (error.row.retryable || error.code === 'INTERNAL') await replayVerdict.abandon(error);
  else {
    await replayVerdict.complete(await kept());
    return true;
  }
  return false;
}

async function runEach(passage: Passage, stages: readonly Stage[]): Promise<Refusal | undefined> {
  for (const { name, run } of stages) {
    try {
      const pending = run(passage);
      // Most checks are done at once, and waiting for nothing costs a turn.
      if (pending !== undefined) await pending;
    } catch (thrown) {
      return { stage: name, error: toSdlError(thrown) };
    }
  }
  return undefined;
}

/** One line of what `inspect` shows. */
export interface CheckReport {
  readonly stage: StageName;
  readonly status: 'pass' | 'fail' | 'skip';
  readonly reason?: string;
}

/** Why a check is not judged; a check that is not among them is run. */
export type SkippedStages = Readonly<Partial<Record<StageName, string>>>;

export interface StagesReport {
  /** No check that was judged has failed. */
  readonly ok: boolean;
  readonly checks: readonly CheckReport[];
  readonly error?: SdlError;
}

/** Runs the checks one by one and tells of each; what comes after a failure is not reached. */
export async function reportStages(
  passage: Passage,
  skipped: SkippedStages,
): Promise<StagesReport> {
  const checks: CheckReport[] = [];
  let error: SdlError | undefined;
  for (const { name, run } of STAGES) {
    const why = error === undefined ? skipped[name] : 'not reached';
    if (why !== undefined) {
      checks.push({ stage: name, status: 'skip', reason: why });
      continue;
    }
    try {
      await run(passage);
      checks.push({ stage: name, status: 'pass' });
    } catch (thrown) {
      error = toSdlError(thrown);
      checks.push({ stage: name, status: 'fail', reason: error.message });
    }
  }
  checks.push({ stage: 'route', status: 'skip', reason: 'nothing is handled here' });
  return { ok: error === undefined, checks, ...(error !== undefined && { error }) };
}
