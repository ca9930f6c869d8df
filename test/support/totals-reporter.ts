// Closes every run with one plain line of totals, and names what was skipped.

import type { Reporter, TestCase, TestModule } from 'vitest/node';

class TotalsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const skipped: TestCase[] = [];
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state] += 1;
        if (state === 'skipped') skipped.push(test);
      }
    }
    for (const test of skipped) console.log(`skipped: ${test.fullName}`);
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}

// oxlint-disable-next-line import/no-default-export -- vitest loads a reporter by its default export
export default TotalsReporter;
