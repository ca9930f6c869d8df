// A store of commit b3437ec with tasks in every state is upgraded under a workload: nothing is lost, nothing runs twice.
// Followers of that commit watch a daemon of this version.

import { afterAll, describe, expect, test } from 'vitest';

import type { RemoteAgent } from '../../src/client/remote-agent.ts';
import { createIdentity } from '../../src/security/identity/identity.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { ipc } from '../../transports/ipc/index.ts';
import { crypto } from '../support/agents/agents.ts';
import { answerOf } from '../support/agents/cluster.ts';
import { openHome, operatorClient, operatorMessage } from '../support/agents/daemon-peers.ts';
import { startDaemon } from '../support/agents/daemon.ts';
import { payloadWith } from '../support/agents/task-face.ts';
import { Gate } from '../support/agents/time.ts';
import { checkUpgraded } from '../support/landed/checks.ts';
import { cuttablePort, followLanded } from '../support/landed/follow.ts';
import type { Followed } from '../support/landed/follower.ts';
import {
  PLACES,
  builds,
  isThere,
  landedHome,
  newNotes,
  optionsFor,
  startLanded,
} from '../support/landed/homes.ts';
import { rows } from '../support/landed/places.ts';
import { States, endOf, reach } from '../support/landed/states.ts';
import { IMPATIENT, Workload, give } from '../support/landed/workload.ts';
import { driver } from '../support/stores/sqlite.ts';
import { textOf } from '../support/wire/bytes.ts';

const LANES = 3;
/** Tasks of the workload before the upgrade, and after it. */
const WORK = 20;
/** Several processes start one after the other, perhaps beside other suites. */
const TEST_MS = 240_000;

const strangers: Runtime[] = [];
afterAll(async () => {
  await Promise.all(strangers.map((stranger) => stranger.close({ graceMs: 0 })));
});

describe.skipIf(!isThere)('an upgrade from commit b3437ec', () => {
  describe.each(rows.map((row) => [row.label, row] as const))('on %s', (_label, row) => {
    test.skipIf(!row.isThere)(
      'loses nothing and runs nothing twice #task-recovery #task-ids #replay-retry',
      { timeout: TEST_MS },
      async () => {
        const notes = newNotes();
        const place = await row.make(notes);
        const { landed, url } = place;
        const home = await openHome(place.home);
        const { agentId } = home.identities.agent;
        const client = operatorClient(home);
        const stranger = createRuntime({
          identity: await createIdentity({ crypto }),
          peers: home.books.operator,
          audit: false,
          transports: [ipc()],
        });
        strangers.push(stranger);
        const [old, others] = [client, stranger].map((runtime) =>
          landed.map(({ urls }) => runtime.connect(urls.ipc, { agentId })),
        ) as [RemoteAgent[], RemoteAgent[]];
        const fresh = client.connect(url, { agentId });

        const states = landed.map((_, at) => new States(at, notes));
        await Promise.all(states.map((state, at) => state.make(old[at]!, others[at]!)));
        const queued = landed.flatMap((_, at) => [`queued-${at}-0`, `queued-${at}-1`]);
        for (const id of queued) await give(others[Number(id.split('-')[1])]!, id, 'quick');
        const content = { ct: 'task.v1', payload: payloadWith('sealed', { goal: 'quick' }) };
        const sealed = await operatorMessage(home, { content, isEncrypted: true });
        const reply = await answerOf(landed[0]!, sealed);
        const upgraded = new Gate();
        const nodes = [...old, ...(landed.length > 1 ? [fresh] : [])];
        const work = new Workload({ nodes, lanes: LANES, upgraded: upgraded.opened });
        await work.reached(WORK);
        expect(notes.all().filter(({ id }) => queued.includes(id))).toEqual([]);

        const { node, leases } = await place.upgrade();
        expect(node.urls.ipc).toBe(url);
        upgraded.open();
        const { size } = work.acknowledged;
        for (const daemon of landed) if (daemon.isRunning()) daemon.signal('SIGUSR2');
        // Nothing is acknowledged by a node of the version before.
        const late = landed.flatMap((daemon, at) => (daemon.isRunning() ? [old[at]!] : []));
        const refusals = Promise.allSettled(
          late.map((agent, at) => give(agent, `refused-${at}`, 'quick', IMPATIENT)),
        );
        for (const at of late.keys()) {
          const atWork = ['steps', 'replied', 'late', 'hold-0'].map((name) => `${name}-${at}`);
          expect([...leases.keys()]).toEqual(expect.arrayContaining(atWork));
        }
        for (const [at] of landed.entries()) {
          await fresh.tasks.reply(`ask-${at}`, 'after');
          await fresh.tasks.reply(`kept-${at}`, 'after');
          await give(fresh, `steps-${at}`, 'steps');
          await give(fresh, `done-${at}`, 'quick');
          await expect(give(fresh, `done-${at}`, 'another goal')).rejects.toMatchObject({
            code: 'TASK_CONFLICT',
          });
        }
        expect(textOf((await answerOf(node, sealed)).bytes)).toBe(textOf(reply.bytes));
        await work.reached(size + WORK);
        await work.stop();
        expect(await refusals).toEqual(
          late.map(() => expect.objectContaining({ status: 'rejected' })),
        );
        for (const { isRunning, notes: said } of landed) {
          // Tables and functions that it knows are not there any more.
          if (isRunning()) expect(said()).toMatch(/\((42P01|42883)\)/);
        }
        for (const daemon of landed) daemon.signal('SIGTERM');

        for (const [id, ...end] of states.flatMap((state) => state.ends())) {
          expect([id, ...(await endOf(fresh, id))]).toEqual([id, ...end]);
        }
        const theirs = stranger.connect(url, { agentId });
        for (const at of landed.keys()) {
          for (let held = 0; held < PLACES; held += 1) {
            const end = await endOf(theirs, `hold-${held}-${at}`);
            expect(end).toEqual(['completed', { answer: 'attempt 2' }]);
          }
        }
        for (const id of queued) {
          expect(await endOf(theirs, id)).toEqual(['completed', { answer: 'attempt 1' }]);
        }
        for (const id of [...work.acknowledged, 'sealed']) {
          expect([id, (await endOf(fresh, id))[0]]).toEqual([id, 'completed']);
        }
        node.signal('SIGTERM');
        await Promise.all([...landed, node].map(({ ended }) => ended));

        const store = await place.open();
        const held = await checkUpgraded(store, notes.all(), (pid) =>
          landed.some((daemon) => daemon.pid === pid),
        );
        await store.close();
        for (const { task, events } of held.values()) {
          const again = events.find((event) => event.type === 'status' && event.attempt === 2);
          const until = leases.get(task.id) ?? 0;
          if (again !== undefined) expect(again.at, task.id).toBeGreaterThanOrEqual(until);
        }
        for (const at of landed.keys()) {
          const log = held.get(`steps-${at}`)!.task.artifacts[0]!;
          const steps = log.text
            .trim()
            .split(' ')
            .map((step) => Number(step.split(':')[0]));
          expect(steps).toEqual(steps.map((_, step) => step));
          expect(held.has(`refused-${at}`)).toBe(false);
        }
      },
    );
  });
});

