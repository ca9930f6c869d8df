// Owns that no score is above the cap of its offer: Root lowers it, and says that it did. SPEC.md section 17 (#steerqa-root).

import type { JsonObject } from '../../../src/door/index.ts';
import type { SteerqaOffer, SteerqaResult } from '../messages.ts';

/** The result with a score of at most `dimension_cap`; `clamped` and `unclamped_score` tell that it was above. */
export function clamped(
  result: SteerqaResult,
  { dimension_cap: cap }: SteerqaOffer,
): SteerqaResult {
  const { verdict } = result;
  const score = Number(verdict?.['score']);
  if (verdict === undefined || cap === undefined || score <= Number(cap)) return result;
  const lowered: JsonObject = {
    ...verdict,
    score: Number(cap),
    clamped: true,
    unclamped_score: score,
  };
  return { ...result, verdict: lowered };
}
