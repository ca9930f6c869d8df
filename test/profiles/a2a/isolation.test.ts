// Proves that nobody learns anything of the tasks, contexts and tenants of others: by no operation, over no wire and
// binding. What is hidden and what is not there have the same status, the same headers and the same bytes.

import { describe, expect, test } from 'vitest';

import type { OperationName } from '../../../profiles/a2a/operations/inputs.ts';
import type { GrpcAgent } from '../../support/a2a/agent.ts';
import { grpcAgentFor } from '../../support/a2a/agent.ts';
import type { Json } from '../../support/a2a/ask.ts';
import { ask, at, textAt } from '../../support/a2a/ask.ts';
import type { Wish } from '../../support/a2a/cells.ts';
import type { EveryCell } from '../../support/a2a/every/cell.ts';
import { EVERY_CELL } from '../../support/a2a/every/cell.ts';

/** Every operation on one task, with what else may be asked along with it. A new one is a row here. */
const ON_A_TASK: readonly (readonly [OperationName, Wish])[] = [
  ['get', {}],
  ['get', { historyLength: 1 }],
  ['cancel', {}],
  ['subscribe', {}],
  ['subscribe', { headers: { 'last-event-id': '1' } }],
  ['send', {}],
  ['send', { isWaiting: false }],
  ['stream', {}],
  ['createPush', {}],
  ['getPush', {}],
  ['listPush', {}],
  ['deletePush', {}],
];

/** What a task of somebody else may be like. */
const STATES = ['hold', 'ask', 'hello', 'fail'] as const;

async function taskOf(cell: EveryCell, agent: GrpcAgent, wish: Wish): Promise<Json | undefined> {
  return (await cell.ask(agent, 'send', { isWaiting: false, ...wish })).task;
}

describe.each(EVERY_CELL)('$name #a2a-callers', (cell) => {
  test("somebody else's task and no task are the same, whatever is asked and however it stands", async () => {
    const agent = await grpcAgentFor({ isOpen: false });
    for (const owner of ['user', 'tenant']) {
      for (const text of STATES) {
        const hidden = textAt(
          await taskOf(cell, agent, { text, as: owner, isWaiting: text !== 'hold' }),
          'id',
        );
        expect(hidden).not.toBe('');
        const none = `${hidden.slice(0, -4)}0000`;
        for (const [operation, more] of ON_A_TASK) {
          const wish = { as: 'other', ...more };
          const there = await cell.ask(agent, operation, { ...wish, id: hidden });
          const missing = await cell.ask(agent, operation, { ...wish, id: none });
          expect(there.all).toEqual(missing.all);
          expect(there.text).toMatch(/task.not.found|push.notification.not.supported/i);
          expect(there.text).not.toContain(hidden);
        }
        // Nothing of it has changed.
        const { result: still } = await cell.ask(agent, 'get', { id: hidden, as: owner });
        const states = {
          hold: 'working',
          ask: 'input-required',
          hello: 'completed',
          fail: 'failed',
        };
        expect(textAt(still, 'status.state')).toMatch(
          new RegExp(`^(${cell.stateOf(states[text])}|${cell.stateOf('submitted')})$`),
        );
        expect(at(still, 'history.1')).toEqual(expect.not.objectContaining({ role: 'user' }));
      }
    }
  });

  test('a context of somebody else tells nothing, and gives nothing to who names it', async () => {
    const agent = await grpcAgentFor({ isOpen: false });
    const task = await taskOf(cell, agent, { text: 'ask', as: 'user', isWaiting: true });
    const [id, contextId] = [textAt(task, 'id'), textAt(task, 'contextId')];
    const made = `${contextId.slice(0, -4)}0000`;
    // With the task of somebody else a right context and a wrong one are the same as with none.
    const wish = { id, as: 'other' } as const;
    const right = await cell.ask(agent, 'send', { ...wish, contextId });
    const wrong = await cell.ask(agent, 'send', { ...wish, contextId: made });
    expect(right.all).toEqual(wrong.all);
    expect(right.all).toEqual((await cell.ask(agent, 'send', wish)).all);
    // A task of one's own in it is in no list of the other.
    const own = await taskOf(cell, agent, {
      text: 'hello',
      as: 'other',
      contextId,
      isWaiting: true,
    });
    expect(textAt(own, 'contextId')).toBe(contextId);
    const [lister] = EVERY_CELL;
    const listed = async (as: string): Promise<Json | undefined> => {
      const { result } = await lister!.ask(agent, 'list', { as, filter: { contextId } });
      return [at(result, 'totalSize')!, at(result, 'tasks.0.id')!];
    };
    expect(await listed('user')).toEqual([1, id]);
    expect(await listed('other')).toEqual([1, textAt(own, 'id')]);
    const closed = await grpcAgentFor({ isOpen: false, face: { contextIds: 'refuse' } });
    const theirs = textAt(await taskOf(cell, closed, { as: 'user' }), 'contextId');
    const [known, unknown] = [
      await cell.ask(closed, 'send', { as: 'other', contextId: theirs }),
      await cell.ask(closed, 'send', { as: 'other', contextId: made }),
    ];
    expect(known.all).toEqual(unknown.all);
    expect(known.text).toMatch(/contextId/);
  });
});

