// Owns the processes of nodes that are killed: some are always ready, because a new one takes longer than its life.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { A2aPlace, Fuse, NodeCommand, NodeReport, NodeSettings, NodeState } from './node.ts';

const PROGRAM = fileURLToPath(new URL('node.ts', import.meta.url));
const SPARE = 2;

/** One process. */
export class KillNode<Settings extends { readonly socket: string } = NodeSettings> {
  readonly #child: ChildProcess;
  #socket = '';
  #a2a: A2aPlace | undefined;
  #wasKilled = false;

  /** @param program which it is. */
  constructor(program: string) {
    this.#child = fork(program, { execArgv: ['--import', 'tsx'] });
    this.#child.setMaxListeners(0);
  }

  get url(): string {
    return `ipc:${this.#socket}`;
  }

  /** Where it speaks official A2A, once it is open. */
  get a2a(): A2aPlace {
    if (this.#a2a === undefined) throw new Error('the node does not speak A2A');
    return this.#a2a;
  }

  /** Killed, or about to be. */
  get isDoomed(): boolean {
    return this.#wasKilled || !this.isAlive;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves when it is so; false when it was killed before. Fails when it has ended by itself. */
  async reached(state: NodeState): Promise<boolean> {
    const [told] = await Promise.race([once(this.#child, 'message'), this.ended()]);
    const report = told as NodeReport | undefined;
    this.#a2a = report?.a2a;
    return report?.state === state;
  }

  /** Resolves when it listens; false when it was killed before. */
  async open(settings: Settings): Promise<boolean> {
    this.#socket = settings.socket;
    this.#tell({ do: 'open', settings: settings as unknown as NodeSettings });
    return this.reached('open');
  }

  arm(fuse: Fuse): void {
    this.#tell({ do: 'arm', fuse });
  }

  /** Lets it end its work; it can be opened again. False when it was killed before. */
  async close(): Promise<boolean> {
    if (!this.isAlive) return false;
    this.#tell({ do: 'close' });
    return this.reached('idle');
  }

  kill(): void {
    this.#wasKilled = true;
    this.#child.kill('SIGKILL');
  }

  /** Resolves when it was killed, by itself or by somebody else. */
  async ended(): Promise<readonly []> {
    if (this.isAlive) await once(this.#child, 'exit');
    const { exitCode, signalCode } = this.#child;
    if (signalCode === 'SIGKILL' || this.#wasKilled) return [];
    throw new Error(`a node ended by itself: exit code ${exitCode}, signal ${signalCode}`);
  }

  #tell(command: NodeCommand): void {
    // One that is gone is not told any more.
    this.#child.send(command, () => undefined);
  }
}

/** Nodes that are not open. */
export class NodePool<Settings extends { readonly socket: string } = NodeSettings> {
  readonly #idle: { readonly node: KillNode<Settings>; readonly ready: Promise<boolean> }[] = [];
  readonly #program: string;

  /** @param program which they are. @default the node */
  constructor(program: string = PROGRAM) {
    this.#program = program;
  }

  /** The one that waits longest; others are made meanwhile. */
  async take(): Promise<KillNode<Settings>> {
    while (this.#idle.length <= SPARE) this.#make();
    const { node, ready } = this.#idle.shift()!;
    await ready;
    return node;
  }

  /** Takes back one that was closed. */
  give(node: KillNode<Settings>): void {
    if (node.isAlive) this.#idle.unshift({ node, ready: Promise.resolve(true) });
  }

  async close(): Promise<void> {
    for (const { node } of this.#idle) node.kill();
    await Promise.all(this.#idle.map(({ node }) => node.ended()));
  }

  #make(): void {
    const node = new KillNode<Settings>(this.#program);
    this.#idle.push({ node, ready: node.reached('idle') });
  }
}
