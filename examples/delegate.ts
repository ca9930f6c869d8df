// Four agents in a row, three transports: each gives a part of its task to the next and adds to what comes back. The
// first sees the whole tree, and its cancel stops all of them. It asserts what it shows.

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { TaskError, createIdentity, createRuntime } from 'a2a-sdl';
import type { JsonValue, OnTask, Runtime, TaskUpdate, Transport } from 'a2a-sdl';
import { peerFromBundle } from 'a2a-sdl/security';
import { http } from 'a2a-sdl/transports/http';
import { ipc } from 'a2a-sdl/transports/ipc';
import { ws } from 'a2a-sdl/transports/ws';

const NAMES = ['editor', 'writer', 'researcher', 'librarian'] as const;
type Name = (typeof NAMES)[number];

const folder = await mkdtemp(join(tmpdir(), 'a2a-sdl-delegate-'));
const identities = Object.fromEntries(
  await Promise.all(NAMES.map(async (name) => [name, await createIdentity()] as const)),
) as Record<Name, Awaited<ReturnType<typeof createIdentity>>>;
const asker = await createIdentity();
const everybody = [...Object.values(identities), asker];

/** How far the task had travelled when it came to each of them, and whose work was told to stop. */
const hops = new Map<Name, number>();
const stopped = new Set<Name>();
const stops = new EventEmitter();

// #region delegate
/** Gives its task to the next agent, and adds a word to what comes back. */
function passOn(name: Name, next: string): OnTask {
  return async (task, ctx) => {
    note(name, task.source.value, ctx.signal);
    await ctx.progress(`asking ${next}`);
    const { status, artifacts, failure } = await ctx
      .delegate(next, task.text, { deadline: ctx.deadline - 1_000 })
      .result();
    if (status !== 'completed') throw new TaskError(failure?.message ?? `it is ${status}`);
    return `${artifacts[0]?.text ?? ''}, ${name}`;
  };
}
// #endregion

/** At the end of the row: finds the book, unless it is one that nobody ever finds. */
const findBook: OnTask = async (task, ctx) => {
  note('librarian', task.source.value, ctx.signal);
  if (task.text === 'the lost book') await once(ctx.signal, 'abort');
  return `found by librarian`;
};

/** @param source what the SDL wire keeps of the request, its place in the row among it. */
function note(name: Name, source: JsonValue, signal: AbortSignal): void {
  hops.set(name, (source as { trace: { hops: number } }).trace.hops);
  signal.addEventListener('abort', () => {
    if (!String(signal.reason).includes('canceled')) return;
    stopped.add(name);
    stops.emit('stopped');
  });
}

const agents: Runtime[] = [];

/** Starts an agent and answers where it can be reached. The next one in the row is known to it by its address. */
async function start(name: Name, onTask: OnTask, ...transports: Transport[]): Promise<string> {
  const agent = createRuntime({
    identity: identities[name],
    name,
    peers: everybody.map(({ bundle }) => {
      const isNext = bundle.agentId === identities[NAMES[NAMES.indexOf(name) + 1] ?? name].agentId;
      return peerFromBundle(bundle, { endpoints: isNext ? [addresses.at(-1)!] : [] });
    }),
    transports: [http(), ws(), ipc()],
    onTask,
  });
  agents.push(agent);
  const listeners = await agent.listen(...transports);
  return listeners.at(-1)!.urls[0]!;
}

/** From the end of the row to its beginning. */
const addresses: string[] = [];

/** Every agent of the tree and what became of its part, the first one first. */
function branch({ document }: TaskUpdate): string[] {
  const found: string[] = [];
  let nodes = document['children'] as readonly TreeNode[] | undefined;
  while (nodes !== undefined && nodes.length > 0) {
    const [node] = nodes;
    found.push(`${nameOf(node!.agent_id)} ${node!.status}`);
    nodes = node!.children;
  }
  return found;
}

interface TreeNode {
  readonly agent_id: string;
  readonly status: string;
  readonly children?: readonly TreeNode[];
}

function nameOf(agentId: string): string {
  return NAMES.find((name) => identities[name].agentId === agentId) ?? agentId;
}

try {
  addresses.push(await start('librarian', findBook, ipc({ path: join(folder, 'library.sock') })));
  const librarian = identities.librarian.agentId;
  addresses.push(
    await start('researcher', passOn('researcher', librarian), http({ port: 0 }), ws()),
  );
  const researcher = identities.researcher.agentId;
  addresses.push(await start('writer', passOn('writer', researcher), http({ port: 0 })));
  const writer = identities.writer.agentId;
  const own = ipc({ path: join(folder, 'editor.sock') });
  addresses.push(await start('editor', passOn('editor', writer), own));
  console.log(`the row: ${addresses.toReversed().join(' -> ')}`);

  const client = createRuntime({
    identity: asker,
    peers: [peerFromBundle(identities.editor.bundle)],
    transports: [ipc()],
  });
  agents.push(client);
  const editor = client.connect(addresses.at(-1)!, { agentId: identities.editor.agentId });

  const said = new Set<string>();
  let answer: TaskUpdate | undefined;
  for await (const update of editor.task('a book')) {
    if (update.progress !== undefined) said.add(update.progress.message);
    answer = update;
  }
  assert.equal(answer?.status, 'completed');
  assert.equal(answer.artifacts[0]?.text, 'found by librarian, researcher, writer, editor');
  assert.deepEqual(branch(answer), [
    'writer completed',
    'researcher completed',
    'librarian completed',
  ]);
  assert.deepEqual([...hops.values()], [0, 1, 2, 3]);
  assert(said.has(`${writer}: ${researcher}: asking ${librarian}`));
  console.log(`the answer came back over three hops: ${answer.artifacts[0].text}`);

  hops.clear();
  const id = 'a-long-search';
  const search = editor.task({ goal: 'the lost book', id });
  for await (const update of search) {
    // Once the librarian works on it, everybody waits for the next one.
    if (branch(update).at(-1) === 'librarian working') await editor.call('task.cancel', { id });
    if (update.isAnswer) assert.equal(update.status, 'canceled');
  }
  while (stopped.size < NAMES.length) {
    await once(stops, 'stopped', { signal: AbortSignal.timeout(10_000) });
  }
  console.log('a cancel at the top stopped all four');
} finally {
  await Promise.all(agents.map((agent) => agent.close()));
  await rm(folder, { recursive: true });
}
