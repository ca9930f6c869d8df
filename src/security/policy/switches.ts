// Owns the two security profiles: `hardened`, and `compat` as a set of named switches. SPEC.md section 14 (#hardening).

/** What may be opened for a peer that cannot do better. Each names one rule that is then not enforced. */
export type CompatSwitch =
  | 'label-id'
  | 'lax-dates'
  | 'long-exp'
  | 'no-replay'
  | 'unsigned-requests'
  | 'unsigned-replies'
  | 'plain-replies'
  | 'unbound-enc'
  | 'v1-trustsync'
  | 'v1-session';

export const COMPAT_SWITCHES: readonly CompatSwitch[] = [
  'label-id',
  'lax-dates',
  'long-exp',
  'no-replay',
  'unsigned-requests',
  'unsigned-replies',
  'plain-replies',
  'unbound-enc',
  'v1-trustsync',
  'v1-session',
];

export type SecurityProfile = 'hardened' | 'compat';

/** `hardened` opens nothing; `compat` opens what peers of the Python reference need. */
export function switchesOf(profile: SecurityProfile): ReadonlySet<CompatSwitch> {
  return new Set(profile === 'compat' ? COMPAT_SWITCHES : []);
}
