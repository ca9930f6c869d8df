// Owns the form in which documents are compared: JSON values that survive JSON.stringify, each standing for
// one value of ours. SPEC.md section 9 (#state).

import type { Path } from '../codec/pointer.ts';
import { assertPlainObject, unwritableNumber, unwritableType } from '../codec/unwritable.ts';
import type { JsonArray, JsonObject, JsonValue } from '../codec/value.ts';
import {
  LosslessNumber,
  isJsonArray,
  isPlainNumber,
  lexemeOf,
  newJsonObject,
} from '../codec/value.ts';
import { numberFromLexeme } from '../codec/number-text.ts';

/** Marks a string that is a number's text. A string that starts with it gets a second one. */
const MARK = '#';

/** What two documents share becomes one object, which a comparison need not enter. */
export class PlainForm {
  readonly #known = new Map<object, JsonValue>();

  /** Throws a TypeError for what is no JSON value. The depth of `value` must be known to be bounded. */
  toPlain(value: JsonValue, path: Path = []): JsonValue {
    switch (typeof value) {
      case 'string':
        return value.startsWith(MARK) ? MARK + value : value;
      case 'number':
        if (!isPlainNumber(value)) throw unwritableNumber(value, path);
        return Object.is(value, -0) ? MARK + lexemeOf(value) : value;
      case 'boolean':
        return value;
      case 'object':
        break;
      default:
        throw unwritableType(value, path);
    }
    if (value === null) return null;
    if (value instanceof LosslessNumber) return MARK + value.lexeme;
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const plain = isJsonArray(value) ? this.#array(value, path) : this.#object(value, path);
    this.#known.set(value, plain);
    return plain;
  }

  #array(elements: JsonArray, path: Path): JsonArray {
    const plain: JsonValue[] = [];
    // By index, because iterating methods may skip a hole, which is no JSON value.
    for (let index = 0; index < elements.length; index += 1) {
      path.push(index);
      plain.push(this.toPlain(elements[index] as JsonValue, path));
      path.pop();
    }
    return plain;
  }

  #object(members: JsonObject, path: Path): JsonObject {
    assertPlainObject(members, path);
    const plain = newJsonObject();
    for (const name of Object.keys(members)) {
      path.push(name);
      plain[name] = this.toPlain(members[name]!, path);
      path.pop();
    }
    return plain;
  }
}

/** A copy in our own values, sharing nothing with its input. */
export function fromPlain(plain: JsonValue): JsonValue {
  if (typeof plain === 'string') return fromPlainText(plain);
  if (typeof plain !== 'object' || plain === null) return plain;
  if (isJsonArray(plain)) return plain.map(fromPlain);
  const members = newJsonObject();
  const held = plain as JsonObject;
  for (const name of Object.keys(held)) members[name] = fromPlain(held[name]!);
  return members;
}

function fromPlainText(text: string): JsonValue {
  if (!text.startsWith(MARK)) return text;
  const rest = text.slice(MARK.length);
  return rest.startsWith(MARK) ? rest : numberFromLexeme(rest);
}
