// Owns what the scopes of a token say: `ct:NAME` a content type, `tool:NAME` a tool, `*` for every name.
// SPEC.md section 16 (#callers-scopes).

import type { Ceiling } from '../../src/transport.ts';

const MOST_NAMES = 256;

/** `undefined` where no scope is of this form: the entry alone decides then. */
export function ceilingOf(
  claims: Readonly<Record<string, unknown>>,
  notAfterMs: number,
): Ceiling | undefined {
  const scopes = [claims['scope'], claims['scp']].flatMap(namesIn);
  const [ct, tools] = ['ct:', 'tool:'].map((mark) =>
    scopes.filter((name) => name.startsWith(mark)).map((name) => name.slice(mark.length)),
  ) as [string[], string[]];
  if (ct.length === 0 && tools.length === 0) return undefined;
  // A list that is cut only narrows.
  return {
    allow: { ct: ct.slice(0, MOST_NAMES), tools: tools.slice(0, MOST_NAMES) },
    notAfterMs,
  };
}

function namesIn(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((name) => name !== '');
  return Array.isArray(claim) ? claim.filter((name) => typeof name === 'string') : [];
}
