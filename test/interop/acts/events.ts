// Owns streams as the tests look at them: what an event holds, and whether the states follow each other as they may.

import type { JsonObject } from '../../../src/codec/value.ts';
import type { StreamExpectation } from './document.ts';
import { find } from './dot-path.ts';
import type { Judge } from './judge.ts';
import { abstractForm } from './abstract-form.ts';

const TERMINAL = ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'];
/** What may follow; the same state may follow itself, unless it is an end. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  SUBMITTED: ['WORKING'],
  WORKING: [...TERMINAL, 'INPUT_REQUIRED', 'AUTH_REQUIRED'],
  INPUT_REQUIRED: ['WORKING'],
  AUTH_REQUIRED: ['WORKING'],
};

/** An event with the names that ACTS has for it, and what it holds laid open. */
export function eventForm(event: JsonObject): JsonObject {
  const { task, message, statusUpdate, artifactUpdate } = event;
  const inner = (task ?? statusUpdate ?? artifactUpdate ?? {}) as JsonObject;
  return abstractForm({
    ...event,
    ...inner,
    ...(statusUpdate !== undefined && { status_update: statusUpdate }),
    ...(artifactUpdate !== undefined && { artifact_update: artifactUpdate }),
    ...(message !== undefined && { message }),
  });
}

export function stateIn(event: JsonObject): string | undefined {
  const state = find(event, 'task.status.state') ?? find(event, 'statusUpdate.status.state');
  return typeof state === 'string' ? state.replace('TASK_STATE_', '') : undefined;
}

export function isTerminalState(state: string | undefined): boolean {
  return state !== undefined && TERMINAL.includes(state);
}

/**
 * @param formOf an event as it is compared.
 * @param events all of them, until the agent ended the stream.
 */
export function judgeStream(
  judge: Judge,
  events: readonly JsonObject[],
  wanted: StreamExpectation,
  formOf: (event: JsonObject) => JsonObject,
): void {
  const { min_count, ordering, final_event, each_event } = wanted;
  const forms = events.map(formOf);
  if (min_count !== undefined) {
    judge.check(events.length >= min_count, `${events.length} events, expected ${min_count}`);
  }
  if (ordering !== undefined) judgeOrder(judge, events, ordering);
  for (const event of wanted.events ?? []) judgeEvent(judge, forms, event);
  if (final_event !== undefined) judge.match(forms.at(-1), final_event, 'the last event');
  if (each_event === undefined) return;
  for (const [at, form] of forms.entries()) judge.match(form, each_event, `event ${at}`);
}

function judgeEvent(judge: Judge, forms: readonly JsonObject[], event: JsonObject): void {
  const { description: _words, match = 'exact_position', index, ...wanted } = event;
  if (match === 'exact_position') {
    if (typeof index !== 'number') throw new Error('an event at an exact position has no index');
    judge.match(forms[index], wanted, `event ${index}`);
  } else if (match === 'any_position' && index === undefined) {
    judge.matchSome(forms, wanted, 'events');
  } else throw new Error(`an event is not matched by ${JSON.stringify(match)}`);
}

function judgeOrder(judge: Judge, events: readonly JsonObject[], rule: string): void {
  if (rule !== 'monotonic_state') throw new Error(`there is no order "${rule}"`);
  const states = events.map(stateIn).filter((state) => state !== undefined);
  judge.check(states.length > 0, 'no event tells a state');
  for (const [at, state] of states.entries()) {
    const before = states[at - 1];
    if (before === undefined) continue;
    const isRepeat = state === before && !TERMINAL.includes(state) && state !== 'SUBMITTED';
    const isNext = NEXT[before]?.includes(state) === true;
    judge.check(isRepeat || isNext, `${state} after ${before}`);
  }
}
