// Owns how the command line speaks to agents: as an identity of the home, to whom that identity knows.

import type { Client, RemoteAgent } from '../../src/client/index.ts';
import { createClient } from '../../src/client/index.ts';
import type { OwnIdentity } from '../../src/security/index.ts';
import { createMemoryStore } from '../../src/stores/index.ts';
import { connectedWords } from '../a2a/words.ts';
import { dialectOf, openA2aWay } from '../a2a/way.ts';
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
  verbose: {
    type: 'boolean',
    description: 'of an A2A agent: say how its card was proven, and what is spoken to it and why',
  },
};

/** Who speaks; or why nobody can, which agents of A2A need not know. */
type Operator = { readonly identity: OwnIdentity } | { readonly missing: CliError };

/** Runs `use` with a client, and closes what was opened for it. */
export async function withClient<T>(
  context: CommandContext,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const { home, crypto, now, terminal, options } = context;
  const operator = await openOperator(context);
  const tls = await readTls(context);
  const way = await openA2aWay(home, tls);
  // What was learned of peers, and the latch against downgrades, must outlive one command.
  const store =
    'missing' in operator
      ? createMemoryStore({ now })
      : await openStore(`sqlite:${home.operatorStore}`, now);
  try {
    const peers = await peersOf(home, 'operator');
    const client = createClient({
      ...('identity' in operator && { identity: operator.identity }),
      name: 'operator',
      role: 'operator',
      peers,
      store,
      crypto,
      now,
      on: {
        receipt: ({ peer, refusal }) => {
          if (refusal === undefined) return;
          terminal.note(`the receipt of ${peer} is not kept: ${refusal.reason}`);
        },
      },
      transports: [
        ...dialersFor(tls, () => peers.list()),
        dialectOf(way, (agent) => {
          if (options.flag('verbose'))
            for (const line of connectedWords(agent)) terminal.note(line);
        }),
      ],
    });
    try {
      return await use(client);
    } catch (thrown) {
      if ('missing' in operator) throw isPeerUnknown(thrown) ? operator.missing : thrown;
      throw withIntroduction(thrown, operator.identity.agentId, context.env);
    } finally {
      await client.close();
    }
  } finally {
    await store.close();
  }
}

async function openOperator(context: CommandContext): Promise<Operator> {
  try {
    return { identity: await openIdentity(context, 'operator') };
  } catch (thrown) {
    if (thrown instanceof CliError && thrown.code === 'NO_HOME') return { missing: thrown };
    throw thrown;
  }
}

function isPeerUnknown(thrown: unknown): boolean {
  return thrown instanceof CliError && thrown.code === 'PEER_UNKNOWN';
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
