// The agent of a home at work in this process, whose log the command line looks into beside it.

import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { homeAt } from '../../../cli/home/home.ts';
import { KeyDirectory } from '../../../keys/directory.ts';
import { PeerBook } from '../../../keys/peer-book.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import type { Store } from '../../../src/stores/store.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { crypto, inboundOf, repliesOf } from '../agents/agents.ts';
import { parse, textOf, utf8 } from '../wire/bytes.ts';
import type { CliRun } from '../agents/cli.ts';
import { CLI_NOW, initHome, newFolder, runCli } from '../agents/cli.ts';
import { taskPayload } from '../wire/envelopes.ts';

/** A home whose agent is at work: its store stays open, as a daemon's does. */
export class AuditNode {
  readonly home: string;
  readonly agentId: string;
  readonly store: Store;
  readonly #receive: (message: string) => Promise<string>;

  private constructor(
    home: string,
    agentId: string,
    store: Store,
    receive: (message: string) => Promise<string>,
  ) {
    this.home = home;
    this.agentId = agentId;
    this.store = store;
    this.#receive = receive;
  }

  /** @param open a store of its own. @default the home's SQLite database */
  static async start(home?: string, open?: () => Promise<Store>): Promise<AuditNode> {
    const folder = home ?? (await initHome());
    const paths = homeAt(folder);
    const store =
      (await open?.()) ?? (await openSqliteStore({ path: paths.store, now: () => CLI_NOW }));
    const identity = await new KeyDirectory(paths.keys, { crypto }).load('agent');
    const runtime = createRuntime({
      identity,
      store,
      peers: await PeerBook.open(paths.peers.agent),
      onTask: () => Promise.resolve(undefined),
      now: () => CLI_NOW,
      timeouts: { joinMs: 0 },
    });
    onTestFinished(async () => {
      await runtime.close();
      await store.close();
    });
    return new AuditNode(folder, identity.agentId, store, async (message) => {
      const [reply] = await repliesOf(runtime, inboundOf(utf8(message)));
      return textOf(reply!.bytes);
    });
  }

  cli(args: readonly string[], input = ''): Promise<CliRun> {
    return runCli([...args, '--home', this.home], { input });
  }

  /** A request of the operator, and the answer to it. */
  async exchange(
    command = 'sign',
  ): Promise<{ readonly id: string; readonly request: string; readonly reply: string }> {
    const args = [command, '-', '--ct', 'task.v1', '--to', 'agent'];
    const { stdout } = await this.cli(args, JSON.stringify(taskPayload));
    const { id } = parse(stdout) as JsonObject;
    return { id: id as string, request: stdout, reply: await this.#receive(stdout) };
  }
}

/** Where nothing is known of anybody. */
export function elsewhere(args: readonly string[], input = ''): Promise<CliRun> {
  return runCli([...args, '--home', join(newFolder(), 'none')], { input });
}
