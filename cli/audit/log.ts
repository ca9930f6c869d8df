// Owns how commands get at the audit log of a home, beside a daemon that may be writing to it. SPEC.md section 10 (#audit).

import type { StoredIdentity } from '../../keys/index.ts';
import type { AuditLog, NodeKeys } from '../../src/audit/index.ts';
import { createAuditLog } from '../../src/audit/index.ts';
import { ownSigningKeys, signingKeyOf } from '../../src/security/index.ts';
import type { Store } from '../../src/stores/index.ts';
import type { CommandContext } from '../kit/command.ts';
import { failure } from '../kit/exit.ts';
import { openIdentity } from '../home/identities.ts';
import { isThere, withHomeStore } from '../home/store.ts';

/** The log of the home's agent, and the keys that it signs with. */
export interface HomeLog {
  readonly store: Store;
  readonly identity: StoredIdentity;
  readonly keys: NodeKeys;
}

export async function withHomeLog<T>(
  context: CommandContext,
  use: (log: HomeLog) => Promise<T>,
): Promise<T> {
  const identity = await openIdentity(context, 'agent');
  if (!(await hasAgentStore(context))) {
    throw failure(`there is no log in ${context.home.root} yet`, {
      code: 'NO_LOG',
      next: 'the daemon starts it: a2a-sdl serve; if it keeps its own elsewhere, name that with --store URL',
    });
  }
  return withHomeStore('agent', context, async (store) => {
    const publicKeys = await ownSigningKeys(store, identity, context.crypto);
    return use({ store, identity, keys: { node: identity.agentId, publicKeys } });
  });
}

/** There is one, or the user says so. */
export async function hasAgentStore({ home, options }: CommandContext): Promise<boolean> {
  return options.text('store') !== undefined || isThere(home.store);
}

/** Opens it for heads and proofs, which the agent's present key signs. */
export async function openLog(
  { store, identity, keys }: HomeLog,
  { crypto, now }: CommandContext,
): Promise<AuditLog> {
  return createAuditLog({
    store,
    node: identity.agentId,
    crypto,
    now,
    publicKeys: keys.publicKeys,
    signer: () => {
      const { kid, key } = signingKeyOf(identity, now());
      return { kid, secretKey: key.reveal() };
    },
  });
}
