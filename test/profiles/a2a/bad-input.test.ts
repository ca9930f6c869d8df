// Proves over every wire and binding what is refused with which code and status, and what is taken although it is odd.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { OperationName } from '../../../profiles/a2a/operations/inputs.ts';
import type { TestAgent } from '../../support/a2a/agent.ts';
import { openAgent } from '../../support/a2a/agent.ts';
import type { Answer, Json } from '../../support/a2a/ask.ts';
import { ask, at, fetchFrom, framesOf, textAt } from '../../support/a2a/ask.ts';
import type { Cell } from '../../support/a2a/cells.ts';
import { CELLS } from '../../support/a2a/cells.ts';

let agent: TestAgent;

beforeAll(async () => {
  agent = await openAgent();
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

type Members = { [name: string]: Json | undefined };

const isKinded = ({ wire, binding }: Cell): boolean => wire === 'v03' && binding === 'jsonrpc';
const contentOf = ({ wire, binding }: Cell): string =>
  wire === 'v03' && binding === 'rest' ? 'content' : 'parts';

/** As the cell sends it, with the text of its body changed. */
async function changed(
  cell: Cell,
  operation: OperationName,
  change: (text: string) => string,
  wish: NonNullable<Parameters<Cell['ask']>[2]> = {},
): Promise<Answer> {
  const [url, given] = cell.requestFor(agent, operation, wish);
  const text = typeof given.body === 'string' ? given.body : JSON.stringify(given.body ?? {});
  return ask(url, { ...given, body: change(text) });
}

/** With the members of the message changed. */
function withMessage(cell: Cell, change: (message: Members) => void): Promise<Answer> {
  return changed(cell, 'send', (text) => {
    const body = JSON.parse(text) as Members;
    const holder = (cell.binding === 'jsonrpc' ? body['params'] : body) as Members;
    change(holder['message'] as Members);
    return JSON.stringify(body);
  });
}

/** Reason, HTTP status, and over JSON-RPC the code. */
function told(cell: Cell, answer: Answer): readonly [string, number, Json | undefined] {
  const code = cell.binding === 'jsonrpc' ? at(answer.body, 'error.code') : undefined;
  return [cell.reasonOf(answer), answer.status, code];
}

function wrong(cell: Cell, reason: string, code: number, status = 400): ReturnType<typeof told> {
  return cell.binding === 'jsonrpc' ? [reason, 200, code] : [reason, status, undefined];
}

describe.each(CELLS)('$name #a2a-input', (cell) => {
  const parts = contentOf(cell);
  const text = isKinded(cell) ? { kind: 'text', text: 'a' } : { text: 'a' };
  const files: Readonly<Record<string, Json>> = {
    v1: { raw: 'a%b' },
    draft: { file: { fileWithBytes: 'a%b' } },
    v03: isKinded(cell)
      ? { kind: 'file', file: { bytes: 'a%b' } }
      : { file: { fileWithBytes: 'a%b' } },
  };
  const both: Readonly<Record<string, Json>> = {
    v1: { text: 'a', url: 'https://example.com' },
    draft: { text: 'a', file: { fileWithUri: 'https://example.com' } },
    v03: isKinded(cell)
      ? { kind: 'text', text: 'a', file: { uri: 'https://example.com' } }
      : { text: 'a', file: { fileWithUri: 'https://example.com' } },
  };

  test.each<[string, (message: Members) => void]>([
    ['no message id', (message) => delete message['messageId']],
    ['an empty message id', (message) => (message['messageId'] = '')],
    ['a message id that is too long', (message) => (message['messageId'] = 'm'.repeat(257))],
    ['no parts', (message) => delete message[parts]],
    ['empty parts', (message) => (message[parts] = [])],
    ['parts that are no list', (message) => (message[parts] = text)],
    ['a part that is nothing', (message) => (message[parts] = [{}])],
    ['a part that is two', (message) => (message[parts] = [both[cell.wire]!])],
    ['no base64', (message) => (message[parts] = [files[cell.wire]!])],
    ['another role', (message) => (message['role'] = 'ROLE_KING')],
    ['the role of the agent', (message) => (message['role'] = 2)],
    ['metadata that is no object', (message) => (message['metadata'] = [1])],
    ['a context id that is too long', (message) => (message['contextId'] = 'c'.repeat(257))],
    ['a context id with characters that nobody sees', (message) => (message['contextId'] = 'a\0b')],
    ['a task id that is no text', (message) => (message['taskId'] = 7)],
  ])('%s: INVALID_PARAMS', async (_what, change) => {
    const answer = await withMessage(cell, change);
    expect(told(cell, answer)).toEqual(wrong(cell, 'INVALID_PARAMS', -32_602));
    expect(answer.text).toMatch(/"message\b/);
  });

  test('a negative length, or one that is none: INVALID_PARAMS', async () => {
    for (const historyLength of [-1, 1.5, 2 ** 31]) {
      const sent = await cell.ask(agent, 'send', { historyLength });
      expect(told(cell, sent)).toEqual(wrong(cell, 'INVALID_PARAMS', -32_602));
      const looked = await cell.ask(agent, 'get', { id: 'x', historyLength });
      expect(told(cell, looked)).toEqual(wrong(cell, 'INVALID_PARAMS', -32_602));
    }
  });

  test('what is no JSON, or says something twice: PARSE_ERROR', async () => {
    for (const change of [
      (body: string) => body.slice(0, -1),
      (body: string) => `${body}{}`,
      (body: string) => body.replace('"messageId":', '"messageId":"twice","messageId":'),
      (body: string) => body.replace('{', '{"x":1,"x":1,'),
      (body: string) => `\ufeff${body}`,
      (body: string) => body.replace('hello', String.raw`\ud800`),
    ]) {
      const answer = await changed(cell, 'send', change);
      expect(told(cell, answer)).toEqual(wrong(cell, 'PARSE_ERROR', -32_700));
      if (cell.binding === 'jsonrpc') expect(at(answer.body, 'id')).toBeNull();
    }
  });

  test('a body of another type is judged by its type alone', async () => {
    const [url, given] = cell.requestFor(agent, 'send', {});
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x']) {
      const headers = { ...given.headers, 'content-type': type };
      const answer = await ask(url, { ...given, headers, body: 'no json at all' });
      expect(told(cell, answer)).toEqual(wrong(cell, 'CONTENT_TYPE_NOT_SUPPORTED', -32_005, 415));
    }
  });

  test('a body that is encoded is judged by its encoding alone', async () => {
    const [url, given] = cell.requestFor(agent, 'send', {});
    const headers = {
      'content-type': 'application/json',
      ...given.headers,
      'content-encoding': 'gzip',
    };
    const answer = await ask(url, { ...given, headers });
    expect(told(cell, answer)).toEqual(wrong(cell, 'CONTENT_TYPE_NOT_SUPPORTED', -32_005, 415));
  });

  test('what nobody knows is ignored, wherever it stands', async () => {
    const answer = await changed(cell, 'send', (body) =>
      body
        .replace('"message":{', '"message":{"later":{"x":[1]},')
        .replace('"text":', '"more":null,"text":')
        .replace('"configuration":{', '"configuration":{"__proto__":{"blocking":1},')
        .replace(/^\{/, '{"unknown":[{}],'),
    );
    expect(textAt(cell.taskOf(answer), 'status.state')).toBe(cell.stateOf('completed'));
  });

  test('a stream is one of events, whatever Accept says', async () => {
    const types = ['application/json', 'application/a2a+json', 'text/html', 'image/*;q=0'];
    // Below /v1 the type of A2A says that it is the draft.
    const isOther = cell.wire === 'v03' && cell.binding === 'rest';
    for (const accept of types.filter((type) => !isOther || !type.includes('a2a+json'))) {
      const response = await cell.fetch(agent, 'stream', { headers: { accept } });
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      expect(await response.text()).toMatch(/completed/i);
    }
  });
});

describe.each(CELLS.filter(({ wire }) => wire !== 'v03'))('$name: pages #a2a-input', (cell) => {
  const since = cell.wire === 'v1' ? 'statusTimestampAfter' : 'lastUpdatedAfter';
  test.each([
    { pageSize: 0 },
    { pageSize: -1 },
    { pageSize: 101 },
    { pageSize: 1.5 },
    { pageToken: 'made up' },
    { pageToken: 'o.1' },
    { status: 'sleeping' },
    { historyLength: -1 },
    { includeArtifacts: 'perhaps' },
    { [since]: 'yesterday' },
  ])('%j: INVALID_PARAMS', async (filter) => {
    const answer = await cell.ask(agent, 'list', { filter });
    expect(told(cell, answer)).toEqual(wrong(cell, 'INVALID_PARAMS', -32_602));
    // The member that is wrong is named.
    if (cell.wire === 'v1') expect(answer.text).toContain(`"field":"${Object.keys(filter)[0]}"`);
  });
});

describe.each(CELLS.filter(({ binding }) => binding === 'jsonrpc'))(
  '$name: the envelope #a2a-jsonrpc',
  (cell) => {
    const [method, params] = [
      { v1: 'GetTask', draft: 'GetTask', v03: 'tasks/get' }[cell.wire],
      { id: 'x' },
    ];
    const post = (body: Json): Promise<Answer> =>
      changed(cell, 'get', () => JSON.stringify(body), { id: 'x' });

    test('a batch, an id that is none, no version and no method: INVALID_REQUEST', async () => {
      const right = { jsonrpc: '2.0', id: 1, method, params };
      for (const body of [
        [],
        [right],
        null,
        'text',
        7,
        { ...right, id: {} },
        { ...right, id: [1] },
        { ...right, id: true },
        { ...right, jsonrpc: 2 },
        { ...right, jsonrpc: undefined },
        { ...right, method: 7 },
        { ...right, method: undefined },
      ]) {
        expect(told(cell, await post(body))).toEqual(wrong(cell, 'INVALID_REQUEST', -32_600));
      }
    });

    test('an empty body is no JSON: PARSE_ERROR', async () => {
      const answer = await changed(cell, 'get', () => '', { id: 'x' });
      expect(told(cell, answer)).toEqual(wrong(cell, 'PARSE_ERROR', -32_700));
    });

    test('without an id it is done and answered with null', async () => {
      const { body } = await post({ jsonrpc: '2.0', method, params });
      expect([at(body, 'id'), at(body, 'error.code')]).toEqual([null, -32_001]);
    });

    test('a slash at the end of the address changes nothing', async () => {
      const [url, given] = cell.requestFor(agent, 'send', {});
      for (const address of [url, `${url}/`, `${url}/?x=1`]) {
        const response = await fetchFrom(address, given);
        expect([response.status, response.redirected]).toEqual([200, false]);
        expect(await response.text()).toMatch(/completed/i);
      }
    });
  },
);

describe.each(CELLS.filter(({ binding }) => binding === 'rest'))(
  '$name: bodies that say nothing #a2a-rest',
  (cell) => {
    test.each([
      ['', { 'content-type': 'application/json' }],
      ['', { 'content-type': 'application/a2a+json' }],
      ['', {}],
      ['null', { 'content-type': 'application/json' }],
      ['{}', { 'content-type': 'application/json' }],
    ])('subscribe takes %j with %j', async (body, headers) => {
      const sent = await cell.ask(agent, 'send', { text: 'ask' });
      const id = textAt(cell.taskOf(sent), 'id');
      const [url] = cell.requestFor(agent, 'subscribe', { id });
      const version = { v1: '1.0', draft: '0.3', v03: '' }[cell.wire];
      for (const method of ['POST', 'GET']) {
        const given = method === 'GET' ? {} : { body };
        const response = await fetchFrom(url, {
          method,
          headers: { ...headers, 'a2a-version': version },
          ...given,
        });
        expect(response.headers.get('content-type')).toBe('text/event-stream');
        const frames = framesOf(response);
        expect((await frames.next()).value).toBeDefined();
        await frames.return(undefined);
      }
    });
  },
);
