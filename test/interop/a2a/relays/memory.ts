// Owns the search through all that another process has in memory, as Linux shows it: in every form that the languages of
// the relays keep text in.

import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

const CHUNK_BYTES = 8 * 1024 * 1024;

/** As bytes of UTF-8, of UTF-16 (JavaScript) and of UTF-32 (Python), and inside of base64 at each of its three places. */
function formsOf(word: string): readonly Buffer[] {
  const wide = Buffer.alloc(word.length * 4);
  for (let at = 0; at < word.length; at += 1) wide.writeUInt32LE(word.charCodeAt(at), at * 4);
  const inBase64 = ['', 'x', 'xx'].map((before) => {
    const text = Buffer.from(before + word).toString('base64');
    // What the neighbours of the word share a character with is left out.
    return Buffer.from(text.slice(before.length + 1, -4));
  });
  return [Buffer.from(word), Buffer.from(word, 'utf16le'), wide, ...inBase64];
}

/** Which of the words are in this text, in whatever form. */
export function wordsInBytes(bytes: Buffer, words: readonly string[]): string[] {
  return words.filter((word) => formsOf(word).some((form) => bytes.includes(form)));
}

/** Which of the words are in the memory of the process. Throws where the system does not show it. */
export function wordsInMemory(pid: number, words: readonly string[]): string[] {
  const found = new Set<string>();
  const overlap = Math.max(...words.map(({ length }) => length)) * 4;
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const { from, to } of writableRanges(pid)) {
      for (let at = from; at < to; at += CHUNK_BYTES - overlap) {
        const bytes = readAt(memory, at, Math.min(CHUNK_BYTES, to - at));
        for (const word of wordsInBytes(bytes, words)) found.add(word);
      }
    }
  } finally {
    closeSync(memory);
  }
  return [...found];
}

function writableRanges(pid: number): { readonly from: number; readonly to: number }[] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
      return to === undefined ? [] : [{ from: parseInt(from!, 16), to: parseInt(to, 16) }];
    });
}

/** What is not there, or no longer, is empty. */
function readAt(memory: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  try {
    return bytes.subarray(0, readSync(memory, bytes, 0, length, at));
  } catch {
    return Buffer.alloc(0);
  }
}
