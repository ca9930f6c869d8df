// Agents that give tasks to each other in one process, each at a memory address of its own.

import { onTestFinished } from 'vitest';

import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import { createMemoryHub } from '../../../transports/memory/index.ts';
import { entryFor, newAgent } from './agents.ts';
import type { Agent } from './agents.ts';
import type { Peer } from '../../../src/security/peers/peer.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import { Gate } from './tasks.ts';

type Options = Partial<RuntimeOptions>;

/**
 * Each agent that is named, listening; all know each other. They are closed when the test ends. `idOf` is for what
 * they do later.
 */
export async function agentsThatKnowEachOther<Name extends string>(
  describe: (idOf: (name: string) => string) => Readonly<Record<Name, Options>>,
): Promise<Record<Name, Agent>> {
  const hub = createMemoryHub();
  const agents = {} as Record<Name, Agent>;
  const parts = describe((name) => agents[name as Name].identity.agentId);
  const names = Object.keys(parts) as Name[];
  for (const name of names) {
    agents[name] = await newAgent({ transports: [hub.transport(name)], ...parts[name] });
    await agents[name].runtime.listen(hub.transport(name));
  }
  for (const one of names) {
    for (const other of names) {
      if (one !== other) know(agents[one], agents[other], { endpoints: [`memory:${other}`] });
    }
  }
  onTestFinished(async () => {
    for (const name of names) await agents[name].runtime.close({ graceMs: 0 });
  });
  return agents;
}

/** Works until it is told to stop, and says when it began and when it was told. */
export function patientAgent(): {
  readonly onTask: OnTask;
  readonly began: Promise<void>;
  readonly stopped: Promise<string>;
} {
  const began = new Gate();
  let tell: (why: string) => void = () => undefined;
  const stopped = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const onTask: OnTask = (_task, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        tell((signal.reason as Error).message);
        reject(signal.reason as Error);
      });
      began.open();
    });
  return { onTask, began: began.opened, stopped };
}

export function know(one: Agent, other: Agent, entry: Partial<Peer> = {}): void {
  one.book.add(entryFor(other.identity, entry));
}
