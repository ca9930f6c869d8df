// Several daemons that are one agent: whatever one of them was told, each of them knows, and one may die.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createIdentity } from '../../src/security/identity/identity.ts';
import { encodeBase64url } from '../../src/codec/base64url.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import type { RemoteAgent } from '../../src/client/remote-agent.ts';
import { decodeMessage } from '../../src/envelope/decode.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { INITIAL_STATE, applyState } from '../../src/state/document.ts';
import { TransportError } from '../../src/transport.ts';
import { ipc } from '../../transports/ipc/index.ts';
import { crypto } from '../support/agents/agents.ts';
import { runCli } from '../support/agents/cli.ts';
import type { Cluster } from '../support/agents/cluster.ts';
import { answerOf, startCluster } from '../support/agents/cluster.ts';
import { operatorMessage } from '../support/agents/daemon-peers.ts';
import type { RunningDaemon } from '../support/agents/daemon.ts';
import { stopDaemons } from '../support/agents/daemon.ts';
import { until } from '../support/agents/exchanges.ts';
import { server } from '../support/stores/postgres.ts';
import { hasRedis, startRedis } from '../support/stores/redis.ts';

const TASKS = Number(process.env['A2A_SDL_MANY_TASKS'] ?? 1_000);
const OWNERS = 4;
const AT_ONCE = 48;

const owners: Runtime[] = [];
afterAll(async () => {
  await Promise.all(owners.map((owner) => owner.close({ graceMs: 0 })));
  await stopDaemons();
});

/** A stranger, which every node lets in, as a client of each of them. */
async function newOwner({ home, nodes }: Cluster): Promise<readonly [RemoteAgent, RemoteAgent]> {
  const owner = createRuntime({
    identity: await createIdentity({ crypto }),
    peers: home.books.operator,
    audit: false,
    transports: [ipc()],
  });
  owners.push(owner);
  const connect = ({ urls, agentId }: RunningDaemon): RemoteAgent =>
    owner.connect(urls.ipc, { agentId });
  return [connect(nodes[0]), connect(nodes[1])];
}

/** What a watcher has seen of one task. */
interface Watched {
  readonly generation: number;
  readonly result: JsonObject;
}

function callOf(tool: string, args: JsonObject): { ct: string; payload: JsonObject } {
  return { ct: 'toolcall.v1', payload: { tool, call_id: 'c', args, expect: {} } };
}

/**
 * Follows a task from the start, and at the next node from where it stood when the one before is gone. Fails when an
 * event is missing, comes twice or in another place: each patch is of the document before it, and has its number.
 */
async function watch(id: string, agents: readonly RemoteAgent[]): Promise<Watched> {
  let [state, generation] = [INITIAL_STATE, 0];
  for (const agent of agents) {
    try {
      const call = callOf('task.watch', { id, after: generation });
      for await (const { type, ct, payload } of agent.request(call, { stream: true, retries: 0 })) {
        if (type === 'res') {
          const { ok, result } = payload as JsonObject;
          expect(ok).toBe(true);
          return { generation, result: result as JsonObject };
        }
        generation += 1;
        if (ct !== 'state.v1') continue;
        state = applyState(state, payload);
        expect(state.value).toMatchObject({ task: { id, generation } });
      }
    } catch (thrown) {
      if (!(thrown instanceof TransportError)) throw thrown;
    }
  }
  throw new Error('no node is left');
}

