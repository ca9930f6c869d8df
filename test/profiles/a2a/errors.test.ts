// Proves that every code of this package has its form in every wire and binding, with the statuses of both profiles.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Kind } from '../../../profiles/a2a/errors/kinds.ts';
import { KINDS, httpStatusOf, rpcStatusOf } from '../../../profiles/a2a/errors/kinds.ts';
import { MAP } from '../../../profiles/a2a/errors/map.ts';
import type { ErrorCode } from '../../../src/errors.ts';
import { ERRORS, SdlError } from '../../../src/errors.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import type { TestAgent } from '../../support/a2a/agent.ts';
import { agentFor, openAgent } from '../../support/a2a/agent.ts';
import { at, textAt } from '../../support/a2a/ask.ts';
import { CELLS } from '../../support/a2a/cells.ts';

const SECRET = 'the password is swordfish';
const CODES = Object.keys(ERRORS) as ErrorCode[];
const accepts = ({ text }: { readonly text: string }): void => {
  if (text === 'refuse') throw new TaskError('only on Mondays', { code: 'MONDAY' });
  throw new SdlError(text as ErrorCode, SECRET);
};

/** The reason under which a kind is told. */
const reasonOf = (kind: Kind): string =>
  kind === 'MEDIA_TYPE_NOT_SUPPORTED' ? 'CONTENT_TYPE_NOT_SUPPORTED' : kind;

describe.each(['1.0.1', '1.0.0'] as const)('profile %s #a2a-errors', (profile) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await openAgent({ face: { profile }, runtime: { accepts } });
  });
  afterAll(() => agent.runtime.close({ graceMs: 0 }));

  test.each(CELLS)('$name tells every code in its form', async (cell) => {
    for (const code of CODES) {
      const kind = MAP[code];
      const { status, type, body, text, headers } = await cell.ask(agent, 'send', { text: code });
      expect(text).toContain(ERRORS[code].words);
      expect(text).not.toContain('swordfish');
      // A content type that is refused once is refused for ever.
      const mayPass = ERRORS[code].retryable && code !== 'CT_UNSUPPORTED';
      expect(headers.get('retry-after')).toBe(mayPass ? '1' : null);
      expect(text.includes('RetryInfo') || text.includes('"retryable":true')).toBe(mayPass);
      const { jsonRpc, domain } = KINDS[kind];
      const info = {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: reasonOf(kind),
        domain,
      };
      if (cell.binding === 'jsonrpc') {
        expect(type).toBe('application/json');
        expect(at(body, 'error')).toMatchObject({
          code: jsonRpc,
          data: expect.arrayContaining([info]),
        });
        expect(status).toBe(domain === 'a2a-sdl' ? KINDS[kind].http : 200);
        continue;
      }
      expect(status).toBe(httpStatusOf(kind, cell.wire === 'v1' ? profile : '1.0.0'));
      if (cell.wire === 'v1') {
        expect(type).toBe(profile === '1.0.1' ? 'application/a2a+json' : 'application/json');
        expect(at(body, 'error')).toMatchObject({
          code: status,
          status: rpcStatusOf(kind, profile),
          details: expect.arrayContaining([info]),
        });
      } else if (cell.wire === 'v03') {
        expect([type, at(body, 'code')]).toEqual(['application/json', jsonRpc]);
      } else {
        expect(type).toBe('application/problem+json');
        const slug = reasonOf(kind).toLowerCase().replaceAll('_', '-');
        expect(body).toMatchObject({ type: `https://a2a-protocol.org/errors/${slug}`, status });
      }
    }
  });

  test.each(CELLS)('$name tells why the agent does not take it', async (cell) => {
    const answer = await cell.ask(agent, 'send', { text: 'refuse' });
    expect(cell.reasonOf(answer)).toBe('UNSUPPORTED_OPERATION');
    expect(answer.text).toContain('only on Mondays');
  });
});

