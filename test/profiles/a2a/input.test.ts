// Proves that what is wrong is refused with its path, and that nothing a client sends is answered with 500 or with HTML.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { TestAgent } from '../../support/a2a/agent.ts';
import { agentFor, openAgent } from '../../support/a2a/agent.ts';
import type { Answer, Json } from '../../support/a2a/ask.ts';
import { ask, at, textAt } from '../../support/a2a/ask.ts';
import { CELLS } from '../../support/a2a/cells.ts';

let agent: TestAgent;

beforeAll(async () => {
  agent = await openAgent();
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

const TYPE = { 'content-type': 'application/json' };
const V1 = { ...TYPE, 'a2a-version': '1.0' };
const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };

const raw = (body: string, headers: Readonly<Record<string, string>> = V1): Promise<Answer> =>
  ask(agent.rpc, { method: 'POST', headers, body });
const send = (message: Json, more: Readonly<Record<string, Json>> = {}): Promise<Answer> =>
  raw(
    JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'SendMessage', params: { message, ...more } }),
  );
const rest = (body: string, headers: Readonly<Record<string, string>> = V1): Promise<Answer> =>
  ask(`${agent.origin}/message:send`, { method: 'POST', headers, body });

describe('the envelope of JSON-RPC #a2a-jsonrpc', () => {
  test.each([
    ['no JSON', '{this is not', -32_700],
    ['nothing', '', -32_700],
    ['half a character', '"\ud83d"', -32_600],
    ['data after the end', '{} {}', -32_700],
    ['a member twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"GetTask"}', -32_700],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]', -32_600],
    ['a string', '"GetTask"', -32_600],
    ['null', 'null', -32_600],
    ['no version', '{"id":1,"method":"GetTask"}', -32_600],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"GetTask"}', -32_600],
    ['an object for an id', '{"jsonrpc":"2.0","id":{},"method":"GetTask"}', -32_600],
    ['an array for an id', '{"jsonrpc":"2.0","id":[1],"method":"GetTask"}', -32_600],
    ['true for an id', '{"jsonrpc":"2.0","id":true,"method":"GetTask"}', -32_600],
    ['no method', '{"jsonrpc":"2.0","id":1,"params":{}}', -32_600],
    ['a number for a method', '{"jsonrpc":"2.0","id":1,"method":1}', -32_600],
    ['another method', '{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32_601],
    ['an array for params', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}', -32_602],
    ['no params', '{"jsonrpc":"2.0","id":1,"method":"GetTask"}', -32_602],
    ['too deep', `${'['.repeat(100)}${']'.repeat(100)}`, -32_600],
  ])('%s is refused', async (_what, body, code) => {
    const { status, type, body: told } = await raw(body);
    expect([status, type, at(told, 'error.code')]).toEqual([200, 'application/json', code]);
    expect(at(told, 'jsonrpc')).toBe('2.0');
    expect(at(told, 'error.data.0.@type')).toContain('google.rpc.ErrorInfo');
  });

  test.each(['"text"', '7', '-1.50', '12345678901234567890', 'null'])(
    'the id %s comes back as it came',
    async (id) => {
      const { text } = await raw(`{"jsonrpc":"2.0","id":${id},"method":"GetTask","params":{}}`);
      expect(text).toContain(`"id":${id},`);
    },
  );

  test('a request without an id is done and answered with null', async () => {
    const params = { message: MESSAGE };
    const { body } = await raw(JSON.stringify({ jsonrpc: '2.0', method: 'SendMessage', params }));
    expect(at(body, 'id')).toBeNull();
    expect(at(body, 'result.task.status.state')).toBe('TASK_STATE_COMPLETED');
    const { body: unknown } = await raw('{"jsonrpc":"2.0","method":"no/such"}', TYPE);
    expect([at(unknown, 'id'), at(unknown, 'error.code')]).toEqual([null, -32_601]);
  });

  test('the type of the body is judged before what is in it', async () => {
    const { status, body } = await raw('no json', { 'content-type': 'text/plain' });
    expect([status, at(body, 'error.code'), at(body, 'id')]).toEqual([200, -32_005, null]);
  });
});

