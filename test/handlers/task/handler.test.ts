// Proves the answer to `task.v1` as a peer sees it: events that build on each other, and a `res` that needs none.

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/codec/value.ts';
import { LosslessNumber } from '../../../src/codec/value.ts';
import type { Answer } from '../../../src/content.ts';
import { sha256, toHex } from '../../../src/crypto/sha256.ts';
import { readItems } from '../../../src/handlers/artifact/read.ts';
import { readTask } from '../../../src/handlers/task/request.ts';
import type { StateDocument } from '../../../src/state/document.ts';
import { EMPTY_STATE_HASH, INITIAL_STATE, applyState } from '../../../src/state/document.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import { utf8 } from '../../support/wire/bytes.ts';
import { taskPayload } from '../../support/wire/envelopes.ts';
import type { ContextParts } from '../../support/agents/handler-context.ts';
import {
  answersOf,
  contextWith,
  documentIn,
  payloadWith,
  taskFace,
} from '../../support/agents/task-face.ts';
import { Gate } from '../../support/agents/time.ts';

const reader: OnTask = async function* (_task, ctx) {
  yield ctx.progress({ message: 'reading', fraction: 0.25 });
  yield ctx.artifact({ name: 'log', text: 'a', append: true });
  yield ctx.progress('writing');
  yield ctx.artifact({ name: 'log', text: 'b', append: true });
  yield ctx.artifact({ name: 'raw', bytes: new Uint8Array([1, 2, 255]), mediaType: 'image/png' });
};

function digest(bytes: Uint8Array): string {
  return `sha256:${toHex(sha256(bytes))}`;
}

function withNonce(nonce: string): ContextParts {
  return { sec: { mode: 'sig', kid: 'k', replay: { nonce, exp: '2026-01-01T00:05:00Z' } } };
}

function follow(answers: readonly Answer[], from: StateDocument = INITIAL_STATE): StateDocument {
  return answers
    .filter(({ ct }) => ct === 'state.v1')
    .reduce((document, { payload }) => applyState(document, payload), from);
}

describe('#task-answer the res', () => {
  test('describes the whole task to a peer that takes no events', async () => {
    const { give } = taskFace(reader);
    const answers = await give(payloadWith('t'), { wantsStream: false });
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatchObject({ ct: 'state.v1', generation: 8 });
    expect(answers[0]?.payload['base']).toBe(EMPTY_STATE_HASH);
    expect(documentIn(answers[0]!)).toEqual({
      status: 'completed',
      goal: 'Return short status',
      task: { id: 't', generation: 8 },
      progress: { message: 'writing' },
      artifacts: [
        { name: 'log', media_type: 'text/plain', digest: digest(utf8('ab')), text: 'ab' },
        {
          name: 'raw',
          media_type: 'image/png',
          digest: digest(new Uint8Array([1, 2, 255])),
          data: 'AQL_',
        },
      ],
    });
  });

  test('adds members of the document one by one, as v1 peers do', async () => {
    const { give } = taskFace(async () => undefined);
    const [res] = await give(taskPayload, { wantsStream: false });
    const patch = res?.payload['patch'] as unknown as readonly JsonObject[];
    expect(patch).toContainEqual({ op: 'add', path: '/status', value: 'completed' });
    expect(patch).toContainEqual({ op: 'add', path: '/goal', value: 'Return short status' });
  });

  test('of a failed task holds the error', async () => {
    const { give } = taskFace(async () => {
      throw new TaskError('no such file');
    });
    const answers = await give(taskPayload);
    expect(documentIn(answers.at(-1)!)).toMatchObject({
      status: 'failed',
      error: { code: 'TASK_FAILED', message: 'no such file' },
      artifacts: [],
    });
  });

  test('of a very long goal repeats only its beginning, so that output has room', async () => {
    const { give } = taskFace(async () => undefined);
    const answers = await give(payloadWith('t', { goal: 'g'.repeat(900_000) }));
    const goal = documentIn(answers.at(-1)!)['goal'] as string;
    expect(goal).toBe(`${'g'.repeat(8_191)}…`);
  });

  test('comes at once when the time budget is 0, and the task runs on', async () => {
    const gate = new Gate();
    const { give, call, get, patience } = taskFace(async () => {
      await gate.opened;
      return 'done';
    });
    const constraints = { time_budget_s: 0, compute_budget: 'low', safety: {} };
    const answers = await give(payloadWith('t', { constraints }));
    expect(answers.map(({ generation }) => generation)).toEqual([1, 2, 2]);
    expect(documentIn(answers.at(-1)!)).toMatchObject({ status: 'working', artifacts: [] });
    gate.open();
    await call('task.watch', { id: 't', after: 2 });
    expect((await get('t'))?.status.state).toBe('completed');
    expect(patience.waiting).toBe(0);
  });

  test('comes when the time budget is over, with the state reached', async () => {
    const { task, patience } = taskFace(async (_task, ctx) => {
      void ctx.artifact({ name: 'part', text: 'x' });
      await new Promise(() => undefined);
    });
    const budget = new LosslessNumber('30.0');
    const constraints = { time_budget_s: budget, compute_budget: 'low', safety: {} };
    const answers = await answersOf(
      task,
      payloadWith('t', { constraints }),
      contextWith(),
      (seen) => {
        if (seen.generation === 3 && seen.ct === 'artifact.v1') patience.pass(30_000);
      },
    );
    expect(documentIn(answers.at(-1)!)).toMatchObject({
      status: 'working',
      task: { id: 't', generation: 3 },
      artifacts: [{ name: 'part', text: 'x' }],
    });
  });

  test('comes when nobody waits any more, and the task runs on', async () => {
    const gone = new AbortController();
    const { task, get } = taskFace(() => new Promise(() => undefined));
    const context = contextWith({ signal: gone.signal });
    const answers = await answersOf(task, payloadWith('t'), context, () => gone.abort());
    expect(documentIn(answers.at(-1)!)).toMatchObject({ status: 'working' });
    expect((await get('t'))?.status.state).toBe('working');
  });

  test('does not come for an event, which starts the task all the same', async () => {
    const { give, get } = taskFace(async () => 'done');
    expect(await give(payloadWith('t'), { type: 'evt' })).toEqual([]);
    expect(await get('t')).toBeDefined();
  });

  test('tells of a task that was answered before it existed, although nothing of it is kept', async () => {
    const { give, call } = taskFace(async () => 'never', { accepts: () => 'no need to work' });
    const [res] = await give(taskPayload);
    const document = documentIn(res!);
    expect(document).toMatchObject({
      status: 'completed',
      artifacts: [{ name: 'answer', text: 'no need to work' }],
    });
    const { id } = document['task'] as { id: string };
    expect((await call('task.get', { id })).last['ok']).toBe(false);
  });
});

