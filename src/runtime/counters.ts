// Owns the counters of a runtime: what came in and what became of it, its tasks, its stores. SPEC.md section 11 (#transport-admin).

import type { ReceiptEvent } from '../client/keep-receipt.ts';
import type { WitnessStats } from '../door/witness.ts';
import type { OutboxStats } from '../outbox/outbox.ts';
import type { Outcome } from '../pipeline/receive.ts';
import type { TaskStats } from '../tasks/engine/census.ts';
import { PACKAGE_VERSION } from '../version.ts';
import type { StoreCounts } from './counted-store.ts';
import { CounterFamily, HistogramFamily, gauge, metricsText, summary } from './prometheus.ts';
import type { Count, Family, Labels } from './prometheus.ts';

/** What is only known at the moment that somebody asks. */
interface Readings {
  readonly inFlight: number;
  readonly nowMs: number;
  /** Of a runtime that does tasks. */
  readonly tasks?: TaskStats | undefined;
  readonly outbox?: OutboxStats | undefined;
  /** Where evidence is kept. */
  readonly evidence?: WitnessStats | undefined;
}

export interface Counters {
  /** For {@link countStores}. */
  readonly stores: StoreCounts;
  count(outcome: Outcome): void;
  countReceipt(event: ReceiptEvent): void;
  /** A call of a face: `admitted`, or the code of what it was refused with. */
  countCall(face: string, verdict: string): void;
  /** What a face refused by itself, by its own code. */
  countRefusal(face: string, code: string): void;
  /** An operation on tasks, from any face, and its verdict: `ok` or a code. */
  countOperation(face: string, operation: string, verdict: string): void;
  /** A call of a face is at work; what is returned is called once, when it ends. */
  openCall(face: string): () => void;
  /** Somebody takes events from now on; what is returned is called once, when they end. */
  openStream(): () => void;
  /** The text format of Prometheus, version 0.0.4. */
  text(readings: Readings): string;
}

const EXCHANGE_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600];
const STORE_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/** @param isHandled content types that are not are told together, so that nobody makes series by inventing names. */
export function createCounters(isHandled: (ct: string) => boolean): Counters {
  const messages = new CounterFamily({
    name: 'a2a_sdl_messages_total',
    help: 'Messages that came in, by what became of them.',
  });
  const exchanges = new HistogramFamily(
    {
      name: 'a2a_sdl_exchange_seconds',
      help: 'Time from the first check of a message to its last reply, by content type and outcome (a wire code, or ok).',
    },
    EXCHANGE_SECONDS,
  );
  const operations = counted(
    'operations_total',
    'Operations on tasks, by face, operation and verdict (the code of an error, or ok).',
  );
  const calls = counted('face_calls_total', 'Calls of faces, by face and whether there was room.');
  const refusals = counted(
    'face_refusals_total',
    'What faces refused by themselves, by face and code of its dialect.',
  );
  const receipts = new CounterFamily({
    name: 'a2a_sdl_receipts_total',
    help: 'Receipts that came with answers of others, by what became of them.',
  });
  const stores: StoreCounts = {
    calls: new HistogramFamily(
      {
        name: 'a2a_sdl_store_call_seconds',
        help: 'Time that a call of a store takes, by operation.',
      },
      STORE_SECONDS,
    ),
    errors: new CounterFamily({
      name: 'a2a_sdl_store_errors_total',
      help: 'Calls of a store that failed, by operation and fault.',
    }),
  };
  for (const verdict of ['kept', 'refused']) receipts.add({ verdict }, 0);
  const callsAtWork = new Map<string, Count>();
  const operationsBy = byNames(operations, ['face', 'operation', 'verdict']);
  const callsBy = byNames(calls, ['face', 'verdict']);
  let seconds = 0;
  let total = 0;
  let streams = 0;
  return {
    stores,
    count({ transport, ct = 'none', error, isRetry, durationMs }) {
      const type = ct === 'none' || isHandled(ct) ? ct : 'other';
      const verdict = error?.code ?? (isRetry ? 'retry' : 'ok');
      messages.add({ transport, ct: error === undefined ? type : 'refused', verdict });
      exchanges.at({ ct: type, code: error?.wireCode ?? 'ok' }).observe(durationMs / 1_000);
      seconds += durationMs / 1_000;
      total += 1;
    },
    countReceipt({ refusal }) {
      receipts.add({ verdict: refusal === undefined ? 'kept' : 'refused' });
    },
    countCall(face, verdict) {
      callsBy(face, verdict).value += 1;
    },
    countRefusal(face, code) {
      refusals.add({ face, code });
    },
    countOperation(face, operation, verdict) {
      operationsBy(face, operation, verdict).value += 1;
    },
    openCall(face) {
      const atWork = callsAtWork.get(face) ?? { value: 0 };
      callsAtWork.set(face, atWork);
      atWork.value += 1;
      return () => {
        atWork.value -= 1;
      };
    },
    openStream() {
      streams += 1;
      return () => {
        streams -= 1;
      };
    },
    text({ inFlight, nowMs, tasks, outbox, evidence }) {
      return metricsText([
        one('build_info', 'Which program this is.', 1, { version: PACKAGE_VERSION }),
        messages,
        summary(
          {
            name: 'a2a_sdl_message_seconds',
            help: 'Time from the first check to the last reply.',
          },
          seconds,
          total,
        ),
        exchanges,
        operations,
        calls,
        refusals,
        gauge(
          { name: 'a2a_sdl_face_calls', help: 'Calls of faces that are at work now, by face.' },
          [...callsAtWork].map(([face, { value }]) => [{ face }, value]),
        ),
        receipts,
        one('in_flight', 'Messages that are at work now.', inFlight),
        one('streams', 'Senders that take the events of their request now.', streams),
        ...(tasks === undefined ? [] : taskFamilies(tasks, nowMs)),
        ...(outbox === undefined ? [] : outboxFamilies(outbox)),
        ...(evidence === undefined ? [] : evidenceFamilies(evidence)),
        stores.calls,
        stores.errors,
      ]);
    },
  };
}

