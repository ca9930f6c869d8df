// Owns who calls the conformance agent: two callers that may do all, and one that is known and may do nothing.

import { randomUUID } from 'node:crypto';

import type { CallerEntry } from 'a2a-sdl/profiles/auth';
import { hashSecret } from 'a2a-sdl/profiles/auth';

export type CallerName = 'user' | 'other' | 'insufficient';

/** What each of them shows, new at every start. */
export function newTokens(): Readonly<Record<CallerName, string>> {
  return { user: randomUUID(), other: randomUUID(), insufficient: randomUUID() };
}

export function entriesOf(tokens: Readonly<Record<CallerName, string>>): readonly CallerEntry[] {
  const entryOf = (name: CallerName): CallerEntry => ({
    name,
    proof: { scheme: 'bearer', secret: { sha256: hashSecret(tokens[name]) } },
  });
  return [
    entryOf('user'),
    entryOf('other'),
    { ...entryOf('insufficient'), contentTypes: [], tools: [] },
  ];
}
