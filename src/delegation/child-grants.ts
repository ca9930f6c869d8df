// Owns the grants that go with a delegated task: the one that is shown, and those that are handed on, narrowed.
// SPEC.md section 10 (#grant).

import type { JsonObject } from '../codec/value.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import type { Grant } from '../security/policy/grant-shape.ts';
import { readGrant } from '../security/policy/grant-shape.ts';
import { attenuateGrant } from '../security/policy/grant.ts';
import type { OwnIdentity } from '../security/identity/own-identity.ts';
import { signingKeyOf } from '../security/identity/own-identity.ts';
import type { DelegateOptions } from '../tasks/delegation.ts';
import { TaskError } from '../tasks/error.ts';

export interface GrantServices {
  readonly identity: () => OwnIdentity;
  readonly crypto: CryptoProvider;
  readonly now: () => number;
  readonly newId: () => string;
}

export interface GrantRequest {
  /** What came with the task; we are the holder of each. */
  readonly held: readonly JsonObject[];
  /** Who gets the delegated task, and when that ends. */
  readonly agentId: string;
  readonly deadline: number | undefined;
  readonly options: Pick<DelegateOptions, 'grant' | 'handOn' | 'allow'>;
}

/** The `authz` of the delegated task; `undefined` for none. Throws NOT_AUTHORIZED for a grant that may not be handed on. */
export async function childAuthz(
  { held, agentId, deadline, options }: GrantRequest,
  services: GrantServices,
): Promise<JsonObject | undefined> {
  const known = held.map((grant) => readGrant(grant, ''));
  const shown = options.grant ?? known.find(({ aud }) => aud === agentId)?.document;
  const given: JsonObject[] = [];
  for (const audience of options.handOn ?? []) {
    const grant = known.find(({ aud }) => aud === audience);
    if (grant === undefined) {
      throw new TaskError('the task came without a grant that it needs', { code: 'GRANT_MISSING' });
    }
    given.push(await handOn(grant, agentId, deadline, options.allow, services));
  }
  if (shown === undefined && given.length === 0) return undefined;
  return {
    ...(shown !== undefined && { grant: shown }),
    ...(given.length > 0 && { grants: given }),
  };
}

async function handOn(
  grant: Grant,
  agentId: string,
  deadline: number | undefined,
  allow: DelegateOptions['allow'],
  { identity, crypto, now, newId }: GrantServices,
): Promise<JsonObject> {
  const own = identity();
  // The audience may not know us: then only the key that is our id speaks for us.
  const { key } = own.root === undefined ? signingKeyOf(own, now()) : { key: own.root };
  const narrower = {
    id: newId(),
    sub: agentId,
    ...(allow !== undefined && { allow }),
    notAfterMs: Math.min(grant.notAfterMs, deadline ?? Infinity),
  };
  return attenuateGrant(grant.document, narrower, key.reveal(), crypto);
}
