// A server that keeps, beside an artifact in clear, only the envelope of its first piece, as the Python SDK 0.3.26 does:
// the agent's word at the end proves all of it, and whoever changes it is refused all the same.

import { beforeAll, describe, expect, test } from 'vitest';

import type {
  OpenOptions,
  OpenStreamOptions,
  Opened,
  OpenedEvent,
} from '../../../../profiles/a2a/sealed/index.ts';
import { openStream, openTask, sealArtifact } from '../../../../profiles/a2a/sealed/index.ts';
import { artifact, parts } from '../../../support/a2a/sealed-middle.ts';
import type { Ends, Exchanged, Shape, StoredTask } from '../../../support/a2a/sealed.ts';
import { FAMILIES, TWO, exchange, newEnds, storedTask } from '../../../support/a2a/sealed.ts';

let ends: Ends;
let said: Exchanged;
beforeAll(async () => {
  ends = await newEnds();
  said = await exchange(ends, FAMILIES[0], 'detached');
});

/** Parts are appended, what stood beside them is dropped. */
const keptBy = (exchanged: Exchanged): StoredTask => {
  const task = storedTask(exchanged);
  return { ...task, artifacts: [{ ...exchanged.one, parts: parts(task.artifacts[0]!) }] };
};
/** The same while the agent works. */
const atWork = (exchanged: Exchanged): StoredTask => ({
  ...keptBy(exchanged),
  status: exchanged.busy,
  history: [exchanged.request],
});
const open = (task: object, more: Partial<OpenOptions> = {}): Promise<Opened> =>
  openTask(task, {
    identity: ends.user,
    peers: [ends.agent],
    request: said.request,
    policy: 'require',
    ...more,
  });
const WHOLE = [{ text: 'one ' }, { text: 'two' }, { data: { count: 2 } }];

describe('#sealed-artifacts an artifact in pieces beside which only the first envelope was kept', () => {
  test.each(FAMILIES)('is whole by the word at the end: $name', async (family) => {
    const exchanged = await exchange(ends, family, 'detached');
    const opened = await open(keptBy(exchanged), { request: exchanged.request });
    expect(opened).toMatchObject({
      protection: 'detached',
      state: 'completed',
      missing: [],
      problems: [],
      receipt: { events: 3, coversAll: true },
    });
    expect(opened.artifacts).toEqual([family.artifact({ artifactId: 'list', parts: WHOLE })]);
  });

  test('lacks the events between the first and the last, and is whole all the same', async () => {
    const long = await exchange(ends, FAMILIES[0], 'detached', undefined, async (by) => {
      await sealArtifact(TWO, { ...by, append: true });
    });
    const task = keptBy(long);
    const grown = artifact(task, 0, [WHOLE[0]!, ...parts(TWO), ...parts(TWO)]);
    expect(await open(grown, { request: long.request })).toMatchObject({
      missing: [3],
      receipt: { events: 4, coversAll: false },
      artifacts: [{ parts: [...WHOLE, ...WHOLE.slice(1)] }],
    });
  });

  test('is refused where a piece was changed, added, dropped, doubled or moved', async () => {
    const task = keptBy(said);
    const [one, two, three] = parts(task.artifacts[0]!) as [Shape, Shape, Shape];
    const changes = [
      [one, { text: 'three' }, three],
      [{ text: 'none ' }, two, three],
      [one, two, three, { text: 'and mine' }],
      [one, two],
      [one, three, two],
      [one, two, two, three],
      [two, three],
    ];
    for (const policy of ['require', 'prefer'] as const) {
      for (const changed of changes) {
        await expect(open(artifact(task, 0, changed), { policy })).rejects.toMatchObject({
          code: 'CONTENT_CHANGED',
        });
      }
      await expect(open(artifact(task, 0, [one]), { policy })).rejects.toMatchObject({
        code: 'ARTIFACT_INCOMPLETE',
      });
    }
    const told = await open(artifact(task, 0, changes[0]!), { policy: 'report' });
    expect(told).toMatchObject({ protection: 'partial', artifacts: [] });
    expect(told.problems[0]).toMatchObject({ code: 'CONTENT_CHANGED' });
  });

  test('of another task of the same two is refused', async () => {
    const other = await exchange(ends, FAMILIES[0], 'detached');
    const swapped = { ...keptBy(said), artifacts: keptBy(other).artifacts };
    await expect(open(swapped)).rejects.toMatchObject({ name: 'SealedError' });
  });

  test('is proven in its beginning while the agent works, and the rest is plain', async () => {
    const task = atWork(said);
    await expect(open(task)).rejects.toMatchObject({ code: 'NOT_PROTECTED' });
    const opened = await open(task, { policy: 'prefer' });
    expect(opened).toMatchObject({ protection: 'partial', isFinal: false });
    expect(opened.artifacts).toEqual([{ artifactId: 'list', parts: [{ text: 'one ' }] }]);
    const [, ...rest] = parts(task.artifacts[0]!);
    const changed = artifact(task, 0, [{ text: 'none ' }, ...rest]);
    await expect(open(changed, { policy: 'prefer' })).rejects.toMatchObject({
      code: 'CONTENT_CHANGED',
    });
  });

  test('of very many parts costs no more than a few hashes', async () => {
    const task = atWork(said);
    const many = Array.from({ length: 60_000 }, () => ({ text: '' }));
    await expect(open(artifact(task, 0, many), { policy: 'prefer' })).rejects.toMatchObject({
      code: 'CONTENT_CHANGED',
    });
  });
});

