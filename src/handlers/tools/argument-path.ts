// Owns how a caller is told which of its arguments a validator refused: in the words of the tool, never in its own.
// SPEC.md sections 5.2 and 12 (#schema-errors, #errors-no-data).

import type { Path } from '../../codec/pointer.ts';
import { toPointer } from '../../codec/pointer.ts';
import type { JsonValue } from '../../codec/value.ts';
import { isJsonArray, isJsonObject } from '../../codec/value.ts';
import type { Schema } from '../../schema/descriptor.ts';

const HIDDEN = '*';

/** Every member name that the schema declares anywhere. */
export function declaredNames(schema: Schema): ReadonlySet<string> {
  const names = new Set<string>();
  const look = (value: JsonValue): void => {
    if (isJsonArray(value)) for (const item of value) look(item);
    else if (isJsonObject(value)) {
      for (const keyword of Object.keys(value)) {
        const inner = value[keyword]!;
        if (keyword === 'properties' && isJsonObject(inner)) {
          for (const name of Object.keys(inner)) names.add(name);
        }
        look(inner);
      }
    }
  };
  look(schema);
  return names;
}

/** The place in the payload of `toolcall.v1`. It shows names that the tool declares and names that were not sent. */
export function argumentPath(
  path: Readonly<Path>,
  args: JsonValue,
  declared: ReadonlySet<string>,
): string {
  let here: JsonValue | undefined = args;
  const told: Path = ['args'];
  for (const token of path) {
    const name = String(token);
    if (isJsonArray(here)) {
      told.push(/^\d+$/.test(name) ? name : HIDDEN);
      here = here[Number(name)];
    } else {
      const next: JsonValue | undefined =
        isJsonObject(here) && Object.hasOwn(here, name) ? here[name] : undefined;
      told.push(next === undefined || declared.has(name) ? name : HIDDEN);
      here = next;
    }
  }
  return toPointer(told);
}
