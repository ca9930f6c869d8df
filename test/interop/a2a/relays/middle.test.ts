// Somebody between a client of the official SDK and a server of it, over real HTTP: whatever it does to what passes ends
// in a refusal that has a name where protection is required, and never as something protected where it is preferred.

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import type { Opened, OpenedEvent, OpenPolicy } from '../../../../profiles/a2a/sealed/index.ts';
import { openStream, openTask, sealMessage } from '../../../../profiles/a2a/sealed/index.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import { PLAIN, stripped } from '../../../support/a2a/sealed-middle.ts';
import type { Ends, Shape } from '../../../support/a2a/sealed.ts';
import { newEnds } from '../../../support/a2a/sealed.ts';
import type { Line } from '../drivers/driver.ts';
import { jsV1 } from '../drivers/js-v1.ts';
import type { SealedAgent } from './agent.ts';
import { startAgent } from './agent.ts';
import type { Gateway, Harm } from './gateway.ts';
import { startGateway } from './gateway.ts';
import type { Relay } from './relay.ts';
import { startRelay } from './relay.ts';

const TIMEOUT_MS = 60_000;
const RELAY = fileURLToPath(new URL('js-v1.ts', import.meta.url));

let ends: Ends;
let agent: SealedAgent;
let relay: Relay;
let gateway: Gateway;
let line: Line;
beforeAll(async () => {
  ends = await newEnds();
  agent = await startAgent(ends);
  relay = await startRelay([process.execPath, '--import', 'tsx', RELAY], agent.socket);
  gateway = await startGateway(relay.origin);
  line = await jsV1('JSONRPC').connect(gateway.origin, {});
}, TIMEOUT_MS);
afterAll(async () => {
  await gateway?.stop();
  await relay?.stop();
  await agent?.stop();
});
afterEach(() => {
  gateway.harm = {};
});

function seal(goal = 'list'): Promise<Shape> {
  const parts = [{ text: goal }];
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts };
  return sealMessage(message, { identity: ends.user, to: ends.agent });
}

const send = (request: Shape): Promise<Json> =>
  line.call('send', { message: request as Json, configuration: {} });
const open = (answer: unknown, request: Shape, policy: OpenPolicy): Promise<Opened> =>
  openTask(answer as Shape, { identity: ends.user, peers: [ends.agent], request, policy });

async function ask(harm: Harm, policy: OpenPolicy): Promise<Opened> {
  gateway.harm = harm;
  const request = await seal();
  return open(await send(request), request, policy);
}

async function follow(harm: Harm, policy: OpenPolicy): Promise<OpenedEvent[]> {
  gateway.harm = harm;
  const request = await seal();
  const steps = line.follow('stream', { message: request as Json, configuration: {} });
  const events: OpenedEvent[] = [];
  const opened = openStream(steps as AsyncIterable<object>, {
    identity: ends.user,
    peers: [ends.agent],
    request,
    policy,
  });
  for await (const event of opened) events.push(event);
  return events;
}

/** The task in an answer of JSON-RPC, changed. */
const task =
  (change: (task: Shape) => Shape) =>
  (body: Shape): Shape => {
    const result = body['result'] as { task: Shape };
    return { ...body, result: { task: change(result.task) } };
  };
const without = (value: Shape, ...names: string[]): Shape =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

interface Attack {
  readonly does: string;
  readonly harm: Harm;
  readonly code: string;
  /** It leaves something plain, or nothing: under `prefer` that is told. */
  readonly isTold?: true;
}

const ATTACKS: readonly Attack[] = [
  {
    does: 'drops an artifact',
    harm: { answer: task((given) => ({ ...given, artifacts: [] })) },
    code: 'ARTIFACT_INCOMPLETE',
  },
  {
    does: 'answers by itself',
    harm: {
      answer: (body) => ({
        ...body,
        result: { message: { ...PLAIN, contextId: 'c', metadata: {} } },
      }),
    },
    code: 'NOT_PROTECTED',
    isTold: true,
  },
  {
    does: 'puts its own words into the task',
    harm: {
      answer: task((given) => ({
        ...given,
        history: [],
        artifacts: [{ artifactId: 'list', parts: PLAIN['parts'] }],
        status: { state: 'TASK_STATE_COMPLETED', message: PLAIN },
      })),
    },
    code: 'NOT_PROTECTED',
    isTold: true,
  },
  {
    does: 'says that it failed',
    harm: {
      answer: task((given) => ({
        ...given,
        status: { ...(given['status'] as Shape), state: 'TASK_STATE_FAILED' },
      })),
    },
    code: 'STATE_CHANGED',
    isTold: true,
  },
  {
    does: 'takes the end away',
    harm: {
      answer: task((given) => ({
        ...given,
        status: without(given['status'] as Shape, 'message'),
        history: (given['history'] as Shape[]).slice(0, -1),
      })),
    },
    code: 'END_UNPROVEN',
    isTold: true,
  },
];

