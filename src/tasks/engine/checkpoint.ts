// Owns what an author keeps for a later attempt: JSON with messages anywhere in it, which come back as messages, and
// where its task stood then.

import { writeJson } from '../../codec/json/write.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../codec/value.ts';
import { isJsonArray, isJsonObject, newJsonObject } from '../../codec/value.ts';
import type { KeptArtifact } from '../artifact.ts';
import type { Keepable } from '../context.ts';
import { readLandedCheckpoint } from '../log/landed.ts';
import { objectIn, readKept } from '../log/record.ts';
import { isMessage } from '../message.ts';
import { readMessage, writeMessage } from '../part-json.ts';
import type { Task } from '../task.ts';

export interface Checkpoint {
  readonly value: Keepable;
  readonly keep: readonly KeptArtifact[];
  /** How many replies the attempts had been given. */
  readonly answered: number;
  /** How many further messages they had been given. */
  readonly taken: number;
}

/** From the whole value to one inside it. */
type Path = (string | number)[];

export function encodeCheckpoint({ value, keep, answered, taken }: Checkpoint): Uint8Array {
  const messages: Path[] = [];
  const plain = written(value, [], messages);
  return writeJson({
    v: 2,
    value: plain,
    ...(messages.length > 0 && { messages }),
    keep: keep as unknown as JsonArray,
    answered,
    taken,
  });
}

/** Reads also what the version before 0.2.0 wrote. */
export function decodeCheckpoint(bytes: Uint8Array, task: Task): Checkpoint {
  const record = objectIn(bytes);
  if (record['v'] !== 2) return { ...readLandedCheckpoint(record, task), taken: 0 };
  const { value, messages, keep, answered, taken } = record;
  const paths = (messages ?? []) as unknown as readonly Path[];
  return {
    value: paths.reduce<Keepable>((whole, path) => revived(whole, path), value!),
    keep: readKept(keep!),
    answered: answered as number,
    taken: taken as number,
  };
}

function written(value: Keepable, path: Path, messages: Path[]): JsonValue {
  if (isMessage(value)) {
    messages.push([...path]);
    return writeMessage(value);
  }
  if (Array.isArray(value)) {
    return (value as readonly Keepable[]).map((item, at) => inside(item, at, path, messages));
  }
  if (!isJsonObject(value as JsonValue)) return value as JsonValue;
  const copy = newJsonObject();
  for (const [name, item] of Object.entries(value as Readonly<Record<string, Keepable>>)) {
    // As in JSON: what is undefined is not there.
    if (item !== undefined) copy[name] = inside(item, name, path, messages);
  }
  return copy;
}

function inside(item: Keepable, step: string | number, path: Path, messages: Path[]): JsonValue {
  path.push(step);
  const plain = written(item, path, messages);
  path.pop();
  return plain;
}

/** The value with a message where the path leads. */
function revived(value: Keepable, [step, ...rest]: Path): Keepable {
  if (step === undefined) return readMessage(value as JsonObject, 'message');
  if (isJsonArray(value as JsonValue)) {
    return (value as readonly Keepable[]).with(
      step as number,
      revived((value as readonly Keepable[])[step as number]!, rest),
    );
  }
  const members = value as Readonly<Record<string, Keepable>>;
  return { ...members, [step]: revived(members[step]!, rest) };
}
