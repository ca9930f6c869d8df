// A process that is a client of a bridge until it is killed: it begins tasks, follows them, answers their questions, and
// notes every event in a file. One that is started later goes on from those notes.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import type { A2aAgent } from '../../../../profiles/a2a/index.ts';
import { A2aRemoteError, connectA2a } from '../../../../profiles/a2a/index.ts';
import type { Fuse } from '../node.ts';
import { frameOf } from './frames.ts';

export interface ClientSettings {
  readonly socket: string;
  readonly origin: string;
  readonly notes: string;
  /** What the tasks ask for, by name. */
  readonly tasks: Readonly<Record<string, string>>;
  readonly fuse: Fuse | undefined;
}

const PAUSE_MS = 40;
let left = Infinity;

async function die(turns: number): Promise<void> {
  for (let turn = turns; turn > 0; turn -= 1) await new Promise(setImmediate);
  process.kill(process.pid, 'SIGKILL');
}

/** One task, as the notes tell it. */
class NotedTask {
  readonly #settings: ClientSettings;
  readonly #name: string;
  #id: string | undefined;
  #lastEventId = '0';
  isEnded = false;

  constructor(settings: ClientSettings, name: string, lines: readonly string[]) {
    this.#settings = settings;
    this.#name = name;
    for (const line of lines) {
      const [kind, of, ...words] = line.split(' ');
      if (of !== name) continue;
      if (kind === 'task') this.#id = words[0];
      if (kind === 'event') this.#lastEventId = words[0]!;
      if (kind === 'end') this.isEnded = true;
    }
  }

  async goOn(client: A2aAgent): Promise<void> {
    if (this.#id === undefined) await this.#begin(client);
    await this.#follow(client, this.#id!);
  }

  async #begin(client: A2aAgent): Promise<void> {
    // What is sent again by a client that does not know is another task.
    const text = `${this.#settings.tasks[this.#name]!} ${globalThis.crypto.randomUUID()}`;
    const message = { id: text, role: 'user', parts: [{ text }] } as const;
    const sent = await client.send({ message, isWaiting: false });
    if (!('task' in sent)) throw new Error('it was answered without a task');
    this.#id = sent.task.id;
    this.#note('task', this.#id);
  }

  async #follow(client: A2aAgent, id: string): Promise<void> {
    // A reply of an earlier life may not have arrived.
    await this.#reply(client, id);
    try {
      for await (const { event, id: eventId } of client.subscribe(id, {
        lastEventId: this.#lastEventId,
      })) {
        this.#lastEventId = eventId!;
        this.#note('event', eventId!, JSON.stringify(frameOf(event)));
        if (event.type !== 'status') continue;
        if (event.status.state === 'input-required') await this.#reply(client, id);
      }
    } catch (thrown) {
      if (!(thrown instanceof A2aRemoteError) || thrown.kind !== 'UNSUPPORTED_OPERATION')
        throw thrown;
    }
    const { status } = await client.get(id);
    if (!['completed', 'failed'].includes(status.state)) return;
    this.isEnded = true;
    this.#note('end', status.state);
  }

  /** Where it is asked something now. */
  async #reply(client: A2aAgent, taskId: string): Promise<void> {
    const { status } = await client.get(taskId);
    if (status.state !== 'input-required') return;
    const id = globalThis.crypto.randomUUID();
    const message = { id, role: 'user', parts: [{ text: 'yes' }] } as const;
    await client.send({ message, taskId, isWaiting: false });
  }

  #note(kind: string, ...words: readonly string[]): void {
    appendFileSync(this.#settings.notes, `${[kind, this.#name, ...words].join(' ')}\n`);
    if ((left -= 1) === 0) void die(this.#settings.fuse!.turns);
  }
}

async function open(settings: ClientSettings): Promise<void> {
  left = settings.fuse?.count ?? Infinity;
  const { notes, tasks, origin } = settings;
  const lines = existsSync(notes) ? readFileSync(notes, 'utf8').split('\n') : [];
  await Promise.all(
    Object.keys(tasks).map(async (name) => {
      const task = new NotedTask(settings, name, lines);
      while (!task.isEnded) {
        try {
          await task.goOn(await connectA2a(origin, { retries: 0, timeoutMs: 5_000 }));
        } catch {
          // The bridge is being started again.
        }
        if (!task.isEnded) await pause(PAUSE_MS);
      }
    }),
  );
  process.send!({ state: 'idle' });
}

process.on('message', ({ settings }: { readonly settings: ClientSettings }) => void open(settings));
process.on('disconnect', () => process.exit());
process.send!({ state: 'idle' });
