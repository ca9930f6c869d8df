// Owns the course of one seed of official A2A: clients that follow tasks and go on wherever they were cut off, nodes that
// are killed and followed by others, and web hooks that keep what they are told.

import { join } from 'node:path';

import type { Store } from '../../../../src/stores/store.ts';
import type { Receiver } from '../../a2a/receiver.ts';
import type { NodeSettings } from '../node.ts';
import type { KillNode, NodePool } from '../nodes.ts';
import { isLast } from './brief.ts';
import type { A2aPlan, Moment, Place, PlannedStream } from './plan.ts';
import type { Asked } from './ways.ts';
import { Seen, WAYS, aLittleLater } from './ways.ts';

export interface CourseOptions {
  readonly homePath: string;
  /** Of everything of this seed. */
  readonly folder: string;
  readonly place: NodeSettings['store'];
  /** The same place, for who looks at it. */
  readonly store: Store;
  readonly pool: NodePool;
  readonly receiver: Receiver;
}

/** What one client has seen. */
export interface Reader {
  /** Of the task, where it was begun by this client. */
  readonly name: string;
  readonly way: string;
  readonly seen: Seen;
  /** It could not be gone on with, because nobody has told the id of the task, or because the task had ended. */
  readonly isLost: boolean;
}

export interface A2aEvidence {
  readonly readers: readonly Reader[];
  readonly receiver: Receiver;
  /** The names of streams that bring a web hook. */
  readonly hooked: ReadonlySet<string>;
  readonly kills: number;
}

const PLACES: readonly Place[] = [0, 1];
/** Of one client, and of tasks and web hooks after the last one has gone. */
const PATIENCE_MS = 120_000;

