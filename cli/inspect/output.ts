// Owns results that go to a file of their own, which nobody else can read and which replaces nothing.

import { open } from 'node:fs/promises';

import type { CommandOption } from '../kit/command.ts';

export const OUT_OPTION: CommandOption = {
  type: 'string',
  value: 'FILE',
  description: 'write it to a new file that only you can read (default: stdout)',
};

export async function writeNewFile(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
}
