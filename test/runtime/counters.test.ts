// Counters as Prometheus reads them.

import { describe, expect, test } from 'vitest';

import { SdlError } from '../../src/errors.ts';
import { createCounters } from '../../src/runtime/counters.ts';

const outcome = { transport: 'http', isProven: true, isRetry: false, durationMs: 20 };

describe('#transport-admin counters', () => {
  test('count messages by what became of them', () => {
    const counters = createCounters();
    counters.count({ ...outcome, ct: 'task.v1' });
    counters.count({ ...outcome, ct: 'task.v1' });
    counters.count({ ...outcome, ct: 'task.v1', isRetry: true });
    counters.count({ ...outcome, error: new SdlError('REPLAYED', 'x'), stage: 'replay' });
    const text = counters.text({ in_flight: 3 });
    expect(text).toContain(
      'a2a_sdl_messages_total{transport="http",ct="task.v1",verdict="ok"} 2\n',
    );
    expect(text).toContain('verdict="retry"} 1\n');
    expect(text).toContain('ct="refused",verdict="REPLAYED"} 1\n');
    expect(text).toContain('a2a_sdl_message_seconds_count 4\n');
    expect(text).toContain('# TYPE a2a_sdl_in_flight gauge\na2a_sdl_in_flight 3\n');
  });

  test('a label cannot break out of its quotes', () => {
    const counters = createCounters();
    counters.count({ ...outcome, transport: 'a"b\\c\nd', ct: 'x.v1' });
    expect(counters.text({})).toContain('transport="a_b_c_d"');
  });
});
