// Owns which keys speak for the node of a log: those that were given, else those that the evidence proves itself or
// this home knows. SPEC.md sections 6 and 10 (#sec-kid-bound, #evidence).

import type { Evidence, NodeKeys } from '../../src/audit/index.ts';
import { keysOfEvidence } from '../../src/audit/index.ts';
import type { KeyBundle, PeerKey } from '../../src/security/index.ts';
import { createContacts } from '../../src/security/index.ts';
import type { CommandContext } from '../kit/command.ts';
import { failure } from '../kit/exit.ts';
import { peersOf } from '../home/identities.ts';
import { withHomeStore } from '../home/store.ts';

export async function keysOfNode(
  evidence: Evidence,
  given: readonly PeerKey[],
  context: CommandContext,
): Promise<NodeKeys> {
  const { node } = evidence;
  const publicKeys =
    given.length > 0 ? new Map(given.map(byKid)) : await knownKeys(evidence, context);
  if (publicKeys.size > 0) return { node, publicKeys };
  throw failure(`no key of ${node} is known here`, {
    code: 'NO_KEY',
    next: 'give it with --sign-key KID=KEY',
  });
}

/** Ended keys too: they have spoken for the node in their time. What the book says of a kid stands. */
async function knownKeys(
  evidence: Evidence,
  context: CommandContext,
): Promise<Map<string, Uint8Array>> {
  const { node, bundle } = evidence;
  const { home, crypto } = context;
  const entry = (await peersOf(home, 'operator')).snapshot().find(node);
  if (entry?.revoked === true) {
    throw failure(`${node} is revoked in the peer book of this home`, {
      code: 'SENDER_REFUSED',
      next: 'if you still trust what a key of it signed, give that key with --sign-key KID=KEY',
    });
  }
  const proven = await keysOfEvidence(evidence, crypto);
  const learned = bundle === undefined ? await learnedBundle(node, context) : undefined;
  const listed = learned?.keys.filter(({ use }) => use === 'sig') ?? [];
  return new Map([
    ...listed.map(({ kid, publicKey }): [string, Uint8Array] => [kid, publicKey]),
    ...proven.publicKeys,
    ...(entry?.signingKeys ?? []).map(byKid),
  ]);
}

async function learnedBundle(
  agentId: string,
  context: CommandContext,
): Promise<KeyBundle | undefined> {
  const { crypto, now } = context;
  return withHomeStore('agent', context, async (store) => {
    return (await createContacts(store, { crypto, now }).get(agentId))?.bundle;
  });
}

function byKid({ kid, key }: PeerKey): [string, Uint8Array] {
  return [kid, key];
}
