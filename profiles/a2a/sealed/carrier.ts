// Owns what may be opened: a message, a task, or an event of a stream, in any shape, alone or in the wrapper of an answer.
// SPEC.md section 22 (#sealed-recognised).

import { envelopeBeside } from './locate.ts';
import type { Bag, Family } from './shapes/neutral.ts';
import { bagOf, listOf } from './shapes/neutral.ts';
import { familyOf, rawPartsOf, readRole } from './shapes/read.ts';
import type { TaskStateName } from './shapes/state.ts';
import { readState } from './shapes/state.ts';

/** Something that was said in words. */
export interface FoundMessage {
  readonly where: string;
  readonly given: Bag;
}

export interface FoundArtifact {
  readonly where: string;
  readonly given: Bag;
  /** In a stream: it continues what came before. */
  readonly append?: boolean;
}

/** What is to be opened. */
export interface Carrier {
  readonly kind: 'message' | 'task' | 'update';
  readonly family: Family;
  /** Of the agent: those of the history, then that of the status. */
  readonly messages: readonly FoundMessage[];
  readonly artifacts: readonly FoundArtifact[];
  /** What was asked, as far as the history tells. */
  readonly asked: readonly Bag[];
  readonly state?: TaskStateName;
}

const WRAPPERS = ['result', 'task', 'message', 'statusUpdate', 'artifactUpdate'];

/** Throws a TypeError for what is none. */
export function carrierOf(given: object): Carrier {
  const found = unwrapped(given as Bag);
  if (isMessage(found)) {
    return {
      kind: 'message',
      family: familyOf(found),
      messages: [{ where: 'message', given: found }],
      artifacts: [],
      asked: [],
    };
  }
  const artifact = bagOf(found['artifact']);
  if (artifact !== undefined) {
    const append = found['append'] === true;
    return {
      kind: 'update',
      family: familyOf(artifact),
      messages: [],
      artifacts: [{ where: 'artifact', given: artifact, append }],
      asked: [],
    };
  }
  const status = bagOf(found['status']);
  if (status === undefined) throw new TypeError('expected a message, a task or an event of A2A');
  return ofStatus(found, status);
}

function ofStatus(found: Bag, status: Bag): Carrier {
  const history = listOf(found['history']).map((one) => bagOf(one) ?? {});
  const said = history
    .map((given, index) => ({ where: `history[${index}]`, given }))
    .filter(({ given }) => readRole(given['role']) === 'agent' && !isNothing(given));
  const shown = bagOf(status['message']);
  const last = shown === undefined || isNothing(shown) ? undefined : shown;
  const [sample = last] = history;
  const family = sample === undefined ? familyOf(found) : familyOf(sample);
  return {
    kind: typeof found['id'] === 'string' ? 'task' : 'update',
    family,
    // The SDKs keep the message of a status in the history too.
    messages: [
      ...said.filter(({ given }) => last === undefined || !isSameMessage(given, last)),
      ...(last === undefined ? [] : [{ where: 'status.message', given: last }]),
    ],
    artifacts: listOf(found['artifacts']).map((one, index) => ({
      where: `artifacts[${index}]`,
      given: bagOf(one) ?? {},
    })),
    asked: history.filter(({ role }) => readRole(role) === 'user'),
    state: readState(status['state']),
  };
}

/** What protobuf makes of a message that is not there. */
function isNothing(message: Bag): boolean {
  return rawPartsOf(message).length === 0 && envelopeBeside(message) === undefined;
}

function isSameMessage(one: Bag, other: Bag): boolean {
  return one['messageId'] === other['messageId'];
}

function isMessage(given: Bag): boolean {
  return (
    typeof given['messageId'] === 'string' && Array.isArray(given['parts'] ?? given['content'])
  );
}

/** Answers and events of 1.0 are in an object with one member; those of its SDK in a `payload` with a `$case`. */
function unwrapped(given: Bag, wrappersLeft = WRAPPERS.length): Bag {
  if (isMessage(given) || given['status'] !== undefined || given['artifact'] !== undefined) {
    return given;
  }
  const payload = bagOf(given['payload']);
  if (payload?.['$case'] !== undefined) return bagOf(payload['value']) ?? given;
  const inner = WRAPPERS.map((name) => bagOf(given[name])).find((one) => one !== undefined);
  return inner === undefined || wrappersLeft === 0 ? given : unwrapped(inner, wrappersLeft - 1);
}