describe.skipIf(server === undefined)('two nodes on one PostgreSQL', () => {
  describe.each([
    ['alone', false],
    ['with nonces in Redis', true],
  ])('%s', (name, withRedis) => {
    describe.skipIf(withRedis && !hasRedis)('', () => {
      let cluster: Cluster;
      let nodes: Cluster['nodes'];
      beforeAll(async () => {
        cluster = await startCluster(withRedis ? (await startRedis()).url : undefined);
        nodes = cluster.nodes;
      }, 60_000);

      test('are the same agent', () => expect(nodes[0].agentId).toBe(nodes[1].agentId));

      test('a task of one waits for its owner, who replies through the other #task-ids', async () => {
        const [one, other] = await newOwner(cluster);
        const asked = await one.task({ goal: 'ask', id: 'ask' }).result();
        expect(asked.status).toBe('input-required');
        expect(await other.call('task.get', { id: 'ask' })).toMatchObject({
          status: 'input-required',
          question: { content: 'go on?' },
        });
        const rest = watch('ask', [one]);
        await other.call('task.reply', { id: 'ask', reply: 'yes' });
        await rest;
        const { result } = await watch('ask', [other]);
        expect(result).toMatchObject({ status: 'completed', artifacts: [{ name: 'reply' }] });
      });

      test('a task of one is canceled through the other, and its work is told to stop #task-ids', async () => {
        const [one, other] = await newOwner(cluster);
        const updates = one.task({ goal: 'hold', id: 'hold' })[Symbol.asyncIterator]();
        let update = await updates.next();
        while (update.value!.progress?.message !== 'held') update = await updates.next();
        expect(await other.call('task.cancel', { id: 'hold' })).toMatchObject({
          status: 'canceled',
        });
        while (update.value!.isAnswer !== true) update = await updates.next();
        expect(update.value!.status).toBe('canceled');
        expect((await watch('hold', [other])).result).toMatchObject({ status: 'canceled' });
      });

      test('a watch goes on at the other node from any generation #task-ids', async () => {
        const [one, other] = await newOwner(cluster);
        await one.task({ goal: 'steps 6', id: 'resume' }).result();
        const whole = await watch('resume', [other]);
        expect(whole.result).toMatchObject({ status: 'completed' });
        for (let after = 0; after <= whole.generation; after += 1) {
          let events = 0;
          const call = callOf('task.watch', { id: 'resume', after });
          for await (const { type } of other.request(call, { stream: true })) {
            if (type === 'evt') events += 1;
          }
          expect(events).toBe(whole.generation - after);
        }
      });

      test('the same signed bytes get the same sealed reply from both, and run once #replay-retry', async () => {
        const content = callOf('test.run', { key: `${name} once` });
        const message = await operatorMessage(cluster.home, { content });
        const isRun = (): boolean => cluster.runs().includes(`${name} once`);
        const first = answerOf(nodes[0], message);
        await until(isRun);
        // Joins the run of the other node, which is still at it.
        const joined = answerOf(nodes[1], message);
        cluster.openGate();
        const replies = [await first, await joined, await answerOf(nodes[1], message)];
        expect(decodeMessage(replies[0]!.bytes, 'json')).toMatchObject({ ct: 'toolresult.v1' });
        for (const { bytes } of replies) expect(bytes).toEqual(replies[0]!.bytes);
        expect(cluster.runs().filter((key) => key === `${name} once`)).toHaveLength(1);
      });

      test('no nonce is accepted by both #replay', async () => {
        cluster.openGate();
        const nonces = Array.from({ length: 40 }, () => encodeBase64url(crypto.randomBytes(18)));
        const fates = await Promise.all(
          nonces.map(async (nonce) => {
            const messages = await Promise.all(
              ['a', 'b'].map((which) =>
                operatorMessage(cluster.home, {
                  nonce,
                  content: callOf('test.run', { key: `${nonce} ${which}` }),
                }),
              ),
            );
            const answers = await Promise.all(
              messages.map((message, node) => answerOf(nodes[node]!, message)),
            );
            return answers.map(({ bytes }) => decodeMessage(bytes, 'json') as JsonObject);
          }),
        );
        for (const [which, answers] of fates.entries()) {
          const refused = answers.filter(({ ct }) => ct === 'error.v1');
          expect(refused).toMatchObject([{ payload: { details: { reason: 'REPLAYED' } } }]);
          expect(cluster.runs().filter((key) => key.startsWith(nonces[which]!))).toHaveLength(1);
        }
      });
    });
  });

  test(
    `of ${TASKS} tasks given to both all end, and every event is seen once, though one node is killed #task-ids #task-recovery`,
    async () => {
      const cluster = await startCluster();
      const { path, storeFile } = cluster;
      const [doomed, survivor] = cluster.nodes;
      const clients = await Promise.all(Array.from({ length: OWNERS }, () => newOwner(cluster)));
      // Only somebody else can end these: their work at the node that began it never does.
      const left = clients.map(([at], owner) => startTwice(`left-${owner}`, at));
      const leftIds = await Promise.all(left);
      let [started, ended] = [0, 0];
      const fates = new Map<string, Watched>();
      const oneByOne = async (): Promise<void> => {
        while (started < TASKS) {
          started += 1;
          const id = `task-${started}`;
          const agents = clients[started % OWNERS]!;
          const [first, second] = started % 2 === 0 ? agents : agents.toReversed();
          await submit(id, [first, second]);
          // The other node watches; whoever is cut off goes on at the one that is left.
          fates.set(id, await watch(id, [second, agents[1]]));
          ended += 1;
          if (ended === Math.floor(TASKS / 2)) doomed.signal('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, oneByOne));
      expect(await doomed.ended).toMatchObject({ signal: 'SIGKILL' });
      await Promise.all(
        leftIds.map(async (id, owner) => fates.set(id, await watch(id, [clients[owner]![1]]))),
      );
      expect(fates.size).toBe(TASKS + OWNERS);
      for (const [id, { generation, result }] of fates) {
        expect(result).toMatchObject({
          status: 'completed',
          task: { id, generation },
          artifacts: [{ name: 'answer', text: leftIds.includes(id) ? 'twice' : goalOf(id) }],
        });
      }
      expect(survivor.isRunning()).toBe(true);
      const args = ['store', 'check', '--home', path, '--store', `@${storeFile}`, '--json'];
      const check = await runCli(args, { nowMs: Date.now() });
      expect(check.json()).toMatchObject({
        ok: true,
        tables: { problems: [] },
        tasks: { tasks: TASKS + OWNERS, open: 0, problems: [] },
        audit: { checked: true, problems: [] },
      });
    },
    60_000 + TASKS * 500,
  );
});

const goalOf = (id: string): string => `steps 5 of ${id}`;

/** Resolves when the node is at work on it. */
async function startTwice(id: string, agent: RemoteAgent): Promise<string> {
  for await (const { progress } of agent.task({ goal: 'twice', id })) {
    if (progress?.message === 'held') break;
  }
  return id;
}

/** Tells one node, or else the other, which may know of it already. */
async function submit(id: string, agents: readonly RemoteAgent[]): Promise<void> {
  for (const agent of agents) {
    try {
      const constraints = { time_budget_s: 0 };
      await agent.task({ goal: goalOf(id), id, constraints }, { retries: 0 }).result();
      return;
    } catch (thrown) {
      if (!(thrown instanceof TransportError)) throw thrown;
    }
  }
  throw new Error('no node is left');
}