const STREAM_ATTACKS: readonly Attack[] = [
  {
    does: 'drops an event',
    harm: { events: (events) => events.filter((_, index) => index !== 1) },
    code: 'EVENT_MISSING',
  },
  {
    does: 'doubles an event',
    harm: { events: (events) => events.flatMap((one, at) => (at === 1 ? [one, one] : [one])) },
    code: 'EVENT_REPEATED',
  },
  {
    does: 'reorders events',
    harm: { events: (events) => events.toSpliced(1, 2, events[2]!, events[1]!) },
    code: 'EVENT_MISSING',
  },
  {
    does: 'ends the stream early',
    harm: { events: (events) => events.slice(0, -1) },
    code: 'END_UNPROVEN',
    isTold: true,
  },
];

describe('#sealed-policy #sealed-verdict a gateway between a client and a server of the SDK', () => {
  test('that strips headers, extensions, metadata and types changes nothing', async () => {
    const strips = (body: Shape): Shape => stripped(body) as Shape;
    const harm = { call: strips, answer: strips, dropsHeaders: true } as const;
    expect(await ask(harm, 'require')).toMatchObject({
      protection: 'sealed',
      state: 'completed',
      problems: [],
    });
    const events = await follow({ ...harm, events: (all) => all.map(strips) }, 'require');
    expect(events.at(-1)).toMatchObject({ isFinal: true, receipt: { coversAll: true } });
  });

  describe.each([
    ['the answer', ATTACKS, ask],
    ['the stream', STREAM_ATTACKS, follow],
  ] as const)('%s', (_what, attacks, run) => {
    test.each(attacks)('$does: $code where it is required', async ({ harm, code }) => {
      await expect(run(harm, 'require')).rejects.toMatchObject({ name: 'SealedError', code });
    });

    test.each(attacks)('$does: refused, or told, where it is preferred', async (attack) => {
      const { harm, code, isTold } = attack;
      if (isTold !== true) {
        await expect(run(harm, 'prefer')).rejects.toMatchObject({ code });
        return;
      }
      const opened = await run(harm, 'prefer');
      const all: readonly (Opened | OpenedEvent)[] = Array.isArray(opened) ? opened : [opened];
      const problems = all.flatMap((one) => one.problems.map((problem) => problem.code));
      // A stream that just ends says so by having no end.
      if (problems.length === 0) expect(all.some(({ isFinal }) => isFinal)).toBe(false);
      else expect(problems).toContain(code);
      expect(JSON.stringify(all.map(({ messages }) => messages))).not.toContain('answer is 42');
    });
  });

  test('that plays an earlier answer, or that of somebody else', async () => {
    const earlier = await seal();
    const kept = await send(earlier);
    const later = await seal();
    await send(later);
    for (const policy of ['require', 'prefer'] as const) {
      await expect(open(kept, later, policy)).rejects.toMatchObject({ code: 'ADDRESS_WRONG' });
    }
    const [one, other] = [await seal('list'), await seal('answer')];
    const answers = await Promise.all([send(one), send(other)]);
    await expect(open(answers[1], one, 'require')).rejects.toMatchObject({
      code: 'ADDRESS_WRONG',
    });
    await expect(open(answers[0], other, 'require')).rejects.toMatchObject({
      code: 'ADDRESS_WRONG',
    });
  });

  test('#sealed-replay that makes a call twice: the agent refuses the second by its name', async () => {
    gateway.harm = { isTwice: true };
    const before = agent.refusals.length;
    await send(await seal()).catch(() => undefined);
    expect(agent.refusals.slice(before)).toEqual(['REPLAYED']);
  });

  test('that asks in clear in the name of the user: the agent refuses it', async () => {
    gateway.harm = {
      call: (body) => {
        const params = body['params'] as { message: Shape };
        const message = { ...params.message, parts: [{ text: 'list' }], metadata: {} };
        return { ...body, params: { ...params, message } };
      },
    };
    const before = agent.refusals.length;
    await send(await seal()).catch(() => undefined);
    expect(agent.refusals.slice(before)).toEqual(['NOT_PROTECTED']);
  });
});
