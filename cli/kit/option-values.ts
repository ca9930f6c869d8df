// Owns the options that a command was called with, asked for by name and kind.

import { usageError } from './exit.ts';

export type RawOptions = ReadonlyMap<string, readonly (string | true)[]>;

/** Asking for an option that the command does not declare is a mistake in the command, and throws. */
export class OptionValues {
  readonly #declared: ReadonlySet<string>;
  readonly #given: RawOptions;

  constructor(declared: Iterable<string>, given: RawOptions) {
    this.#declared = new Set(declared);
    this.#given = given;
  }

  /** For code that several commands share. */
  declares(name: string): boolean {
    return this.#declared.has(name);
  }

  flag(name: string): boolean {
    return this.#of(name).length > 0;
  }

  /** The value that was given last. */
  text(name: string): string | undefined {
    return this.texts(name).at(-1);
  }

  /** All values, in the order in which they were given. */
  texts(name: string): string[] {
    return this.#of(name).filter((value) => value !== true);
  }

  oneOf<T extends string>(name: string, known: readonly T[]): T | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    return requireOneOf(`--${name}`, value, known);
  }

  /** A whole number within the bounds, both included. */
  integer(name: string, least: number, most: number = Number.MAX_SAFE_INTEGER): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw usageError(`--${name} expects a whole number from ${least} to ${most}`);
  }

  #of(name: string): readonly (string | true)[] {
    if (!this.#declared.has(name)) throw new TypeError(`the option "${name}" is not declared`);
    return this.#given.get(name) ?? [];
  }
}

/** The value, if it is a known one; `what` is how the user calls it. */
export function requireOneOf<T extends string>(
  what: string,
  value: string,
  known: readonly T[],
): T {
  if (known.includes(value as T)) return value as T;
  throw usageError(`${what} expects one of ${known.join(', ')}`);
}