/** The tables of the protocol: code in JSON-RPC; HTTP and gRPC in 1.0.1; HTTP and gRPC before. */
test.each<[Kind, number, number, string, number, string]>([
  ['TASK_NOT_FOUND', -32_001, 404, 'NOT_FOUND', 404, 'NOT_FOUND'],
  ['TASK_NOT_CANCELABLE', -32_002, 400, 'FAILED_PRECONDITION', 409, 'FAILED_PRECONDITION'],
  ['PUSH_NOTIFICATION_NOT_SUPPORTED', -32_003, 400, 'FAILED_PRECONDITION', 400, 'UNIMPLEMENTED'],
  ['UNSUPPORTED_OPERATION', -32_004, 400, 'FAILED_PRECONDITION', 400, 'UNIMPLEMENTED'],
  ['CONTENT_TYPE_NOT_SUPPORTED', -32_005, 400, 'INVALID_ARGUMENT', 415, 'INVALID_ARGUMENT'],
  ['INVALID_AGENT_RESPONSE', -32_006, 500, 'INTERNAL', 502, 'INTERNAL'],
  [
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    -32_007,
    400,
    'FAILED_PRECONDITION',
    400,
    'FAILED_PRECONDITION',
  ],
  ['EXTENSION_SUPPORT_REQUIRED', -32_008, 400, 'FAILED_PRECONDITION', 400, 'FAILED_PRECONDITION'],
  ['VERSION_NOT_SUPPORTED', -32_009, 400, 'FAILED_PRECONDITION', 400, 'UNIMPLEMENTED'],
])(
  '%s has the codes of the protocol #a2a-errors',
  (kind, jsonRpc, http, status, httpBefore, before) => {
    expect(KINDS[kind].jsonRpc).toBe(jsonRpc);
    expect([httpStatusOf(kind, '1.0.1'), rpcStatusOf(kind, '1.0.1')]).toEqual([http, status]);
    expect([httpStatusOf(kind, '1.0.0'), rpcStatusOf(kind, '1.0.0')]).toEqual([httpBefore, before]);
  },
);

test('parts of a type that is not taken are refused, where the operator says which are #a2a-options', async () => {
  const agent = await agentFor({ face: { inputModes: ['text/plain'] } });
  const cell = CELLS[0]!;
  const of = (mediaType: string) => cell.ask(agent, 'send', { parts: [{ text: 'x', mediaType }] });
  expect(cell.reasonOf(await of('image/x-icon'))).toBe('CONTENT_TYPE_NOT_SUPPORTED');
  expect((await of('text/plain; charset=utf-8')).text).toContain('TASK_STATE_COMPLETED');
  const { text } = await cell.ask(agent, 'send', {});
  expect(text).toContain('TASK_STATE_COMPLETED');
});

test('contexts that callers make up are refused, where the operator says so #a2a-options', async () => {
  const agent = await agentFor({ face: { contextIds: 'refuse' } });
  for (const cell of CELLS) {
    const made = await cell.ask(agent, 'send', { contextId: 'made-up' });
    expect(cell.reasonOf(made)).toBe('INVALID_PARAMS');
    const sent = await cell.ask(agent, 'send', {});
    const contextId = textAt(cell.taskOf(sent), 'contextId');
    const again = await cell.ask(agent, 'send', { contextId });
    expect(at(cell.taskOf(again), 'contextId')).toBe(contextId);
  }
});

test('extensions: a required one must be asked for, on messages only; known ones are told back #a2a-options', async () => {
  const uri = 'https://example.com/ext/v1';
  const agent = await agentFor({ face: { extensions: [{ uri, required: true }] } });
  for (const cell of CELLS) {
    const without = await cell.ask(agent, 'send', {});
    expect(cell.reasonOf(without)).toBe('EXTENSION_SUPPORT_REQUIRED');
    const name = cell.wire === 'v03' ? 'x-a2a-extensions' : 'a2a-extensions';
    const headers = { [name]: `https://example.com/unknown, ${uri}` };
    const asked = await cell.ask(agent, 'send', { headers });
    expect(asked.headers.get('a2a-extensions')).toBe(uri);
    const id = textAt(cell.taskOf(asked), 'id');
    expect(at(cell.resultOf(await cell.ask(agent, 'get', { id })), 'id')).toBe(id);
  }
});
