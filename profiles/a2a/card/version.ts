// Owns which form of the card answers which version. SPEC.md section 21 (#a2a-card-served).

import type { CardForm } from './options.ts';

/** Patch numbers count for nothing. */
const CURRENT = /^1\.0(?:\.\d+)?$/;
const LEGACY = /^0\.3(?:\.\d+)?$/;

/** @param asked what the client named; empty where it named nothing. `undefined` for a version that nobody speaks here. */
export function formFor(asked: string, configured: CardForm): CardForm | undefined {
  const version = asked.trim();
  if (version === '') return configured;
  if (CURRENT.test(version)) return 'strict';
  return LEGACY.test(version) ? 'superset' : undefined;
}
