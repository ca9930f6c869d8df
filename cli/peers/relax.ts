// Owns the command `peers relax`: lets a peer start anew that has to speak less securely than before.
// SPEC.md section 6 (#sec-reply-strength).

import { createModeLatch, createSealedLatch } from '../../src/security/index.ts';
import type { Store } from '../../src/stores/index.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { EXIT, failure } from '../kit/exit.ts';
import { assertOwnStore, storeElsewhere, withHomeStore } from '../home/store.ts';
import { BOOK_OPTION, openPeer } from './book.ts';
import { STORE_OPTION, storePlace, withStore } from '../store/place.ts';

export const peersRelaxCommand: Action = {
  name: 'relax',
  summary: 'accept a weaker mode from a peer than it has spoken before',
  parameters: [{ name: 'PEER', description: 'its name, or its agent id or the beginning of that' }],
  options: {
    as: BOOK_OPTION,
    store: STORE_OPTION,
  },
  notes: [
    'A peer that has once spoken encrypted is refused when it stops, since that may be somebody in\n' +
      'between. Its minimum mode ("peers set --min-mode") counts on. The same holds for a peer that has\n' +
      'sealed its messages of official A2A, and for "peers set --sealed".',
  ],
  examples: [
    'a2a-sdl peers relax alice',
    'a2a-sdl peers relax alice --store postgres://agent@db/agent',
  ],
  async run(context) {
    const { words, options, terminal } = context;
    const { role, entry } = await openPeer(context, words[0]!);
    const { agentId, name } = entry;
    assertOwnStore(role, options);
    const relax = async (store: Store): Promise<void> => {
      await createModeLatch(store).reset(agentId);
      await createSealedLatch(store).reset(agentId);
    };
    if (role === 'operator') await withHomeStore(role, context, relax);
    else {
      await assertDaemonStore(context);
      await withStore(await storePlace(context), relax);
    }
    terminal.result({ agent_id: agentId, relaxed: true }, () => {
      terminal.print(`${name ?? agentId} may speak in a weaker mode again`);
    });
    return EXIT.ok;
  },
};

/** What is relaxed in a store that the daemon does not use would change nothing. */
async function assertDaemonStore({ options, home }: CommandContext): Promise<void> {
  if (options.text('store') !== undefined) return;
  const elsewhere = await storeElsewhere(home);
  if (elsewhere === undefined) return;
  throw failure(elsewhere.fact, { code: 'STORE_ELSEWHERE', next: elsewhere.next });
}
