// A sealed exchange as a stream: every event in its place, until the signed end.

import { StreamResponse } from '@a2a-js/sdk';
import { beforeAll, describe, expect, test } from 'vitest';

import type { OpenStreamOptions, OpenedEvent } from '../../../../profiles/a2a/sealed/index.ts';
import { openStream } from '../../../../profiles/a2a/sealed/index.ts';
import type { Ends, Exchanged, Shape } from '../../../support/a2a/sealed.ts';
import { FAMILIES, MODES, exchange, newEnds } from '../../../support/a2a/sealed.ts';

let ends: Ends;
let said: Exchanged;
let earlier: Exchanged;
beforeAll(async () => {
  ends = await newEnds();
  said = await exchange(ends);
  earlier = await exchange(ends);
});

const ids = { taskId: 't', contextId: 'c' };
const submitted = { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } };
const statusUpdate = (status: Shape): Shape => ({ statusUpdate: { ...ids, status } });
const artifactUpdate = (artifact: Shape, append = false): Shape => ({
  artifactUpdate: { ...ids, artifact, append, lastChunk: append },
});
const eventsOf = ({ busy, one, two, done }: Exchanged): Shape[] => [
  submitted,
  statusUpdate(busy),
  artifactUpdate(one),
  artifactUpdate(two, true),
  statusUpdate(done),
];

async function* streamOf(events: readonly object[]): AsyncGenerator<object> {
  yield* events;
}

async function opened(
  events: readonly object[],
  more: Partial<OpenStreamOptions> = {},
): Promise<OpenedEvent[]> {
  const steps: OpenedEvent[] = [];
  const options = { identity: ends.user, peers: [ends.agent], request: said.request, ...more };
  for await (const step of openStream(streamOf(events), options)) steps.push(step);
  return steps;
}

describe('#sealed-numbers a stream', () => {
  test.each(MODES)('is opened event by event in mode %s', async (mode) => {
    const clear = await exchange(ends, FAMILIES[0], mode);
    const steps = await opened(eventsOf(clear), { request: clear.request, policy: 'require' });
    expect(steps).toHaveLength(5);
    expect(steps.map(({ isFinal }) => isFinal)).toEqual([false, false, false, false, true]);
    expect(steps[1]!.messages).toMatchObject([{ parts: [{ text: 'counting' }] }]);
    expect(steps[3]!.artifacts).toMatchObject([{ artifactId: 'list', parts: [{}, {}, {}] }]);
    expect(steps[4]).toMatchObject({ state: 'completed', receipt: { events: 3, coversAll: true } });
  });

  test('of the SDK 1.3 and of the SDK 0.3 is the same', async () => {
    const objects = await exchange(ends, FAMILIES[1]);
    const ofSdk = eventsOf(objects)
      .slice(1)
      .map((event) => {
        const [[name, value]] = Object.entries(event) as [[string, object]];
        return { payload: { $case: name, value } } as unknown as StreamResponse;
      });
    const kinds = await exchange(ends, FAMILIES[2]);
    const of03 = [
      { kind: 'status-update', ...ids, status: kinds.busy, final: false },
      { kind: 'artifact-update', ...ids, artifact: kinds.one },
      { kind: 'artifact-update', ...ids, artifact: kinds.two, append: true },
      { kind: 'status-update', ...ids, status: kinds.done, final: true },
    ];
    const again = ofSdk.map((event) => StreamResponse.fromJSON(StreamResponse.toJSON(event)));
    for (const [events, { request }] of [
      [again, objects],
      [of03, kinds],
    ] as const) {
      const steps = await opened(events, { request, policy: 'require' });
      expect(steps.at(-1)).toMatchObject({ isFinal: true, state: 'completed' });
    }
  });

  const cases: [string, (events: Shape[]) => Shape[], string][] = [
    ['drops an event', ([a, _b, ...rest]) => [a!, ...rest], 'EVENT_MISSING'],
    ['repeats an event', ([a, b, ...rest]) => [a!, b!, b!, ...rest], 'EVENT_REPEATED'],
    ['swaps two events', ([a, b, c, ...rest]) => [a!, c!, b!, ...rest], 'EVENT_MISSING'],
    ['drops the last event', ([a, b, c, , e]) => [a!, b!, c!, e!], 'EVENT_MISSING'],
    ['goes on after the end', (events) => [...events, events[1]!], 'EVENT_REPEATED'],
    ['ends twice', (events) => [...events, events[4]!], 'END_REPEATED'],
    [
      'splices in another',
      ([a, ...rest]) => [a!, statusUpdate(earlier.busy), ...rest],
      'ADDRESS_WRONG',
    ],
    ['ends without the word of the agent', (events) => events.slice(0, 4), 'END_UNPROVEN'],
    [
      'claims the end early',
      ([a, b]) => [a!, b!, statusUpdate({ state: 'TASK_STATE_COMPLETED' })],
      'END_UNPROVEN',
    ],
    [
      'says something by itself',
      ([a, ...rest]) => [
        a!,
        statusUpdate({
          state: 'TASK_STATE_WORKING',
          message: { messageId: 'x', role: 'ROLE_AGENT', parts: [{ text: 'mine' }] },
        }),
        ...rest,
      ],
      'NOT_PROTECTED',
    ],
  ];
  test.each(cases)('somebody in the middle %s', async (_what, change, code) => {
    await expect(opened(change(eventsOf(said)), { policy: 'require' })).rejects.toMatchObject({
      name: 'SealedError',
      code,
    });
    const steps = await opened(change(eventsOf(said)), { policy: 'report' });
    expect(JSON.stringify(steps.map(({ messages }) => messages))).not.toContain('mine');
  });

  test('that begins with a stored task goes on from it', async () => {
    const { request, busy, one, two, done } = said;
    const stored = {
      task: {
        id: 't',
        contextId: 'c',
        status: busy,
        history: [request, busy['message']],
        artifacts: [one],
      },
    };
    const steps = await opened([stored, artifactUpdate(two, true), statusUpdate(done)], {
      policy: 'require',
    });
    expect(steps.at(-1)).toMatchObject({ isFinal: true, receipt: { coversAll: true } });
    expect(steps[1]!.artifacts).toMatchObject([{ parts: [{}, {}, {}] }]);
    await expect(
      opened([stored, artifactUpdate(one), statusUpdate(done)], { policy: 'require' }),
    ).rejects.toMatchObject({ code: 'EVENT_REPEATED' });
  });

  test('that is taken up later need not have what is not kept; what comes then is whole again', async () => {
    const { one, two, done } = said;
    const running = {
      task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, artifacts: [one] },
    };
    const later = [running, artifactUpdate(two, true), statusUpdate(done)];
    const steps = await opened(later, { policy: 'require', isResumed: true });
    expect(steps.at(-1)).toMatchObject({ state: 'completed', receipt: { coversAll: false } });
    const bare = [submitted, artifactUpdate(one), artifactUpdate(two, true), statusUpdate(done)];
    expect(await opened(bare, { policy: 'require', isResumed: true })).toHaveLength(4);
    await expect(opened(bare, { policy: 'require' })).rejects.toMatchObject({
      code: 'EVENT_MISSING',
    });
    await expect(
      opened([running, statusUpdate(done)], { policy: 'require', isResumed: true }),
    ).rejects.toMatchObject({ code: 'ARTIFACT_INCOMPLETE' });
  });
});
