// Owns the secrets that a user gives: from a file, never on the command line, which every user of the machine can read.

import { usageError } from '../kit/exit.ts';
import { decodeText, readFileBytes } from '../kit/input.ts';

/** What stands in `@FILE`, without the white space around it. The value is never part of an error: it may be the secret. */
export async function readSecretFile(what: string, value: string | undefined): Promise<string> {
  if (value === undefined || !/^@./.test(value)) {
    throw usageError(`${what} expects @FILE`, 'write the secret to a file and give @ and its path');
  }
  return decodeText(await readFileBytes(value.slice(1))).trim();
}
