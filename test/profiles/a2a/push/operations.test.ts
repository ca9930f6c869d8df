// Proves what clients can do with web hooks over every wire and binding: make, get, list and drop them, within bounds,
// and without a way to those of others.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { TestAgent } from '../../../support/a2a/agent.ts';
import { openAgent } from '../../../support/a2a/agent.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import { ask, at, textAt } from '../../../support/a2a/ask.ts';
import type { Cell } from '../../../support/a2a/cells.ts';
import { CELLS } from '../../../support/a2a/cells.ts';
import type { PushWish } from '../../../support/a2a/pushes.ts';

/** Nothing is reached: the names of these tests have no address. */
const hookFetch = { lookup: () => Promise.reject(new Error('no such name')) };

let agent: TestAgent;

beforeAll(async () => {
  agent = await openAgent({ isOpen: false, face: { hookFetch } });
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

const URL = 'https://hooks.example.com/a2a';
const SECRET = 'a-secret-of-the-receiver';
const OPERATIONS = ['createPush', 'getPush', 'listPush', 'deletePush'] as const;

const taskOf = async (cell: Cell, text = 'hello', as = 'user'): Promise<string> => {
  const answer = await cell.ask(agent, 'send', { text, as, isWaiting: text === 'hello' });
  return textAt(cell.taskOf(answer), 'id');
};

describe.each(CELLS)('$name #a2a-push', (cell) => {
  const isKinded = cell.wire === 'v03' && cell.binding === 'jsonrpc';
  const create = { v1: 200, draft: 200, v03: cell.binding === 'rest' ? 201 : 200 }[cell.wire];

  test('a web hook is made, got, listed and dropped, also of a task that has ended', async () => {
    for (const text of ['hello', 'hold']) {
      const id = await taskOf(cell, text);
      const push = { id: 'mine', url: URL, token: 't-1', scheme: 'Bearer', credentials: SECRET };
      const made = await cell.ask(agent, 'createPush', { id, push, as: 'user' });
      const shown = { id: 'mine', url: URL, token: 't-1', scheme: 'Bearer' };
      expect([made.status, cell.pushOf(made)]).toEqual([create, shown]);
      const got = await cell.ask(agent, 'getPush', { id, configId: 'mine', as: 'user' });
      expect([got.status, cell.pushOf(got)]).toEqual([200, shown]);
      const listed = await cell.ask(agent, 'listPush', { id, as: 'user' });
      expect(cell.pushesOf(listed)).toEqual([shown]);
      for (const answer of [made, got, listed]) expect(answer.text).not.toContain(SECRET);
      for (let nth = 1; nth <= 2; nth += 1) {
        const gone = await cell.ask(agent, 'deletePush', { id, configId: 'mine', as: 'user' });
        const isEmpty = cell.binding === 'rest' && cell.wire !== 'v1';
        expect([gone.status, gone.text === '']).toEqual([isEmpty ? 204 : 200, isEmpty]);
        if (!isEmpty) expect(cell.resultOf(gone)).toEqual(isKinded ? null : {});
      }
      const none = await cell.ask(agent, 'listPush', { id, as: 'user' });
      expect(cell.pushesOf(none)).toEqual([]);
      if (text === 'hold') await cell.ask(agent, 'cancel', { id, as: 'user' });
    }
  });

  test('one without an id takes the place of none that was made over another wire', async () => {
    const [v1] = CELLS;
    const id = await taskOf(cell);
    const made: Json[] = [];
    for (const [asked, nth] of [
      [v1!, 1],
      [cell, 2],
      [v1!, 3],
    ] as const) {
      const push = { url: `${URL}/${nth}` };
      made.push(asked.pushOf(await asked.ask(agent, 'createPush', { id, push, as: 'user' })).id!);
    }
    expect(new Set(made).size).toBe(3);
    const listed = await v1!.ask(agent, 'listPush', { id, as: 'user' });
    expect(v1!.pushesOf(listed).map(({ url }) => url)).toEqual(
      [1, 2, 3].map((nth) => `${URL}/${nth}`),
    );
  });

  test('an id is kept, is of one task alone, and is replaced by the next of that name', async () => {
    const [one, two] = [await taskOf(cell), await taskOf(cell)];
    for (const id of [one, two]) {
      await cell.ask(agent, 'createPush', { id, push: { id: 'same', url: URL }, as: 'user' });
    }
    const push = { id: 'same', url: `${URL}/other` };
    const made = await cell.ask(agent, 'createPush', { id: one, push, as: 'user' });
    expect(cell.pushOf(made).url).toBe(`${URL}/other`);
    const listed = await cell.ask(agent, 'listPush', { id: one, as: 'user' });
    expect(cell.pushesOf(listed).map(({ url }) => url)).toEqual([`${URL}/other`]);
    const there = await cell.ask(agent, 'getPush', { id: two, configId: 'same', as: 'user' });
    expect(cell.pushOf(there).url).toBe(URL);
  });

  test('one without an id gets one, by which it is found', async () => {
    const id = await taskOf(cell);
    const made = cell.pushOf(
      await cell.ask(agent, 'createPush', { id, push: { url: URL }, as: 'user' }),
    );
    expect(made.id).toMatch(/^.{8,}$/);
    const configId = made.id as string;
    const got = await cell.ask(agent, 'getPush', { id, configId, as: 'user' });
    expect(cell.pushOf(got)).toEqual(made);
    if (!isKinded) return;
    const only = await cell.ask(agent, 'getPush', { id, configId: '', as: 'user' });
    expect(cell.pushOf(only)).toEqual(made);
    const unnamed = await cell.ask(agent, 'deletePush', { id, configId: '', as: 'user' });
    expect(cell.reasonOf(unnamed)).toBe('INVALID_PARAMS');
  });

  test('ids of every kind are kept as they are', async () => {
    const id = await taskOf(cell);
    for (const name of ['ümlaut 重要', 'a/b', 'a?b#c&d=e%', '..', 'x'.repeat(256)]) {
      const push = { id: name, url: URL };
      const made = await cell.ask(agent, 'createPush', { id, push, as: 'user' });
      expect(cell.pushOf(made).id).toBe(name);
      const configId = cell.binding === 'rest' ? encodeURIComponent(name) : name;
      // A path that ends with two dots leads somewhere else before it is sent.
      if (name === '..' && cell.binding === 'rest') continue;
      const got = await cell.ask(agent, 'getPush', { id, configId, as: 'user' });
      expect(cell.pushOf(got).id).toBe(name);
    }
  });

  test('what is not there, and what is of others or of another tenant, is a task that is not found, to the byte', async () => {
    const id = await taskOf(cell);
    const push = { id: 'c', url: URL };
    await cell.ask(agent, 'createPush', { id, push, as: 'user' });
    for (const operation of OPERATIONS) {
      const missing = await cell.ask(agent, operation, { id: 'nothing', push, as: 'user' });
      expect(cell.reasonOf(missing)).toBe('TASK_NOT_FOUND');
      for (const as of ['other', 'tenant']) {
        const hidden = await cell.ask(agent, operation, { id, push, as });
        expect([hidden.status, hidden.text]).toEqual([missing.status, missing.text]);
      }
      if (cell.wire === 'v03') continue;
      const foreign = await cell.ask(agent, operation, { id, push, tenant: 'acme', as: 'user' });
      expect([foreign.status, foreign.text]).toEqual([missing.status, missing.text]);
    }
    const unknown = await cell.ask(agent, 'getPush', { id, configId: 'nothing', as: 'user' });
    expect(cell.reasonOf(unknown)).toBe('TASK_NOT_FOUND');
    const kept = await cell.ask(agent, 'listPush', { id, as: 'user' });
    expect(cell.pushesOf(kept)).toHaveLength(1);
  });

  test('who may not follow tasks may have no web hooks', async () => {
    for (const operation of OPERATIONS) {
      const answer = await cell.ask(agent, operation, { id: 'x', as: 'narrow' });
      expect([answer.status, cell.reasonOf(answer)]).toEqual([403, 'PERMISSION_DENIED']);
    }
  });

  test('a task has so many and no more; replacing one is always possible', async () => {
    const id = await taskOf(cell);
    for (let nth = 1; nth <= 32; nth += 1) {
      const push = { id: `c-${nth}`, url: URL };
      const made = await cell.ask(agent, 'createPush', { id, push, as: 'user' });
      expect(made.status).toBe(create);
    }
    const push = { id: 'one-more', url: URL };
    const refused = await cell.ask(agent, 'createPush', { id, push, as: 'user' });
    expect([refused.status, cell.reasonOf(refused)]).toEqual([429, 'RESOURCE_EXHAUSTED']);
    expect(refused.text).toContain('a task has at most 32 push notification configs');
    const again = { id: 'c-7', url: `${URL}/again` };
    const replaced = await cell.ask(agent, 'createPush', { id, push: again, as: 'user' });
    expect(replaced.status).toBe(create);
    const listed = await cell.ask(agent, 'listPush', { id, as: 'user' });
    expect(cell.pushesOf(listed)).toHaveLength(32);
  });

  test.each<[string, PushWish, string]>([
    ['a scheme of no web', { url: 'ftp://example.com/' }, 'url'],
    ['an address of this machine', { url: 'http://127.0.0.1:9/' }, 'url'],
    ['no address', { url: 'nonsense' }, 'url'],
    ['a line that ends in a token', { url: URL, token: 'a\r\nX-Evil: 1' }, 'token'],
    ['a token of another script', { url: URL, token: 'ünsafe' }, 'token'],
    ['a scheme that is no word', { url: URL, scheme: 'Bea rer', credentials: 'x' }, 'auth'],
    ['a secret with a line', { url: URL, scheme: 'Bearer', credentials: 'a\nb' }, 'credentials'],
    ['an id that cannot be seen', { url: URL, id: 'a\u0000b' }, 'id'],
    ['an id that is too long', { url: URL, id: 'x'.repeat(257) }, 'id'],
    ['a token that is too long', { url: URL, token: 'x'.repeat(5_000) }, 'token'],
  ])('%s is refused with its place, also in a message', async (_what, push, field) => {
    const id = await taskOf(cell);
    const made = await cell.ask(agent, 'createPush', { id, push, as: 'user' });
    expect(cell.reasonOf(made)).toBe('INVALID_PARAMS');
    expect(made.text).toContain(field);
    const sent = await cell.ask(agent, 'send', { push, as: 'user' });
    expect(cell.reasonOf(sent)).toBe('INVALID_PARAMS');
    expect(sent.text).toMatch(new RegExp(`configuration\\.[\\w.]+${field}`));
    const { text } = await cell.ask(agent, 'listPush', { id, as: 'user' });
    expect(text).not.toContain(URL);
  });

  test('one that comes with a message is there with the task', async () => {
    const push = { id: 'inline', url: URL, scheme: 'Bearer', credentials: SECRET };
    const sent = await cell.ask(agent, 'send', { text: 'ask', push, as: 'user' });
    const id = textAt(cell.taskOf(sent), 'id');
    const listed = async (): Promise<unknown> =>
      cell.pushesOf(await cell.ask(agent, 'listPush', { id, as: 'user' }));
    const shown = { id: 'inline', url: URL, scheme: 'Bearer' };
    expect(await listed()).toEqual([shown]);
    // The same again, with or without its name, is the same.
    await cell.ask(agent, 'send', { text: 'red', id, push, as: 'user' });
    expect(await listed()).toEqual([shown]);
    expect(sent.text).not.toContain(SECRET);
  });

  test('another one that comes with a further message is there, too', async () => {
    const sent = await cell.ask(agent, 'send', { text: 'ask', push: { url: URL }, as: 'user' });
    const id = textAt(cell.taskOf(sent), 'id');
    const push = { url: `${URL}/second` };
    await cell.ask(agent, 'send', { text: 'red', id, push, as: 'user' });
    const listed = cell.pushesOf(await cell.ask(agent, 'listPush', { id, as: 'user' }));
    expect(listed.map(({ url }) => url)).toEqual([URL, `${URL}/second`]);
    expect(new Set(listed.map((one) => one.id)).size).toBe(2);
  });
});

describe.each(CELLS.filter(({ wire, binding }) => wire !== 'v03' || binding === 'rest'))(
  '$name: lists of web hooks #a2a-push',
  (cell) => {
    test('come page by page, exactly, while some are dropped and made', async () => {
      const id = await taskOf(cell);
      const names = ['a', 'b', 'c', 'd', 'e'];
      for (const name of names) {
        await cell.ask(agent, 'createPush', { id, push: { id: name, url: URL }, as: 'user' });
      }
      const seen: unknown[] = [];
      let pageToken = '';
      do {
        const filter = { pageSize: 2, ...(pageToken !== '' && { pageToken }) };
        const page = await cell.ask(agent, 'listPush', { id, filter, as: 'user' });
        expect(cell.pushesOf(page).length).toBeLessThanOrEqual(2);
        seen.push(...cell.pushesOf(page).map((one) => one.id));
        pageToken = textAt(cell.resultOf(page), 'nextPageToken');
        if (seen.length === 2) {
          await cell.ask(agent, 'deletePush', { id, configId: 'b', as: 'user' });
          await cell.ask(agent, 'createPush', { id, push: { id: 'f', url: URL }, as: 'user' });
        }
      } while (pageToken !== '');
      expect(seen).toEqual([...names, 'f']);
    });

    test.each([{ pageSize: 0 }, { pageSize: 101 }, { pageSize: -1 }, { pageToken: 'made-up' }])(
      'refuse %j',
      async (filter) => {
        const id = await taskOf(cell);
        const answer = await cell.ask(agent, 'listPush', { id, filter, as: 'user' });
        expect(cell.reasonOf(answer)).toBe('INVALID_PARAMS');
      },
    );
  },
);

describe('named web hooks #a2a-push', () => {
  const [rest03, restDraft] = ['v03', 'draft'].map((wire) =>
    CELLS.find((cell) => cell.wire === wire && cell.binding === 'rest')!,
  ) as [Cell, Cell];
  const config = { url: URL, token: 't' };

  test.each([
    ['the draft', restDraft, '/v1', 'application/a2a+json'],
    ['0.3', rest03, '/v1', 'application/json'],
  ])('%s takes every form that clients send', async (_what, cell, prefix, type) => {
    const id = await taskOf(cell);
    const path = `${agent.origin}${prefix}/tasks/${id}/pushNotificationConfigs`;
    const name = (configId: string): string => `tasks/${id}/pushNotificationConfigs/${configId}`;
    const post = async (query: string, body: object) => {
      const headers = { 'content-type': type };
      return ask(path + query, { method: 'POST', headers, as: 'user', body: body as never });
    };
    const forms: readonly (readonly [string, string, object])[] = [
      ['one', '?configId=one', { pushNotificationConfig: config }],
      ['two', '?configId=two', config],
      ['three', '', { name: name('three'), pushNotificationConfig: config }],
      ['four', '?configId=four', { name: name('four'), pushNotificationConfig: config }],
      ['five', '', { pushNotificationConfig: { ...config, id: 'five' } }],
      ['six', '', { ...config, id: 'six' }],
      [
        'seven',
        '',
        { parent: `tasks/${id}`, configId: 'seven', config: { pushNotificationConfig: config } },
      ],
      [
        'eight',
        '',
        { config: { name: name('eight'), pushNotificationConfig: { ...config, id: 'eight' } } },
      ],
    ];
    for (const [configId, query, body] of forms) {
      const answer = await post(query, body);
      expect([configId, textAt(answer.body, 'name')]).toEqual([configId, name(configId)]);
      expect(at(answer.body, 'pushNotificationConfig')).toEqual({ id: configId, ...config });
    }
    const wrong: readonly (readonly [string, object])[] = [
      ['?configId=one', { name: name('two'), pushNotificationConfig: config }],
      ['', { name: `tasks/other/pushNotificationConfigs/one`, pushNotificationConfig: config }],
      ['', { name: 'nonsense', pushNotificationConfig: config }],
      ['?configId=one', { pushNotificationConfig: { ...config, id: 'two' } }],
      ['?configId=one', { configId: 'two', config: { pushNotificationConfig: config } }],
      ['', { parent: 'tasks/other', config: { pushNotificationConfig: config } }],
      ['', {}],
      ['', { pushNotificationConfig: {} }],
      ['', { pushNotificationConfig: 'https://example.com' }],
    ];
    for (const [query, body] of wrong) {
      const answer = await post(query, body);
      expect([JSON.stringify(body), answer.status]).toEqual([JSON.stringify(body), 400]);
    }
    const listed = await cell.ask(agent, 'listPush', { id, as: 'user' });
    expect(cell.pushesOf(listed)).toHaveLength(forms.length);
  });

  test('a flat one that names another task than the path is refused', async () => {
    const [cell] = CELLS.filter((one) => one.wire === 'v1' && one.binding === 'rest') as [Cell];
    const id = await taskOf(cell);
    const headers = { 'a2a-version': '1.0', 'content-type': 'application/json' };
    const path = `${agent.origin}/tasks/${id}/pushNotificationConfigs`;
    const post = (body: object) =>
      ask(path, { method: 'POST', headers, as: 'user', body: body as never });
    expect((await post({ taskId: 'other', url: URL })).status).toBe(400);
    const made = await post({ taskId: id, url: URL });
    expect([made.status, at(made.body, 'taskId')]).toEqual([200, id]);
  });
});
