// Owns whose share of the agent something uses, and how much of a whole each class may have. SPEC.md section 13 (#budget).

/** There is a reserve for the operator, one for it and known callers, and one share for all strangers together. */
export type ShareClass = 'operator' | 'known' | 'stranger';

export const SHARE_CLASSES: readonly ShareClass[] = ['operator', 'known', 'stranger'];

/** Of what a class may use at most: all but what is reserved for those above it, and strangers half. */
export function classLimit(whole: number, share: ShareClass): number {
  const reserve = Math.floor(whole / 8);
  if (share === 'operator') return whole;
  return share === 'known' ? whole - reserve : whole - 2 * reserve;
}

export function strangersLimit(whole: number): number {
  return Math.ceil(whole / 2);
}