describe.each(EVERY_CELL.filter(({ wire }) => wire !== 'v03'))(
  '$name: lists #a2a-lists',
  (cell) => {
    test('tell own tasks alone, by whatever they are asked, and with the token of somebody else too', async () => {
      const agent = await grpcAgentFor({ isOpen: false });
      for (const as of ['user', 'tenant', 'other']) {
        for (let count = 0; count < 3; count += 1)
          await taskOf(cell, agent, { as, isWaiting: true });
      }
      const list = async (as: string, filter: Wish['filter'] = {}): Promise<Json | undefined> =>
        (await cell.ask(agent, 'list', { as, filter })).result;
      const idsOf = (page: Json | undefined): string[] =>
        // An empty list is not there over gRPC.
        ((at(page, 'tasks') ?? []) as readonly Json[]).map((task) => textAt(task, 'id'));
      const [own, theirs] = [idsOf(await list('user')), idsOf(await list('other'))];
      expect([own.length, theirs.length]).toEqual([3, 3]);
      const pages = await Promise.all(['user', 'tenant'].map((as) => list(as, { pageSize: 1 })));
      const status = cell.stateOf('completed');
      const filters: NonNullable<Wish['filter']>[] = [
        { includeArtifacts: true, historyLength: 10 },
        { status },
        ...pages.map((page) => ({ pageToken: textAt(page, 'nextPageToken') })),
        { pageToken: 'h.zzzzzzzz.zzzzzz' },
        cell.wire === 'v1'
          ? { statusTimestampAfter: '2000-01-01T00:00:00Z' }
          : { lastUpdatedAfter: 0 },
      ];
      for (const filter of filters) {
        const seen = await list('other', filter);
        expect(idsOf(seen).every((id) => theirs.includes(id))).toBe(true);
        expect(at(seen, 'totalSize')).toBe(3);
        expect(JSON.stringify(seen)).not.toMatch(new RegExp(own.join('|')));
      }
    });
  },
);

describe.each(EVERY_CELL.filter(({ wire }) => wire !== 'v03'))(
  '$name: tenants #a2a-callers',
  (cell) => {
    test('another tenant than its own is to everybody what a made-up one is', async () => {
      const agent = await grpcAgentFor({ isOpen: false });
      const id = textAt(
        await taskOf(cell, agent, { text: 'ask', as: 'tenant', isWaiting: true }),
        'id',
      );
      const own = textAt(
        await taskOf(cell, agent, { text: 'ask', as: 'user', isWaiting: true }),
        'id',
      );
      const operations = new Set(ON_A_TASK.map(([operation]) => operation));
      for (const operation of [...operations, 'list', 'extendedCard'] as const) {
        for (const [as, named] of [
          ['user', id],
          ['user', own],
          ['other', id],
        ] as const) {
          const there = await cell.ask(agent, operation, { id: named, as, tenant: 'acme' });
          const none = await cell.ask(agent, operation, { id: named, as, tenant: 'emca' });
          expect(there.all).toEqual(none.all);
          expect(there.text).toMatch(/not.found|not.supported|not.configured/i);
        }
      }
      const { result } = await cell.ask(agent, 'get', { id, as: 'tenant', tenant: 'acme' });
      expect(textAt(result, 'status.state')).toBe(cell.stateOf('input-required'));
    });
  },
);

test.each(['1.0', '0.3'])(
  'version %s: a tenant counts in the path, in the query and in the body, and must be one #a2a-callers',
  async (version) => {
    const agent = await grpcAgentFor({ isOpen: false });
    const [cell] = EVERY_CELL;
    const id = textAt(
      await taskOf(cell!, agent, { text: 'ask', as: 'tenant', isWaiting: true }),
      'id',
    );
    const headers = { 'a2a-version': version, 'content-type': 'application/json' };
    const reach = async (
      method: string,
      path: string,
      body?: Readonly<Record<string, Json>>,
    ): Promise<number> => {
      const given = body === undefined ? {} : { body };
      const asked = { method, headers, as: 'tenant', ...given };
      const response = await ask(`${agent.origin}${path}`, asked);
      return response.status;
    };
    const role = version === '1.0' ? 'ROLE_USER' : 'user';
    const message = { messageId: 'm', role, parts: [{ text: 'hello' }] };
    for (const [wanted, tenant] of [
      [200, 'acme'],
      [404, 'other'],
    ] as const) {
      expect(await reach('GET', `/tasks/${id}?tenant=${tenant}`)).toBe(wanted);
      expect(await reach('GET', `/tasks?tenant=${tenant}`)).toBe(wanted);
      expect(await reach('GET', `/${tenant}/tasks/${id}`)).toBe(wanted);
      expect(await reach('POST', '/message:send', { tenant, message })).toBe(wanted);
      expect(await reach('POST', `/message:send?tenant=${tenant}`, { message })).toBe(wanted);
      expect(await reach('POST', `/${tenant}/message:send`, { message })).toBe(wanted);
    }
    for (const method of ['GET', 'POST']) {
      expect(await reach(method, `/tasks/${id}:subscribe?tenant=other`)).toBe(404);
    }
    expect(await reach('POST', `/tasks/${id}:cancel?tenant=other`)).toBe(404);
    expect(await reach('POST', `/tasks/${id}:cancel`, { tenant: 'other' })).toBe(404);
    // Two of them, even if one is right.
    expect(await reach('GET', `/acme/tasks/${id}?tenant=other`)).toBe(400);
    expect(await reach('GET', `/tasks/${id}?tenant=acme&tenant=other`)).toBe(400);
    expect(await reach('POST', '/acme/message:send', { tenant: 'other', message })).toBe(400);
    expect(await reach('POST', '/message:send?tenant=other', { tenant: 'acme', message })).toBe(
      400,
    );
    expect(await reach('POST', `/tasks/${id}:cancel?tenant=acme`, { tenant: 'acme' })).toBe(200);
  },
);
