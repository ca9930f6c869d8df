// Owns where the passphrase of protected identities comes from: a file, never the command line.

import { open } from 'node:fs/promises';

import type { CommandContext, CommandOption } from '../kit/command.ts';
import { failure } from '../kit/exit.ts';
import { shellWord } from './private-folder.ts';

export const PASSPHRASE_OPTION: CommandOption = {
  type: 'string',
  value: 'FILE',
  description:
    'a file whose first line protects the secret keys (default: $A2A_SDL_PASSPHRASE_FILE, else none)',
};

const MAX_BYTES = 4_096;

/** `undefined` where none is given: identities are then kept, and read, in clear. */
export async function readPassphrase({
  options,
  env,
}: Pick<CommandContext, 'options' | 'env'>): Promise<string | undefined> {
  const path = options.text('passphrase-file') ?? (env['A2A_SDL_PASSPHRASE_FILE'] || undefined);
  return path === undefined ? undefined : readPassphraseFile(path);
}

async function readPassphraseFile(path: string): Promise<string> {
  const file = await open(path);
  try {
    const stats = await file.stat();
    // Pipes are the user's own; a file stays.
    if (stats.isFile() && process.getuid !== undefined && (stats.mode & 0o077) !== 0) {
      throw failure(`the passphrase file ${path} is open to other users`, {
        next: `chmod 600 ${shellWord(path)}`,
      });
    }
    if (stats.size > MAX_BYTES) throw failure(`${path} is too large for a passphrase file`);
    const [line] = (await file.readFile('utf8')).split(/\r?\n/, 1);
    if (line !== undefined && line !== '') return line;
    throw failure(`the first line of the passphrase file ${path} is empty`, {
      next: 'put the passphrase there',
    });
  } finally {
    await file.close();
  }
}
