// Owns the walk that writes a value as JSON; each form brings its member order and number text. SPEC.md section 4.2 (#json-write).

import { JsonSink } from './sink.ts';
import type { Path } from '../pointer.ts';
import { toPointer } from '../pointer.ts';
import { assertDepth, assertPlainObject, unwritableNumber, unwritableType } from '../unwritable.ts';
import type { JsonArray, JsonObject, JsonValue } from '../value.ts';
import { LosslessNumber, isPlainNumber } from '../value.ts';

export interface JsonForm {
  /** Names of an object in the order of this form; may sort the array in place. */
  readonly order: (names: string[]) => string[];
  /** The text of a number, or `undefined` when this form cannot write it. */
  readonly number: (value: number | LosslessNumber) => string | undefined;
  /** What to throw when `number` has no text. */
  readonly refuse: (pointer: string) => Error;
}

export function writeJsonForm(value: JsonValue, form: JsonForm): Uint8Array {
  const writer = new JsonWriter(form);
  writer.value(value);
  return writer.take();
}

const COMMA = 0x2c;

class JsonWriter {
  readonly #form: JsonForm;
  readonly #sink = new JsonSink();
  readonly #path: Path = [];

  constructor(form: JsonForm) {
    this.#form = form;
  }

  take(): Uint8Array {
    return this.#sink.take();
  }

  value(value: JsonValue): void {
    switch (typeof value) {
      case 'string':
        return this.#sink.quoted(value, this.#path);
      case 'number':
        if (!isPlainNumber(value)) throw unwritableNumber(value, this.#path);
        return this.#number(value);
      case 'boolean':
        return this.#sink.ascii(value ? 'true' : 'false');
      case 'object':
        break;
      default:
        throw unwritableType(value, this.#path);
    }
    if (value === null) return this.#sink.ascii('null');
    if (value instanceof LosslessNumber) return this.#number(value);
    assertDepth(this.#path);
    if (Array.isArray(value)) return this.#array(value as JsonArray);
    return this.#object(value as JsonObject);
  }

  #number(value: number | LosslessNumber): void {
    const text = this.#form.number(value);
    if (text === undefined) throw this.#form.refuse(toPointer(this.#path));
    this.#sink.ascii(text);
  }

  #array(elements: JsonArray): void {
    this.#sink.byte(0x5b);
    for (let index = 0; index < elements.length; index += 1) {
      if (index > 0) this.#sink.byte(COMMA);
      this.#path.push(index);
      // Index access instead of iteration: a hole reads as undefined and is refused.
      this.value(elements[index]!);
      this.#path.pop();
    }
    this.#sink.byte(0x5d);
  }

  #object(members: JsonObject): void {
    assertPlainObject(members, this.#path);
    const names = this.#form.order(Object.keys(members));
    this.#sink.byte(0x7b);
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index]!;
      if (index > 0) this.#sink.byte(COMMA);
      this.#path.push(name);
      this.#sink.quoted(name, this.#path);
      this.#sink.byte(0x3a);
      this.value(members[name]!);
      this.#path.pop();
    }
    this.#sink.byte(0x7d);
  }
}
