// Owns that no score is above the cap of its offer: Root lowers it, and says that it did. SPEC.md section 18 (#steerqa-root).

import type { JsonObject } from '../../../src/door/index.ts';
import type { SteerqaResult } from '../messages.ts';

/** The result with a score of at most the cap; `clamped` and `unclamped_score` tell that it was above. */
export function clamped(result: SteerqaResult, cap: number | undefined): SteerqaResult {
  const { verdict } = result;
  const score = Number(verdict?.['score']);
  if (verdict === undefined || cap === undefined || score <= cap) return result;
  const lowered: JsonObject = {
    ...verdict,
    score: cap,
    clamped: true,
    unclamped_score: score,
  };
  return { ...result, verdict: lowered };
}
