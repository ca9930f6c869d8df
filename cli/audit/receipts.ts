// Owns the command `audit receipts`: the receipts that were kept of agents that answered. SPEC.md section 10 (#receipt-kept).

import type { KeptReceipt, ReceiptBook } from '../../src/audit/index.ts';
import { createReceiptBook } from '../../src/audit/index.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import type { Role } from '../home/home.ts';
import { ROLES } from '../home/home.ts';
import type { KnownPeers } from '../home/identities.ts';
import { peersOf } from '../home/identities.ts';
import { assertOwnStore, withHomeStore } from '../home/store.ts';
import { STORE_OPTION } from '../store/place.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

export const auditReceiptsCommand: Action = {
  name: 'receipts',
  summary: 'list the receipts of agents that answered, the newest first',
  options: {
    peer: { type: 'string', value: 'PEER', description: 'those of this agent: its id or name' },
    limit: {
      type: 'string',
      value: 'N',
      description: `how many at the most (default ${DEFAULT_LIMIT})`,
    },
    after: {
      type: 'string',
      value: 'CURSOR',
      description: 'the next page: the cursor that the page before it ended with',
    },
    as: {
      type: 'string',
      value: 'ROLE',
      description:
        'whose: operator, as whom "send" asks, or agent (default: operator; with --store: agent)',
    },
    store: STORE_OPTION,
  },
  notes: [
    'With --json there is one line for each receipt, and a last line {"next": CURSOR} when there are more.',
  ],
  examples: [
    'a2a-sdl audit receipts',
    'a2a-sdl audit receipts --peer bob --limit 100 --json',
    'a2a-sdl audit receipts --as agent',
  ],
  async run(context) {
    const { options, terminal, home } = context;
    const named = options.oneOf('as', ROLES);
    assertOwnStore(named, options);
    const role = named ?? (options.text('store') === undefined ? 'operator' : 'agent');
    const peers = await peersOf(home, role);
    const wanted = options.text('peer');
    const { receipts, next } = await withReceipts(role, context, (book) =>
      book.list({
        // A peer may have left the book since; its id is enough.
        peer: wanted === undefined ? undefined : (peers.get(wanted)?.agentId ?? wanted),
        limit: options.integer('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT,
        after: options.text('after'),
      }),
    );
    if (terminal.isJson) {
      for (const kept of receipts) terminal.json(documentOf(kept));
      if (next !== undefined) terminal.json({ next });
      return EXIT.ok;
    }
    if (receipts.length === 0) terminal.note('there are no receipts');
    else {
      const rows = receipts.map((kept) => rowOf(kept, peers));
      terminal.table([['TIME', 'VERDICT', 'CONTENT', 'PEER', 'MESSAGE ID'], ...rows]);
      if (next !== undefined) terminal.note(`there are more: add --after ${next}`);
    }
    return EXIT.ok;
  },
};

/** The receipts that an identity of the home has kept. */
export function withReceipts<T>(
  role: Role,
  context: CommandContext,
  use: (book: ReceiptBook) => Promise<T>,
): Promise<T> {
  const { crypto, now } = context;
  return withHomeStore(role, context, (store) => use(createReceiptBook({ store, crypto, now })));
}

function documentOf({ id, ct, time, kid, receipt }: KeptReceipt): JsonObject {
  const { node, verdict, req, res } = receipt;
  return { message_id: id, ct, time, peer: node, verdict, req, res, kid };
}

function rowOf({ id, ct, time, receipt }: KeptReceipt, peers: KnownPeers): string[] {
  return [time, receipt.verdict, ct, peers.get(receipt.node)?.name ?? receipt.node, id];
}
