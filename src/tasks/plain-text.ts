// Owns short text that people read: bounded, and without what no message can carry. SPEC.md section 4.2 (#json-surrogate).

/** At most `maxLength` UTF-16 units; half a character becomes U+FFFD. */
export function plainText(text: string, maxLength: number): string {
  const bounded = text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
  return bounded.replace(/\p{Surrogate}/gu, '\uFFFD');
}
