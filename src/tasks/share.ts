// Owns whose share of the agent a task uses. SPEC.md section 13 (#admit).

/** There is a reserve for the operator, one for it and known callers, and one share for all strangers together. */
export type ShareClass = 'operator' | 'known' | 'stranger';
