// Owns the course of one seed: rounds of requests in which nodes are killed, then all tasks to their end, then every
// request once more and again. What came back is the evidence.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ReadyHome } from '../../../cli/home/init.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { Content } from '../../../src/envelope/build.ts';
import { isTerminal, isWaiting } from '../../../src/tasks/task.ts';
import type { TaskState } from '../../../src/tasks/task.ts';
import type { Exchange } from './exchange.ts';
import { PATIENCE_MS, exchange } from './exchange.ts';
import type { NodeSettings } from './node.ts';
import type { KillNode, NodePool } from './nodes.ts';
import type { Moment, Plan, Round } from './plan.ts';
import type { KillRequest } from './requests.ts';
import { callOf, requestsOf, sealed } from './requests.ts';

export interface KillRunOptions {
  readonly home: ReadyHome;
  /** Where the home is, and everything of this seed. */
  readonly homePath: string;
  readonly folder: string;
  readonly store: NodeSettings['store'];
  readonly pool: NodePool;
  /** Kills the database with all of its processes, and starts it again. @default there is none to kill */
  readonly killServer?: (() => Promise<void>) | undefined;
}

/** A request, and what came of it in the order of sending: the last two times after everything else. */
export interface Fate {
  readonly request: KillRequest;
  readonly exchanges: readonly Exchange[];
}

export interface Evidence {
  readonly home: ReadyHome;
  readonly fates: readonly Fate[];
  /** What nodes wrote down, a line each. */
  readonly notes: readonly (readonly string[])[];
  readonly wasServerKilled: boolean;
  /** Nodes that were killed before they were done. */
  readonly kills: { readonly early: number; readonly late: number };
}

type Place = 0 | 1;
const PLACES: readonly Place[] = [0, 1];

export class KillRun {
  readonly #options: KillRunOptions;
  readonly #nodes: (KillNode | undefined)[] = [undefined, undefined];
  readonly #fates = new Map<KillRequest, Exchange[]>();
  #opened = 0;
  #wasServerKilled = false;
  readonly #kills = { early: 0, late: 0 };

  constructor(options: KillRunOptions) {
    this.#options = options;
  }

