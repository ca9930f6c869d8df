// Owns how the command line speaks to agents: as an identity of the home, to whom that identity knows.

import type { Client, RemoteAgent } from '../../src/client/index.ts';
import { createClient } from '../../src/client/index.ts';
import type { CommandContext, CommandOption } from '../kit/command.ts';
import { CliError, failure } from '../kit/exit.ts';
import { openIdentity, peersOf } from '../home/identities.ts';
import { openStore } from '../store/open.ts';
import { PASSPHRASE_OPTION } from '../home/passphrase-file.ts';
import { dialersFor } from './dialers.ts';
import { withIntroduction } from './error.ts';
import { TLS_OPTIONS, readTls } from './tls.ts';

/** Options of every command that speaks to an agent. */
export const CLIENT_OPTIONS: Readonly<Record<string, CommandOption>> = {
  ...TLS_OPTIONS,
  'passphrase-file': PASSPHRASE_OPTION,
};

/** Runs `use` with a client, and closes what was opened for it. */
export async function withClient<T>(
  context: CommandContext,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const { home, crypto, now } = context;
  const identity = await openIdentity(context, 'operator');
  const tls = await readTls(context);
  // What was learned of peers, and the latch against downgrades, must outlive one command.
  const store = await openStore(`sqlite:${home.operatorStore}`, now);
  try {
    const peers = await peersOf(home, 'operator');
    const client = createClient({
      identity,
      name: 'operator',
      role: 'operator',
      peers,
      store,
      crypto,
      now,
      on: {
        receipt: ({ peer, refusal }) => {
          if (refusal === undefined) return;
          context.terminal.note(`the receipt of ${peer} is not kept: ${refusal.reason}`);
        },
      },
      transports: dialersFor(tls, () => peers.list()),
    });
    try {
      return await use(client);
    } catch (thrown) {
      throw withIntroduction(thrown, identity.agentId, context.env);
    } finally {
      await client.close();
    }
  } finally {
    await store.close();
  }
}

/** The peer that a user named. */
export function connectPeer(client: Client, target: string): RemoteAgent {
  try {
    return client.connect(target);
  } catch (thrown) {
    if (thrown instanceof CliError) throw thrown;
    const words = thrown instanceof Error ? thrown.message : String(thrown);
    throw failure(words, {
      code: 'PEER_UNKNOWN',
      next: 'see "a2a-sdl peers list", or "a2a-sdl peers add URL"',
    });
  }
}
