// Owns the counters of a runtime and their text for Prometheus. SPEC.md section 11 (#transport-admin).

import type { ReceiptEvent } from '../client/keep-receipt.ts';
import type { Outcome } from '../pipeline/receive.ts';

export interface Counters {
  count(outcome: Outcome): void;
  countReceipt(event: ReceiptEvent): void;
  /** The text format of Prometheus, version 0.0.4. */
  text(gauges: Readonly<Record<string, number>>): string;
}

/** Content types that are not ours are refused, so the labels are few. */
export function createCounters(): Counters {
  const messages = new Map<string, number>();
  const receipts = { kept: 0, refused: 0 };
  let seconds = 0;
  let total = 0;
  return {
    count({ transport, ct = 'none', error, isRetry, durationMs }) {
      const verdict = error?.code ?? (isRetry ? 'retry' : 'ok');
      const labels = `transport="${escape(transport)}",ct="${escape(error ? 'refused' : ct)}",verdict="${verdict}"`;
      messages.set(labels, (messages.get(labels) ?? 0) + 1);
      seconds += durationMs / 1_000;
      total += 1;
    },
    countReceipt({ refusal }) {
      receipts[refusal === undefined ? 'kept' : 'refused'] += 1;
    },
    text(gauges) {
      const lines = [
        '# HELP a2a_sdl_messages_total Messages that came in, by what became of them.',
        '# TYPE a2a_sdl_messages_total counter',
        ...Array.from(messages, ([labels, count]) => `a2a_sdl_messages_total{${labels}} ${count}`),
        '# HELP a2a_sdl_message_seconds Time from the first check to the last reply.',
        '# TYPE a2a_sdl_message_seconds summary',
        `a2a_sdl_message_seconds_sum ${seconds}`,
        `a2a_sdl_message_seconds_count ${total}`,
        '# HELP a2a_sdl_receipts_total Receipts that came with answers of others, by what became of them.',
        '# TYPE a2a_sdl_receipts_total counter',
        ...Object.entries(receipts).map(
          ([verdict, count]) => `a2a_sdl_receipts_total{verdict="${verdict}"} ${count}`,
        ),
        ...Object.entries(gauges).flatMap(([name, value]) => [
          `# TYPE a2a_sdl_${name} gauge`,
          `a2a_sdl_${name} ${value}`,
        ]),
      ];
      return `${lines.join('\n')}\n`;
    },
  };
}

function escape(label: string): string {
  return label.replace(/[\\"\n]/g, '_');
}