export class A2aCourse {
  readonly #options: CourseOptions;
  readonly #nodes: Promise<KillNode>[] = [];
  readonly #left: [Moment[], Moment[]] = [[], []];
  readonly #moments: (Moment | undefined)[] = [];
  readonly #counts = [
    { frame: 0, delivery: 0 },
    { frame: 0, delivery: 0 },
  ];
  #opened = 0;
  #kills = 0;
  #isOver = false;

  constructor(options: CourseOptions) {
    this.#options = options;
  }

  async run({ streams, atOnce, kills, refused }: A2aPlan): Promise<A2aEvidence> {
    const { receiver, pool } = this.#options;
    for (const place of PLACES) {
      this.#left[place] = [...kills[place]];
      this.#nodes[place] = this.#open(place);
    }
    receiver.reply = (_delivery, nth) => {
      for (const place of PLACES) this.#count(place, 'delivery');
      return { status: refused.includes(nth) ? 503 : 200 };
    };
    try {
      const readers: Reader[] = [];
      const waiting = streams.entries();
      const oneByOne = async (): Promise<void> => {
        for (const [at, planned] of waiting) readers.push(...(await this.#follow(planned, at)));
      };
      await Promise.all(Array.from({ length: atOnce }, oneByOne));
      await this.#settled();
      this.#isOver = true;
      for (const place of PLACES) {
        const node = await this.#nodes[place]!;
        if (await node.close()) pool.give(node);
      }
      const named = streams.map(({ hasHook }, at) => (hasHook ? [nameAt(at)] : []));
      const hooked = new Set(named.flat());
      return { readers, receiver, hooked, kills: this.#kills };
    } catch (thrown) {
      this.#isOver = true;
      for (const node of this.#nodes) (await node).kill();
      throw thrown;
    }
  }

  /** Resolves with a node that has listened; it may have been killed since. */
  async #open(place: Place): Promise<KillNode> {
    const { homePath, folder, place: store, pool } = this.#options;
    for (;;) {
      const name = `n${(this.#opened += 1)}`;
      const node = await pool.take();
      const moment = this.#left[place].shift();
      this.#moments[place] = moment;
      this.#counts[place] = { frame: 0, delivery: 0 };
      const isOpen = await node.open({
        home: homePath,
        store,
        name,
        socket: join(folder, `${name}.sock`),
        notes: join(folder, 'notes'),
        fuse: moment?.kind === 'write' ? moment : undefined,
        hasA2a: true,
      });
      if (!isOpen) {
        this.#kills += 1;
        continue;
      }
      const timer = moment?.kind === 'time' ? setTimeout(() => node.kill(), moment.ms) : undefined;
      void node.ended().then(() => {
        clearTimeout(timer);
        if (this.#isOver) return;
        this.#kills += 1;
        this.#nodes[place] = this.#open(place);
      });
      return node;
    }
  }

  #count(place: Place, kind: 'frame' | 'delivery'): void {
    const count = (this.#counts[place]![kind] += 1);
    const moment = this.#moments[place];
    if (moment?.kind !== kind || moment.count !== count) return;
    void this.#nodes[place]!.then((node) => node.kill());
  }

  /** The client that begins the task, and who subscribes to it. */
  async #follow(planned: PlannedStream, at: number): Promise<Reader[]> {
    const { way, nodes, hasHook, work, steps, pauseMs, watcher } = planned;
    const name = nameAt(at);
    const text = `${work} ${steps} ${pauseMs} ${name}`;
    const url = this.#options.receiver.url(`/${name}`);
    const push = hasHook ? { id: `config-${name}`, url, token: name } : undefined;
    const seen = new Seen();
    let watching: Promise<Reader> | undefined;
    const onFrame = (): void => {
      if (watcher === undefined || seen.briefs.length < watcher.after) return;
      watching ??= this.#watch(watcher, seen.id, name);
    };
    const isLost = await this.#read(seen, { way, nodes, asked: { text, push }, onFrame });
    const reader = { name, way: WAYS[way]!.name, seen, isLost };
    return watching === undefined ? [reader] : [reader, await watching];
  }

  async #watch(
    { way, nodes }: NonNullable<PlannedStream['watcher']>,
    id: string,
    name: string,
  ): Promise<Reader> {
    const seen = new Seen();
    seen.id = id;
    const isLost = await this.#read(seen, { way, nodes, asked: 'subscribe', onFrame: () => {} });
    return { name, way: `${WAYS[way]!.name}, subscribed`, seen, isLost };
  }

  /** False when it has all of the task. */
  async #read(seen: Seen, { way, nodes, asked, onFrame }: Reading): Promise<boolean> {
    const overdue = performance.now() + PATIENCE_MS;
    for (let connection = 0; ; connection += 1) {
      const place = nodes[connection % nodes.length]!;
      const node = await this.#nodes[place]!;
      const had = seen.briefs.length;
      const outcome = await WAYS[way]!.read(node.a2a, asked, seen, () => {
        this.#count(place, 'frame');
        onFrame();
      });
      if (had > 0 && seen.briefs.length > had) seen.resumes += 1;
      const last = seen.briefs.at(-1);
      if (last !== undefined && isLast(last)) return false;
      if (performance.now() > overdue) throw new Error(`${seen.id} does not go on after ${last}`);
      if (outcome !== 'away') {
        // Whoever was told nothing does not know of a task, and one that has ended is not told from its beginning.
        if (last === undefined && (seen.id === '' || outcome === 'refused')) return true;
        if (outcome === 'refused')
          throw new Error(`refused to go on with ${seen.id} after ${last}`);
        asked = 'subscribe';
      }
      await aLittleLater();
    }
  }

  /** Every task has ended, and nothing is left to tell. */
  async #settled(): Promise<void> {
    const { store } = this.#options;
    const overdue = performance.now() + PATIENCE_MS;
    const inPhase = (phase: string): Promise<number> => store.count('task', { index: { phase } });
    for (;;) {
      const open = (await inPhase('active')) + (await inPhase('waiting'));
      const untold = await store.count('outbox');
      if (open === 0 && untold === 0) return;
      if (performance.now() > overdue) {
        const { entries } = await store.list('outbox');
        const left = entries.map(({ value }) => new TextDecoder().decode(value)).join(', ');
        throw new Error(`${open} tasks do not end, ${untold} web hooks are not told: ${left}`);
      }
      await aLittleLater();
    }
  }
}

interface Reading {
  readonly way: number;
  readonly nodes: readonly Place[];
  readonly asked: Asked;
  readonly onFrame: () => void;
}

function nameAt(at: number): string {
  return `s${at}`;
}
