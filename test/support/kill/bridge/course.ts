// Owns one seed of a bridge: client, bridge and upstream as processes, killed as the plan says and started again at once,
// until the client has seen every task end.

import { join } from 'node:path';

import { freePort } from '../../wire/free-port.ts';
import type { KillNode, NodePool } from '../nodes.ts';
import type { NodeSettings } from '../node.ts';
import type { ClientSettings } from './client.ts';
import type { BridgePlan, KillMoment, Who } from './plan.ts';

export interface BridgeCourseOptions {
  readonly homePath: string;
  /** Of this seed. */
  readonly folder: string;
  readonly nodes: NodePool;
  readonly clients: NodePool<ClientSettings>;
}

export interface BridgeEvidence {
  readonly plan: BridgePlan;
  /** What the clients noted. */
  readonly notes: string;
  /** Where both still are. */
  readonly bridge: string;
  readonly upstream: string;
  /** How often each was killed. */
  readonly killed: Readonly<Record<Who, number>>;
  readonly close: () => Promise<void>;
}

type Mortal = Pick<KillNode, 'kill' | 'arm'>;

/** A process of one kind, and those that follow it. */
class Life {
  killed = 0;
  #isOver = false;
  #node: Mortal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #moments: KillMoment[];

  constructor(moments: readonly KillMoment[]) {
    this.#moments = [...moments];
  }

  /** @param start makes one, and resolves when it has ended, killed or not; false: it was not killed. */
  async live<Node extends Mortal>(
    take: () => Promise<Node>,
    start: (node: Node, fuse: NodeSettings['fuse']) => Promise<boolean>,
  ): Promise<void> {
    while (!this.#isOver) {
      const node = await take();
      this.#node = node;
      const moment = this.#moments.shift();
      if (moment?.kind === 'time') this.#timer = setTimeout(() => node.kill(), moment.ms);
      const fuse = moment?.kind === 'write' ? moment : undefined;
      const wasKilled = await start(node, fuse);
      clearTimeout(this.#timer);
      if (!wasKilled) return;
      if (!this.#isOver) this.killed += 1;
    }
  }

  /** From now on it is not killed any more. */
  calm(): void {
    this.#moments = [];
    clearTimeout(this.#timer);
    this.#node?.arm({ count: Number.MAX_SAFE_INTEGER, turns: 0 });
  }

  end(): void {
    this.#isOver = true;
    this.#node?.kill();
  }
}

export class BridgeCourse {
  readonly #options: BridgeCourseOptions;
  readonly #ports: Record<'bridge' | 'upstream', number> = { bridge: 0, upstream: 0 };

  constructor(options: BridgeCourseOptions) {
    this.#options = options;
  }

  async run(plan: BridgePlan): Promise<BridgeEvidence> {
    const { nodes, clients, folder } = this.#options;
    const { kills } = plan;
    const notes = join(folder, 'client.txt');
    // Both have their addresses and their stores before anybody is killed.
    const upstream = new Life(kills.upstream);
    const bridge = new Life(kills.bridge);
    const client = new Life(kills.client);
    await this.#settle('upstream');
    await this.#settle('bridge');
    const lives = (['upstream', 'bridge'] as const).map((who) =>
      (who === 'upstream' ? upstream : bridge).live(
        () => nodes.take(),
        (node, fuse) => this.#serve(who, node, fuse),
      ),
    );
    const tasks = Object.fromEntries(
      plan.tasks.map(({ work, steps, pauseMs }, at) => [`t${at}`, `${work} ${steps} ${pauseMs}`]),
    );
    const served = client.live(
      () => clients.take(),
      async (node, fuse) => {
        const settings = { socket: '', origin: this.#origin('bridge'), notes, tasks, fuse };
        // The first word is that it has seen all tasks end.
        const isDone = await node.open({ ...settings, socket: '' }).then(() => node.isAlive);
        if (isDone) clients.give(node);
        return !isDone;
      },
    );
    // One that ends by itself would leave the client waiting.
    await Promise.race([served, Promise.all(lives)]);
    bridge.calm();
    upstream.calm();
    return {
      plan,
      notes,
      bridge: this.#origin('bridge'),
      upstream: this.#origin('upstream'),
      killed: { bridge: bridge.killed, upstream: upstream.killed, client: client.killed },
      close: async () => {
        bridge.end();
        upstream.end();
        await Promise.all(lives);
      },
    };
  }

  /** Opened once and closed. Its port is nobody else's while it is away. */
  async #settle(who: 'bridge' | 'upstream'): Promise<void> {
    const { nodes } = this.#options;
    this.#ports[who] = await freePort();
    const node = await nodes.take();
    await node.open(this.#settings(who, undefined));
    await node.close();
    nodes.give(node);
  }

  /** Resolves when it was killed. */
  async #serve(
    who: 'bridge' | 'upstream',
    node: KillNode,
    fuse: NodeSettings['fuse'],
  ): Promise<boolean> {
    if (await node.open(this.#settings(who, fuse))) await node.ended();
    return true;
  }

  #origin(who: 'bridge' | 'upstream'): string {
    return `http://127.0.0.1:${this.#ports[who]}`;
  }

  #settings(who: 'bridge' | 'upstream', fuse: NodeSettings['fuse']): NodeSettings {
    const { homePath, folder } = this.#options;
    return {
      home: homePath,
      store: { path: join(folder, `${who}.db`) },
      name: who,
      socket: join(folder, `${who}.sock`),
      notes: join(folder, `${who}.txt`),
      fuse,
      hasA2a: true,
      port: this.#ports[who],
      ...(who === 'bridge' && { upstream: this.#origin('upstream') }),
    };
  }
}