describe('the members of a message #a2a-input', () => {
  test.each<[string, Json, string]>([
    ['no message id', { ...MESSAGE, messageId: undefined }, 'message.messageId'],
    ['an empty message id', { ...MESSAGE, messageId: '' }, 'message.messageId'],
    ['a number for a message id', { ...MESSAGE, messageId: 7 }, 'message.messageId'],
    ['no role', { ...MESSAGE, role: undefined }, 'message.role'],
    ['another role', { ...MESSAGE, role: 'ROLE_KING' }, 'message.role'],
    ['a role that is none', { ...MESSAGE, role: 'ROLE_UNSPECIFIED' }, 'message.role'],
    ['the role of the agent', { ...MESSAGE, role: 'ROLE_AGENT' }, 'message.role'],
    ['no parts', { ...MESSAGE, parts: undefined }, 'message.parts'],
    ['empty parts', { ...MESSAGE, parts: [] }, 'message.parts'],
    ['a part without content', { ...MESSAGE, parts: [{ filename: 'a' }] }, 'message.parts[0]'],
    ['two contents', { ...MESSAGE, parts: [{ text: 'a', url: 'b' }] }, 'message.parts[0].url'],
    [
      'data that is null beside text',
      { ...MESSAGE, parts: [{ text: 'a', data: null }] },
      'message.parts[0].data',
    ],
    ['no base64', { ...MESSAGE, parts: [{ raw: 'a%b' }] }, 'message.parts[0].raw'],
    [
      'base64 with bits left over',
      { ...MESSAGE, parts: [{ raw: 'QR==' }] },
      'message.parts[0].raw',
    ],
    [
      'base64 with half its padding',
      { ...MESSAGE, parts: [{ raw: 'QQ=' }] },
      'message.parts[0].raw',
    ],
    ['metadata that is no object', { ...MESSAGE, metadata: [] }, 'message.metadata'],
    ['a string for extensions', { ...MESSAGE, extensions: 'x' }, 'message.extensions'],
    ['no message', 'hello', 'message'],
  ])('%s is refused with its path', async (_what, message, field) => {
    const told = await send(message);
    expect([told.status, at(told.body, 'error.code'), at(told.body, 'id')]).toEqual([
      200, -32_602, 7,
    ]);
    expect(at(told.body, 'error.data.0.reason')).toBe('INVALID_PARAMS');
    expect(at(told.body, 'error.data.1.fieldViolations.0.field')).toBe(field);
    const again = await rest(JSON.stringify({ message }));
    expect([again.status, at(again.body, 'error.status')]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(at(again.body, 'error.details.1.fieldViolations.0.field')).toBe(field);
  });

  test.each<[string, Json]>([
    ['a negative length', { configuration: { historyLength: -1 } }],
    ['a length with a fraction', { configuration: { historyLength: 1.5 } }],
    ['a length beyond 32 bits', { configuration: { historyLength: 2 ** 31 } }],
    ['a text for true', { configuration: { returnImmediately: 'yes' } }],
  ])('%s is refused', async (_what, more) => {
    const { body } = await send(MESSAGE, more as Readonly<Record<string, Json>>);
    expect(at(body, 'error.code')).toBe(-32_602);
  });

  test('what the wire does not know is ignored, and null is nothing', async () => {
    const odd = { ...MESSAGE, futureMember: { a: 1 }, taskId: null, metadata: null };
    const { body } = await send({ ...odd, parts: [{ text: 'hello', other: 1, url: null }] });
    expect(at(body, 'result.task.status.state')).toBe('TASK_STATE_COMPLETED');
    expect(JSON.stringify(body)).not.toContain('futureMember');
  });

  test('enums by their numbers and lengths as text are JSON of protobuf, too', async () => {
    const { body } = await send({ ...MESSAGE, role: 1 }, { configuration: { historyLength: '0' } });
    expect(at(body, 'result.task.status.state')).toBe('TASK_STATE_COMPLETED');
    expect(at(body, 'result.task.history')).toBeUndefined();
  });

  test('every kind of part comes back as it came, with its number to the last digit', async () => {
    const parts =
      '[{"text":"same"},{"text":"# t","mediaType":"text/markdown","filename":"t.md"},' +
      '{"raw":"AP8Hg+8=","mediaType":"image/png"},{"url":"https://example.com/","metadata":{"a":{"b":null}}},' +
      '{"data":[1.10,-0.0,12345678901234567890,"\\u0000é😀",null]},{"data":null}]';
    const answer = await raw(
      `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":${parts}}}}`,
    );
    expect(answer.text).toContain('"data":[1.10,-0.0,12345678901234567890,"\\u0000é😀",null]');
    const artifact = at(answer.body, 'result.task.artifacts.0.parts');
    expect(artifact).toEqual((JSON.parse(parts) as Json[]).slice(1));
  });
});

describe('bodies of REST #a2a-input #a2a-rest', () => {
  test('too large: 413, in the form of each binding, before it is read #a2a-jsonrpc', async () => {
    const small = await agentFor({ runtime: { limits: { maxBytes: 1_000 } } });
    for (const cell of CELLS) {
      const answer = await cell.ask(small, 'send', { text: 'x'.repeat(2_000) });
      expect([cell.name, answer.status]).toEqual([cell.name, 413]);
      if (cell.binding === 'jsonrpc') {
        expect([at(answer.body, 'error.code'), at(answer.body, 'id')]).toEqual([-32_600, null]);
      } else expect(cell.reasonOf(answer)).toBe('TOO_LARGE');
    }
  });

  test('of another type: 415, in the form of the wire', async () => {
    const headers = { 'content-type': 'text/plain' };
    const cases = [
      ['/message:send', { ...headers, 'a2a-version': '1.0' }, 'application/a2a+json'],
      ['/message:send', { ...headers, 'a2a-version': '0.3' }, 'application/problem+json'],
      ['/v1/message:send', headers, 'application/json'],
    ] as const;
    for (const [path, given, type] of cases) {
      const url = `${agent.origin}${path}`;
      const answer = await ask(url, { method: 'POST', headers: given, body: 'hello' });
      expect([answer.status, answer.type]).toEqual([415, type]);
      expect(answer.text).toMatch(/content.type.not.supported/i);
    }
  });

  test('no JSON, an array, null and nothing are refused with 400', async () => {
    for (const body of ['{', '[]', 'null', '"text"', '', '{"message":{},"message":{}}']) {
      const { status, type } = await rest(body);
      expect([status, type]).toEqual([400, 'application/a2a+json']);
    }
  });

  test.each([
    ['', TYPE],
    ['', {}],
    ['null', TYPE],
    ['{}', TYPE],
    ['{"id":"another"}', TYPE],
  ])('cancel takes the body %j with %j', async (body, headers) => {
    for (const cell of CELLS.filter(({ binding }) => binding === 'rest')) {
      const sent = await cell.ask(agent, 'send', { text: 'hold', isWaiting: false });
      const id = textAt(cell.taskOf(sent), 'id');
      const prefix = cell.wire === 'v03' ? '/v1' : '';
      const version = cell.wire === 'v1' ? { 'a2a-version': '1.0' } : {};
      const url = `${agent.origin}${prefix}/tasks/${id}:cancel`;
      const answer = await ask(url, { method: 'POST', headers: { ...headers, ...version }, body });
      expect(at(answer.body, 'status.state')).toBe(cell.stateOf('canceled'));
    }
  });
});

/** Small changes of a request that is right: what a broken or hostile client could send. */
function* hostile(): Generator<string> {
  const right = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: { message: MESSAGE, configuration: { historyLength: 1 }, metadata: { a: 1 } },
  });
  for (let cut = 0; cut < right.length; cut += 7) yield right.slice(0, cut);
  const values = ['null', '[]', '{}', '1e999', '-1', '"\\ud800"', 'true', '{"__proto__":{"x":1}}'];
  for (const [, name] of right.matchAll(/"(\w+)":/g)) {
    for (const value of values) {
      yield right.replace(new RegExp(`"${name}":("[^"]*"|\\d+)`), `"${name}":${value}`);
    }
  }
  yield right.replace('"text":"hello"', `"data":${'['.repeat(5_000)}`);
  yield right.replace('hello', '\u0000');
  yield `\ufeff${right}`;
}

test('no input is answered with 5xx or with anything but JSON #a2a-input', async () => {
  for (const body of hostile()) {
    for (const answer of [await raw(body), await rest(body), await raw(body, TYPE)]) {
      expect(answer.status).toBeLessThan(500);
      expect(answer.type).toMatch(/json$/);
      expect(answer.text).not.toContain('-32603');
    }
  }
  for (const path of ['/tasks/%', '/tasks/%ff', '/tasks/a%2Fb', '/tasks/%00', '/tasks/..:cancel']) {
    const { status, text } = await ask(`${agent.origin}${path}`, { headers: V1 });
    expect(status).toBeLessThan(500);
    expect(text).not.toContain('<');
  }
});
