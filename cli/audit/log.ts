// Owns how commands get at the audit log of a home, beside a daemon that may be writing to it. SPEC.md section 10 (#audit).

import type { StoredIdentity } from '../../keys/index.ts';
import type { AuditLog, NodeKeys } from '../../src/audit/index.ts';
import { createAuditLog } from '../../src/audit/index.ts';
import { formerSigningKeys, signingKeyOf, thumbprint } from '../../src/security/index.ts';
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
    const former = await formerSigningKeys(store, identity.agentId, context.crypto);
    const publicKeys = new Map([...former, ...signingKeysOf(identity)]);
    return use({ store, identity, keys: { node: identity.agentId, publicKeys } });
  });
}

/** There is one, or the user says so. */
export async function hasAgentStore({ home, options }: CommandContext): Promise<boolean> {
  return options.text('store') !== undefined || isThere(home.store);
}

/** Opens it for heads and proofs, which the agent's present key signs. */
export async function openLog(
  { store, identity }: HomeLog,
  { crypto, now }: CommandContext,
): Promise<AuditLog> {
  return createAuditLog({
    store,
    node: identity.agentId,
    crypto,
    now,
    signer: () => {
      const { kid, key } = signingKeyOf(identity, now());
      return { kid, secretKey: key.reveal() };
    },
  });
}

/** The root key stands in when all others have ended. */
export function signingKeysOf({ root, keys }: StoredIdentity): Map<string, Uint8Array> {
  const signing = keys.filter(({ use }) => use === 'sig');
  return new Map([
    [thumbprint('ed25519', root.publicKey), root.publicKey],
    ...signing.map(({ kid, key }): [string, Uint8Array] => [kid, key.publicKey]),
  ]);
}