  async run(plan: Plan): Promise<Evidence> {
    const { home, pool } = this.#options;
    const rounds = await requestsOf(home, plan);
    try {
      for (const [at, round] of plan.rounds.entries()) await this.#round(round, rounds[at]!);
      await Promise.all(PLACES.map((place) => this.#prepare(place, undefined)));
      await this.#endTasks();
      for (const turn of [0, 1]) {
        await Promise.all(
          [...this.#fates].map(async ([request, exchanges]) => {
            exchanges.push(await this.#repeat(request, turn));
          }),
        );
        // What had not arrived before has begun now.
        await this.#endTasks();
      }
      await Promise.all(this.#nodes.map((node) => node!.close()));
      for (const node of this.#nodes) pool.give(node!);
    } catch (thrown) {
      for (const node of this.#nodes) node?.kill();
      throw thrown;
    }
    return {
      home,
      fates: [...this.#fates].map(([request, exchanges]) => ({ request, exchanges })),
      notes: this.#notes(),
      wasServerKilled: this.#wasServerKilled,
      kills: this.#kills,
    };
  }

  async #round(round: Round, requests: readonly KillRequest[]): Promise<void> {
    const { atOnce } = round;
    const { killServer } = this.#options;
    const kills = killServer === undefined ? nodesInsteadOfServer(round.kills) : round.kills;
    await Promise.all(PLACES.map((place) => this.#prepare(place, kills[place])));
    const callOffs = PLACES.map((place) =>
      atItsTime(kills[place], () => this.#nodes[place]!.kill()),
    );
    let restarting: Promise<void> | undefined;
    const stopServer = (): void => {
      this.#wasServerKilled = true;
      restarting ??= killServer!();
    };
    callOffs.push(atItsTime(kills.server, stopServer));
    const left = { 0: answersLeft(kills[0]), 1: answersLeft(kills[1]) };
    const onArrival = (place: Place): void => {
      if ((left[place] -= 1) === 0) this.#nodes[place]!.kill();
    };
    const waiting = requests.values();
    const oneByOne = async (): Promise<void> => {
      for (const request of waiting) await this.#send(request, onArrival);
    };
    await Promise.all(Array.from({ length: atOnce }, oneByOne));
    for (const callOff of callOffs) callOff();
    if (kills.server !== undefined) stopServer();
    await restarting;
    for (const place of PLACES) if (kills[place] !== undefined) await this.#killed(place);
  }

  /** Opens a node where there is none. */
  async #prepare(place: Place, moment: Moment | undefined): Promise<void> {
    const fuse = moment?.kind === 'write' ? moment : undefined;
    const there = this.#nodes[place];
    if (there !== undefined) {
      if (fuse !== undefined) there.arm(fuse);
      return;
    }
    const { homePath, folder, store, pool } = this.#options;
    const name = `n${(this.#opened += 1)}`;
    const node = await pool.take();
    this.#nodes[place] = node;
    await node.open({
      home: homePath,
      store,
      name,
      socket: join(folder, `${name}.sock`),
      notes: join(folder, 'notes'),
      fuse,
    });
  }

  async #killed(place: Place): Promise<void> {
    const node = this.#nodes[place]!;
    this.#nodes[place] = undefined;
    this.#kills[node.isDoomed ? 'early' : 'late'] += 1;
    node.kill();
    await node.ended();
  }

  async #send(request: KillRequest, onArrival: (place: Place) => void): Promise<void> {
    const { node, isTwin, message } = request;
    const { home } = this.#options;
    const exchanges: Exchange[] = [];
    this.#fates.set(request, exchanges);
    await Promise.all(
      PLACES.filter((place) => isTwin || place === node).map(async (place) => {
        const { url } = this.#nodes[place]!;
        exchanges.push(await exchange(message, { home, url, onArrival: () => onArrival(place) }));
      }),
    );
  }

  /** First at the node that it was meant for, then at the other. */
  async #repeat({ node, message }: KillRequest, turn: number): Promise<Exchange> {
    const { url } = this.#nodes[(node + turn) % 2]!;
    return exchange(message, { home: this.#options.home, url });
  }

  /** Answers all questions and waits for every task, asking one node after the other. */
  async #endTasks(): Promise<void> {
    const overdue = performance.now() + PATIENCE_MS;
    for (let turn = 0; ; turn += 1) {
      const open = (await this.#list(turn)).filter(
        ({ status }) => !isTerminal(status as TaskState),
      );
      if (open.length === 0) return;
      if (performance.now() > overdue) throw new Error(`tasks do not end: ${JSON.stringify(open)}`);
      await Promise.all(
        open.map(async ({ id, status }) => {
          const isAsking = isWaiting(status as TaskState);
          if (isAsking) await this.#ask(turn, callOf('task.reply', { id: id!, reply: 'end' }));
          else await this.#ask(turn, callOf('task.watch', { id: id! }));
        }),
      );
    }
  }

  async #list(turn: number): Promise<JsonObject[]> {
    const tasks: JsonObject[] = [];
    for (let cursor: JsonObject = {}; ;) {
      const { result } = await this.#ask(turn, callOf('task.list', { limit: 200, ...cursor }));
      const { tasks: page, next } = result as JsonObject;
      tasks.push(...(page as JsonObject[]));
      if (next === undefined) return tasks;
      cursor = { cursor: next };
    }
  }

  async #ask(turn: number, content: Content): Promise<JsonObject> {
    const { home } = this.#options;
    const { url } = this.#nodes[turn % 2]!;
    const { reply } = await exchange(await sealed(home, content), { home, url });
    if (reply?.ct === 'toolresult.v1') return reply.payload;
    throw new Error(`a node that lives answered ${JSON.stringify(reply?.payload)}`);
  }

  #notes(): string[][] {
    const path = join(this.#options.folder, 'notes');
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' '));
  }
}

/** Returns what calls it off. */
function atItsTime(moment: Moment | undefined, act: () => void): () => void {
  if (moment?.kind !== 'time') return () => undefined;
  const timer = setTimeout(act, moment.ms);
  return () => clearTimeout(timer);
}

function nodesInsteadOfServer({ 0: first, 1: second, server }: Round['kills']): Round['kills'] {
  return { 0: first ?? server, 1: second ?? server };
}

function answersLeft(moment: Moment | undefined): number {
  return moment?.kind === 'answer' ? moment.count : Infinity;
}
