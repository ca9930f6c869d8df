// Owns what commands read: a file by its path, or stdin for "-".

import { open } from 'node:fs/promises';

import type { JsonValue } from '../../src/codec/index.ts';
import { readJson } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import { INPUT_TOO_LARGE, failure } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** How a user names standard input. */
export const STDIN = '-';

const MAX_FILE_BYTES = 16_777_216;

export async function readBytes(
  path: string,
  terminal: Terminal,
  most?: number,
): Promise<Uint8Array> {
  return path === STDIN ? terminal.readInput(most) : readFileBytes(path, most);
}

export async function readFileBytes(
  path: string,
  most: number = MAX_FILE_BYTES,
): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > most) {
      throw failure(`${path} is larger than ${most} bytes`, { code: INPUT_TOO_LARGE });
    }
    return new Uint8Array(await file.readFile());
  } finally {
    await file.close();
  }
}

/** Throws where the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw failure('the input is not text in UTF-8');
  }
}

/** The JSON value of a file or of stdin, read as strictly as a message. */
export async function readJsonInput(path: string, terminal: Terminal): Promise<JsonValue> {
  return parseJson(await readBytes(path, terminal), path);
}

export function parseJson(bytes: Uint8Array, path: string): JsonValue {
  try {
    return readJson(bytes);
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    const place = path === STDIN ? 'the input' : path;
    throw failure(`${place} is not JSON that can be used: ${thrown.reason}`, {
      code: thrown.code,
      cause: thrown,
    });
  }
}
