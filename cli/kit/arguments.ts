// Owns how the words of a command line become options and arguments, and what is said of one that does not fit.

import { parseArgs } from 'node:util';

import type { Action, CommandOption } from './command.ts';
import { usageError } from './exit.ts';
import type { RawOptions } from './option-values.ts';
import { suggest } from './suggest.ts';

/** The options of every command. */
export const COMMON_OPTIONS: Readonly<Record<string, CommandOption>> = {
  home: {
    type: 'string',
    value: 'DIR',
    description: 'the folder with keys, peers and data (default: $A2A_SDL_HOME, else ~/.a2a-sdl)',
  },
  json: { type: 'boolean', description: 'print JSON, one value a line' },
  help: { type: 'boolean', short: 'h', description: 'show this help' },
};

export interface ParsedArguments {
  readonly words: readonly string[];
  readonly given: RawOptions;
}

/** Options by name, common ones included. */
export function optionsOf(action: Pick<Action, 'options'>): Record<string, CommandOption> {
  return { ...action.options, ...COMMON_OPTIONS };
}

/** Takes the name of a command off, wherever the common options stand. */
export function splitName(args: readonly string[]): {
  readonly name: string | undefined;
  readonly rest: readonly string[];
} {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at]!;
    if (word === '--home') at += 1;
    else if (!word.startsWith('-')) return { name: word, rest: args.toSpliced(at, 1) };
  }
  return { name: undefined, rest: args };
}

/** Throws a usage error for what `options` do not know. */
export function parseWords(
  args: readonly string[],
  options: Readonly<Record<string, CommandOption>>,
): ParsedArguments {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [
      name,
      { type, ...(short !== undefined && { short }) },
    ]),
  );
  // Not strict: the errors of the strict one suggest nothing.
  const { tokens } = parseArgs({
    args: [...args],
    options: config,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  const given = new Map<string, (string | true)[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const value = valueOf(token, options);
    const values = given.get(token.name) ?? [];
    if (values.length > 0 && options[token.name]?.multiple !== true && value !== true) {
      throw usageError(`--${token.name} was given twice`, 'give it once');
    }
    given.set(token.name, [...values, value]);
  }
  return { words, given };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function valueOf(
  { name, rawName, value, inlineValue }: OptionToken,
  options: Readonly<Record<string, CommandOption>>,
): string | true {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) {
    const nearest = suggest(name, Object.keys(options));
    throw usageError(
      `there is no option ${rawName}`,
      nearest === undefined ? undefined : `did you mean --${nearest}?`,
    );
  }
  if (option.type === 'boolean') {
    if (value === undefined) return true;
    throw usageError(`--${name} takes no value`, `write --${name} alone`);
  }
  if (value === undefined) {
    throw usageError(`--${name} needs a value`, `write --${name} ${option.value ?? 'VALUE'}`);
  }
  // `--name --json` is a forgotten value, not a name; a lone "-" is stdin.
  if (inlineValue !== true && value.startsWith('-') && value !== '-') {
    throw usageError(
      `--${name} needs a value`,
      `write --${name}=${value} if that is the value, dash and all`,
    );
  }
  return value;
}

/** Throws a usage error unless there are as many words as the parameters want. */
export function checkWords(words: readonly string[], { parameters = [] }: Action): void {
  const missing = parameters.find(
    ({ isOptional }, at) => isOptional !== true && words.length <= at,
  );
  if (missing !== undefined) {
    throw usageError(`${missing.name} is missing: ${missing.description}`);
  }
  if (words.length > parameters.length && parameters.at(-1)?.isRepeated !== true) {
    throw usageError(
      `there is one argument too many, the ${ordinal(parameters.length + 1)}`,
      'put words that belong together into quotes: "sum 1 2 3"',
    );
  }
}

function ordinal(count: number): string {
  return ['first', 'second', 'third'][count - 1] ?? `${count}th`;
}