describe('#sealed-numbers a stream that goes on with such a task', () => {
  async function opened(
    events: readonly object[],
    more: Partial<OpenStreamOptions> = {},
  ): Promise<OpenedEvent[]> {
    const steps: OpenedEvent[] = [];
    const stream = (async function* all() {
      yield* events;
    })();
    const options = { identity: ends.user, peers: [ends.agent], request: said.request };
    for await (const step of openStream(stream, { ...options, isResumed: true, ...more })) {
      steps.push(step);
    }
    return steps;
  }
  const ids = { taskId: 'task-1', contextId: 'context-1' };
  const end = (): Shape => ({ statusUpdate: { ...ids, status: said.done } });

  test('shows all of the artifact once the end has come, and refuses what was changed', async () => {
    const steps = await opened([{ task: atWork(said) }, end()]);
    expect(steps[0]).toMatchObject({ protection: 'partial', artifacts: [{ parts: [{}] }] });
    expect(steps[1]).toMatchObject({ isFinal: true, artifacts: [{ parts: WHOLE }], problems: [] });
    const more = [...parts(atWork(said).artifacts[0]!), { text: 'and mine' }];
    await expect(opened([{ task: artifact(atWork(said), 0, more) }, end()])).rejects.toMatchObject({
      code: 'CONTENT_CHANGED',
    });
  });

  test('shows all of it with the next piece, whose envelope covers what came before', async () => {
    const long = await exchange(ends, FAMILIES[0], 'detached', undefined, async (by) => {
      await sealArtifact(TWO, { ...by, append: true });
    });
    const update = { artifactUpdate: { ...ids, artifact: long.two, append: true } };
    const done = { statusUpdate: { ...ids, status: long.done } };
    const [, second, last] = await opened([{ task: atWork(long) }, update, done], {
      request: long.request,
    });
    expect(second).toMatchObject({
      protection: 'detached',
      artifacts: [{ parts: [...WHOLE, ...WHOLE.slice(1)] }],
    });
    expect(last).toMatchObject({ isFinal: true, problems: [] });
  });

  test('takes no piece with an envelope that covers only its beginning', async () => {
    const more = { ...said.one, parts: [...parts(said.one), { text: 'and mine' }] };
    const events = [
      { statusUpdate: { ...ids, status: said.busy } },
      { artifactUpdate: { ...ids, artifact: more } },
    ];
    await expect(opened(events, { isResumed: false })).rejects.toMatchObject({
      code: 'CONTENT_CHANGED',
    });
  });
});