describe('#exchange #state-task the events', () => {
  test('are patches that build on each other, and items whose digests hold', async () => {
    const { give } = taskFace(reader);
    const answers = await give(payloadWith('t'));
    expect(answers.map(({ ct, generation }) => [ct, generation])).toEqual([
      ['state.v1', 1],
      ['state.v1', 2],
      ['state.v1', 3],
      ['artifact.v1', 4],
      ['state.v1', 5],
      ['artifact.v1', 6],
      ['artifact.v1', 7],
      ['state.v1', 8],
    ]);
    expect(follow(answers.slice(0, 3)).value).toEqual({
      status: 'working',
      goal: 'Return short status',
      task: { id: 't', generation: 3 },
      progress: { message: 'reading', fraction: 0.25 },
    });
    expect(follow(answers.slice(0, -1)).value).toMatchObject({
      task: { generation: 5 },
      progress: { message: 'writing' },
    });
    const items = answers
      .filter(({ ct }) => ct === 'artifact.v1')
      .flatMap(({ payload }) => readItems(payload['items'] as JsonObject[]));
    expect(items.map(({ name, append }) => [name, append])).toEqual([
      ['log', true],
      ['log', true],
      ['raw', false],
    ]);
  });

  test('go on after any generation that was seen, from the document seen there', async () => {
    const { give } = taskFace(reader);
    const all = await give(payloadWith('t'));
    for (let after = 0; after <= 9; after += 1) {
      const rest = await give(payloadWith('t'), { afterGeneration: after });
      const seen = all.filter(({ generation }) => generation! <= after && generation! < 8);
      expect(rest).toEqual(all.filter(({ generation }) => generation! > after || generation === 8));
      expect(() => follow(rest.slice(0, -1), follow(seen))).not.toThrow();
    }
  });

  test('a repeat of one signed request comes back to its own task; another request is another task', async () => {
    let runs = 0;
    const { give } = taskFace(async () => `${(runs += 1)}`);
    const ids = [];
    for (const nonce of ['n-1', 'n-1', 'n-2']) {
      const answers = await give(taskPayload, withNonce(nonce));
      ids.push((documentIn(answers.at(-1)!)['task'] as JsonObject)['id']);
    }
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
    expect(runs).toBe(2);
  });
});

describe('#task-ids what a request says of its task', () => {
  test.each([
    ['id', { id: 5 }],
    ['id', { id: '' }],
    ['id', { id: 'x'.repeat(257) }],
    ['kind', { kind: null }],
    ['parent', { parent: {} }],
    ['context_id', { context_id: true }],
  ])('an unusable %s is refused with its path', async (member, task) => {
    const { give } = taskFace(async () => undefined);
    await expect(give(payloadWith(undefined, { context: { task } }))).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
      details: { path: `/context/task/${member}` },
    });
  });

  test('two requests are one task when JCS writes them alike, whatever authorized them', () => {
    const digestIn = (members: JsonObject): string | undefined =>
      readTask(payloadWith('t', members), contextWith()).start.idempotency?.digest;
    const number = (lexeme: string): string | undefined =>
      digestIn({ inputs: { n: new LosslessNumber(lexeme) } });
    expect(number('1.0')).toBe(digestIn({ inputs: { n: 1 } }));
    expect(digestIn({ authz: { grant: {} } })).toBe(digestIn({}));
    // JCS cannot write this one, and it still is the same task only as the same number.
    expect(number('9007199254740993')).toBe(number('9007199254740993'));
    expect(number('9007199254740993')).not.toBe(number('9007199254740995'));
  });

  test('a context of the sender’s own is left alone', async () => {
    const { give } = taskFace(async () => undefined);
    const answers = await give(payloadWith(undefined, { context: { task: 'mine' } }));
    expect(documentIn(answers.at(-1)!)).toMatchObject({ task: { id: 'task-1' } });
  });

  test('the author sees kind, parent and context', async () => {
    let seen: unknown;
    const { give } = taskFace(async ({ kind, parent, contextId }) => {
      seen = [kind, parent, contextId];
    });
    const task = { kind: 'delegation', parent: 'p-1', context_id: 'c-1' };
    await give(payloadWith(undefined, { context: { task } }));
    expect(seen).toEqual(['delegation', 'p-1', 'c-1']);
  });
});
