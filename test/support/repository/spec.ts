// Reads SPEC.md as data, so that the document and the code cannot drift apart.

import { readFileSync } from 'node:fs';

export const specText: string = readFileSync(new URL('../../../SPEC.md', import.meta.url), 'utf8');

export const specAnchors: readonly string[] = [...specText.matchAll(/<a id="([^"]+)"><\/a>/g)].map(
  (match) => match[1]!,
);

/** The cells of the first table behind an anchor, without its head. */
export function specTable(anchor: string): string[][] {
  const from = specText.indexOf(`<a id="${anchor}"></a>`);
  if (from < 0) throw new Error(`SPEC.md has no anchor ${anchor}`);
  const lines = specText.slice(from).split('\n');
  const start = lines.findIndex((line) => line.startsWith('|'));
  const rows: string[][] = [];
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith('|')) break;
    rows.push(
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  }
  return rows;
}
