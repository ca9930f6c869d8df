// Owns the check of `doctor` that looks at what the callers of the daemon share: what is full, and what was refused.
// SPEC.md section 13 (#budget).

import type { BudgetUse } from '../home/hold.ts';
import type { Finding } from './finding.ts';

const NEARLY = 0.9;

export function judgeBudget(uses: readonly BudgetUse[]): Omit<Finding, 'check'> {
  const full = uses.filter(({ used, bound }) => bound !== null && used >= bound * NEARLY);
  const refused = uses.filter(({ refused: { operator, known } }) => operator + known > 0);
  const strangers = uses.filter(({ refused: { stranger } }) => stranger > 0);
  if (full.length === 0 && refused.length === 0) {
    const most = [...uses].sort((one, other) => shareOf(other) - shareOf(one)).slice(0, 3);
    const told = most.map(
      ({ resource, used, bound }) => `${resource} ${used} of ${bound ?? 'any'}`,
    );
    const turned =
      strangers.length === 0
        ? ''
        : `; strangers were refused: ${strangers.map(wordsOf).join(', ')}`;
    return { status: 'ok', detail: `most used: ${told.join(', ')}${turned}` };
  }
  const words = [
    ...full.map(({ resource, used, bound }) => `${resource} is nearly full: ${used} of ${bound}`),
    ...refused.map((use) => `refused since the start: ${wordsOf(use)}`),
  ];
  return {
    status: 'warn',
    detail: words.join('; '),
    next: 'see who uses it in the log and at /metrics (a2a_sdl_budget_…); raise its bound, or remove who uses it up',
  };
}

function wordsOf({ resource, refused }: BudgetUse): string {
  const counts = Object.entries(refused).filter(([, count]) => count > 0);
  return `${resource} (${counts.map(([share, count]) => `${share} ${count}`).join(', ')})`;
}

function shareOf({ used, bound }: BudgetUse): number {
  return bound === null ? 0 : used / bound;
}