/** Events of a follower until so many came, or its end. */
async function take(followed: AsyncGenerator<Followed>, count: number): Promise<Followed[]> {
  const taken: Followed[] = [];
  while (taken.length < count) {
    const { done, value } = await followed.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

describe.skipIf(!isThere || driver === undefined)('a follower of commit b3437ec', () => {
  test.each([
    ['that gave it', 'task'],
    ['of one that was given', 'watch'],
  ])(
    'is told a task of a new daemon whole, %s, over cut connections #task-ids',
    { timeout: TEST_MS },
    async (_which, how) => {
      const home = landedHome();
      const { port, leadTo, cut } = await cuttablePort();
      const host = `127.0.0.1:${port}`;
      const node = await startDaemon(home, [...optionsFor(newNotes()), `--allow-host=${host}`]);
      leadTo(node.port);
      const url = `http://${host}/a2a`;
      const { agentId } = node;
      const agent = operatorClient(await openHome(home)).connect(node.urls.ipc, { agentId });
      const goal = 'paced 12';
      if (how === 'watch') await give(agent, 'followed', goal);
      const options = { builds, home, url, ...(how === 'task' && { goal }) };
      const followed = followLanded('followed', options);
      const told = await take(followed, 5);
      cut();
      told.push(...(await take(followed, 5)));
      cut();
      told.push(...(await take(followed, Infinity)));
      const end = told.pop()!;
      const { generation } = await agent.tasks.get('followed');
      expect(end).toMatchObject({
        isEnd: true,
        document: { status: 'completed', task: { generation } },
      });
      const text = Array.from({ length: 12 }, (_, step) => `${step}:1 `).join('');
      expect(end.document['artifacts']).toMatchObject([{ name: 'log', text }]);
      // The answer to whoever gave the task is the last event itself.
      expect(told).toHaveLength(how === 'task' ? generation! - 1 : generation!);
      if (how === 'watch') {
        expect(told.map((one) => one.generation)).toEqual(told.map((_, at) => at + 1));
      }
    },
  );

  test(
    'goes on where it was after an upgrade #task-ids #task-recovery',
    { timeout: TEST_MS },
    async () => {
      const home = landedHome();
      const notes = newNotes();
      const options = optionsFor(notes);
      const old = await startLanded(home, options);
      const { agentId, urls } = old;
      const agent = operatorClient(await openHome(home)).connect(urls.ipc, { agentId });
      await reach(agent, 'followed', 'replied', 'input-required');
      await agent.tasks.reply('followed', 'before');
      const followed = followLanded('followed', { builds, home, url: urls.ipc });
      const told = await take(followed, 8);
      old.signal('SIGKILL');
      await old.ended;
      await startDaemon(home, options);
      told.push(...(await take(followed, Infinity)));
      const end = told.pop()!;
      expect(told.map(({ generation }) => generation)).toEqual(told.map((_, at) => at + 1));
      expect(end).toMatchObject({
        isEnd: true,
        generation: told.length,
        document: { status: 'completed', artifacts: [{ name: 'answer' }, { name: 'log' }] },
      });
    },
  );
});
