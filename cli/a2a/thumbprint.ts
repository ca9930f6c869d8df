// Owns the name of a key that two people can compare: its JSON Web Key thumbprint (RFC 7638).

import { createHash } from 'node:crypto';

import type { CardKey } from '../../profiles/a2a/card/keys.ts';

/** The members that make the key, in the order of their names. */
const MEMBERS = ['crv', 'kty', 'x', 'y'] as const;

export function thumbprintOf(key: CardKey): string {
  const members = MEMBERS.flatMap((name) =>
    key[name] === undefined ? [] : [[name, key[name]] as const],
  );
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(members)))
    .digest('base64url');
}
