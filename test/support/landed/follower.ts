// A process that follows a task with the client of commit b3437ec, and prints a line for all that it is told.
// Arguments: folder of the builds, home, address, how, id of the task, goal.
// `task` gives the task and follows it; `watch` follows one that was given, as the command line of that commit does.

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const [builds, root, url, how, id, goal] = process.argv.slice(2);

/** What is used of that commit. */
interface Update {
  readonly generation?: number;
  readonly document: object;
  readonly isAnswer: boolean;
}
interface Step {
  readonly generation: number;
  readonly document: object;
  readonly isEnd: boolean;
}
interface Agent {
  task(input: object, options: object): AsyncIterable<Update>;
}
interface Home {
  readonly identities: Readonly<Record<'agent' | 'operator', { readonly agentId: string }>>;
  readonly books: Readonly<Record<'operator', unknown>>;
}
interface Runtime {
  connect(url: string, options: object): Agent;
  close(options: object): Promise<void>;
}

/** A line of this process. */
export interface Followed {
  readonly generation?: number;
  readonly document: { readonly [member: string]: unknown };
  readonly isEnd: boolean;
}

type Exports = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;
const load = (module: string): Promise<Exports> => import(join(builds!, 'landed/dist', module));
const tell = (followed: object): void => void process.stdout.write(`${JSON.stringify(followed)}\n`);

const { createRuntime } = await load('src/index.js');
const { http } = await load('transports/http.js');
const { ipc } = await load('transports/ipc.js');
const { ensureHome } = await load('cli/home-init.js');
const { homeAt } = await load('cli/home.js');
const { chooseProvider } = await load('src/security/index.js');
const home = (await ensureHome!(homeAt!(root), { crypto: chooseProvider!() })) as Home;
const runtime = createRuntime!({
  identity: home.identities.operator,
  peers: home.books.operator,
  audit: false,
  dialers: [http!(), ipc!()],
}) as Runtime;
const agent = runtime.connect(url!, { agentId: home.identities.agent.agentId });

if (how === 'task') {
  const updates = agent.task({ goal, id }, { stream: true });
  for await (const { generation, document, isAnswer } of updates) {
    tell({ generation, document, isEnd: isAnswer });
  }
} else {
  const { followTask } = await load('cli/tasks-follow.js');
  const { signal } = new AbortController();
  const peer = { name: 'agent', agent, how: { mode: 'enc+sig', signal } };
  const again = (): Promise<void> => pause(100);
  const patience = {
    isWaiting: false,
    answered: () => undefined,
    pause: again,
    pauseAfter: again,
  };
  const steps = followTask!(peer, { id }, patience) as AsyncIterable<Step>;
  for await (const { generation, document, isEnd } of steps) tell({ generation, document, isEnd });
}
await runtime.close({ graceMs: 0 });