/** The series by what its labels say: their text is made once. All of it are names of our own, of which there are few. */
function byNames(
  family: CounterFamily,
  labels: readonly string[],
): (...names: readonly string[]) => Count {
  const known: NamedCounts = { further: new Map() };
  return (...names) => {
    let counts = known;
    for (const name of names) {
      const further = counts.further.get(name) ?? { further: new Map() };
      counts.further.set(name, further);
      counts = further;
    }
    counts.count ??= family.at(Object.fromEntries(labels.map((label, at) => [label, names[at]!])));
    return counts.count;
  };
}

/** By their names in turn: a key of all of them would have to be put together for every count. */
interface NamedCounts {
  readonly further: Map<string, NamedCounts>;
  count?: Count;
}

function taskFamilies(
  { live, oldestAt, started, ended, watchers }: TaskStats,
  nowMs: number,
): Family[] {
  const age = oldestAt === undefined ? 0 : Math.max(0, nowMs - oldestAt) / 1_000;
  const starts = counted('tasks_started_total', 'Tasks that were started at this node.');
  starts.add({}, started);
  const ends = counted('tasks_ended_total', 'Tasks that ended at this node, by how.');
  for (const [state, count] of Object.entries(ended)) ends.add({ state }, count);
  return [
    gauge(
      {
        name: 'a2a_sdl_tasks',
        help: 'Tasks that this node works on, has waiting for a reply or has in its queue, by state.',
      },
      Object.entries(live).map(([state, count]) => [{ state }, count]),
    ),
    one('oldest_task_seconds', 'Age of the oldest of these tasks; 0 without one.', age),
    starts,
    ends,
    one('watchers', 'Who follows a task at this node now.', watchers),
  ];
}

function totalOf(name: string, help: string, count: number): Family {
  const family = counted(`${name}_total`, help);
  family.add({}, count);
  return family;
}

function outboxFamilies({ telling, told, failed, givenUp }: OutboxStats): Family[] {
  return [
    one('outbox_telling', 'What this node is telling others now.', telling),
    totalOf('outbox_told', 'What this node has told others to the end.', told),
    totalOf('outbox_failed', 'Tries of this node to tell others that were in vain.', failed),
    totalOf(
      'outbox_given_up',
      'What this node tells nobody any more, because its time is over.',
      givenUp,
    ),
  ];
}

function evidenceFamilies({ isWell, written, lost, failures }: WitnessStats): Family[] {
  return [
    one('evidence_up', 'Whether evidence can be kept now: 1, or 0.', isWell ? 1 : 0),
    totalOf('evidence_records', 'Records of evidence that are kept.', written),
    totalOf('evidence_lost', 'Records of evidence that could not be kept.', lost),
    totalOf('evidence_failures', 'Tries to write evidence that were in vain.', failures),
  ];
}

function counted(name: string, help: string): CounterFamily {
  return new CounterFamily({ name: `a2a_sdl_${name}`, help });
}

function one(name: string, help: string, value: number, labels: Labels = {}): Family {
  return gauge({ name: `a2a_sdl_${name}`, help }, [[labels, value]]);
}
