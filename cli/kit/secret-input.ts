// Owns the secrets that a user gives: from a file or stdin, never on the command line, which every user of the machine can
// read.

import type { CommandContext } from './command.ts';
import { usageError } from './exit.ts';
import { STDIN, decodeText, readBytes, readFileBytes } from './input.ts';
import type { Terminal } from './terminal.ts';

const NEXT = 'write the secret to a file and give @ and its path';

/** What stands in `@FILE`, without the white space around it. The value is never part of an error: it may be the secret. */
export async function readSecretFile(what: string, value: string | undefined): Promise<string> {
  if (value === undefined || !/^@./.test(value)) throw usageError(`${what} expects @FILE`, NEXT);
  return decodeText(await readFileBytes(value.slice(1))).trim();
}

/** Like {@link readSecretFile}; `-` is stdin. */
export async function readSecret(
  what: string,
  value: string | undefined,
  terminal: Terminal,
): Promise<string> {
  if (value === STDIN) return decodeText(await readBytes(STDIN, terminal)).trim();
  if (value === undefined || !value.startsWith('@')) {
    throw usageError(`${what} expects @FILE, or - for stdin`, NEXT);
  }
  return readSecretFile(what, value);
}

/** For options that take a secret also as it is. @param isSecret of a value that is no `@FILE`. */
export function warnOfOpenSecret(
  { options, terminal }: Pick<CommandContext, 'options' | 'terminal'>,
  name: string,
  isSecret: (value: string) => boolean,
): void {
  const value = options.text(name);
  if (value === undefined || value.startsWith('@') || !isSecret(value)) return;
  terminal.note(
    `others on this machine can read the secret in --${name} of this process: write the value to a file and give --${name} @FILE`,
  );
}
