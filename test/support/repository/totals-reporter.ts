// Closes every run with one plain line of totals, and names what was skipped.

import type { Reporter, TestCase, TestModule } from 'vitest/node';

class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const skipped = new Map<string, number>();
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state] += 1;
        if (state === 'skipped') skipped.set(suiteOf(test), (skipped.get(suiteOf(test)) ?? 0) + 1);
      }
    }
    for (const [suite, count] of skipped) console.log(`skipped: ${count} in "${suite}"`);
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}

/** The outermost describe: what is skipped is skipped by suite. */
function suiteOf(test: TestCase): string {
  return test.fullName.split(' > ', 1)[0]!;
}

// oxlint-disable-next-line import/no-default-export -- vitest loads a reporter by its default export
export default TotalsReporter;
