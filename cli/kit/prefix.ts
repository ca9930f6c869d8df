// Owns ids that are not written out: the beginning of one is enough where it is the beginning of one alone.

import { failure } from './exit.ts';

/** Fewer characters are hardly ever meant as an id. */
const SHORTEST = 4;
const MOST_NAMED = 5;

/** Is this long enough to stand for what begins with it? */
export function isPrefix(text: string): boolean {
  return text.length >= SHORTEST;
}

/** The id that is meant; `undefined` where none begins so. Throws, and names them, where several do. */
export function onlyId(prefix: string, ids: Iterable<string>, what: string): string | undefined {
  const found = [...new Set(ids)].filter((id) => id.startsWith(prefix));
  if (found.includes(prefix)) return prefix;
  if (found.length < 2) return found[0];
  const named = found.slice(0, MOST_NAMED).join(', ');
  const more = found.length > MOST_NAMED ? ' and more' : '';
  throw failure(`several ${what} begin with ${prefix}: ${named}${more}`, {
    code: 'AMBIGUOUS',
    next: 'give more of the id',
  });
}
