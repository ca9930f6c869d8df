// Proves that what went wrong in another implementation of the draft does not go wrong here, one test a defect, with its
// number. Those on cards are proven where these are, too.

import type { JSONWebKeySet } from 'jose';
import { base64url, createLocalJWKSet, flattenedVerify } from 'jose';
import { describe, expect, test } from 'vitest';

import { writeJcs } from '../../../src/codec/index.ts';
import type { Authenticated } from '../../../src/transport.ts';

import { createRuntime } from '../../../src/runtime/runtime.ts';
import { createIdentity } from '../../../src/security/identity/identity.ts';
import { createCallers } from '../../../profiles/auth/index.ts';
import { a2a } from '../../../profiles/a2a/index.ts';
import { http } from '../../../transports/http/index.ts';
import { agentFor, onTask } from '../../support/a2a/agent.ts';
import { ask, at, fetchFrom, framesOf, textAt } from '../../support/a2a/ask.ts';
import { CELLS } from '../../support/a2a/cells.ts';
import { isEnd, receiverFor } from '../../support/a2a/receiver.ts';

interface Signature {
  readonly protected: string;
  readonly signature: string;
}

const REST = CELLS[5]!;
const RPC = CELLS[4]!;

describe('defects of others', () => {
  test('1: /v1 is a prefix, not a tenant of that name', async () => {
    const agent = await agentFor();
    const { status, body } = await ask(`${agent.origin}/v1/tasks`);
    expect([status, at(body, 'totalSize')]).toEqual([200, 0]);
  });

  test('2: another caller and another tenant see nothing', async () => {
    const agent = await agentFor({ isOpen: false });
    const sent = await REST.ask(agent, 'send', { as: 'tenant' });
    const id = textAt(REST.taskOf(sent), 'id');
    for (const as of ['user', 'other']) {
      expect((await REST.ask(agent, 'get', { id, as })).status).toBe(404);
      const list = await REST.ask(agent, 'list', { as });
      expect(at(list.body, 'totalSize')).toBe(0);
    }
  });

  test('3: follow-up messages work, while a task runs and while it waits', async () => {
    const agent = await agentFor();
    for (const text of ['next', 'ask']) {
      const sent = await REST.ask(agent, 'send', { text, isWaiting: text === 'ask' });
      const id = textAt(REST.taskOf(sent), 'id');
      const ended = await REST.ask(agent, 'send', { text: 'more', id });
      expect(at(REST.taskOf(ended), 'status.state')).toBe('completed');
      expect(ended.text).toContain(text === 'ask' ? 'told more' : 'then more');
    }
  });

  test('4: canceling twice is the same, and is told once', async () => {
    const agent = await agentFor();
    const sent = await REST.ask(agent, 'send', { text: 'hold', isWaiting: false });
    const id = textAt(REST.taskOf(sent), 'id');
    const frames = framesOf(await REST.fetch(agent, 'subscribe', { id }));
    await frames.next();
    for (let time = 0; time < 2; time += 1) {
      expect((await REST.ask(agent, 'cancel', { id })).status).toBe(200);
    }
    const ends: unknown[] = [];
    for await (const { data } of frames) ends.push(at(data, 'statusUpdate.status.state'));
    expect(ends.filter((state) => state === 'cancelled')).toHaveLength(1);
  });

  test('5: the id of a message makes no task another one, as the suites need it', async () => {
    const agent = await agentFor();
    const message = { messageId: 'same', role: 'user', parts: [{ text: 'hello' }] };
    for (let time = 0; time < 2; time += 1) {
      await ask(`${agent.origin}/message:send`, { method: 'POST', body: { message } });
    }
    expect(at((await REST.ask(agent, 'list')).body, 'totalSize')).toBe(2);
  });

  test('6: media types of parts are looked at, not only that of the body', async () => {
    const agent = await agentFor({ face: { inputModes: ['text/plain'] } });
    const parts = [{ file: { fileWithUri: 'https://example.com/', mediaType: 'image/png' } }];
    expect((await REST.ask(agent, 'send', { parts })).status).toBe(415);
  });

  test('7: frames over JSON-RPC are wrapped, and clients of 0.3 find their methods', async () => {
    const agent = await agentFor();
    const [first] = await RPC.frames(agent, 'stream');
    expect(at(first!.data, 'result.task.id')).toBeDefined();
    const answer = await CELLS[2]!.ask(agent, 'send');
    expect(at(answer.body, 'result.status.state')).toBe('completed');
  });

  test('8: nothing is lost or told twice between the task and what follows it', async () => {
    const agent = await agentFor();
    for (let time = 0; time < 20; time += 1) {
      const frames = await REST.frames(agent, 'stream', { text: 'chunks' });
      const ids = frames.map(({ id }) => Number(id));
      expect(ids).toEqual(ids.map((_, index) => ids[0]! + index));
    }
  });

  test('9: a slow web hook stalls no task, nothing is swallowed or followed, and none is on this machine #a2a-push-guard', async () => {
    const receiver = await receiverFor();
    const elsewhere = await receiverFor();
    receiver.reply = ({ path }, nth) => {
      if (path === '/silent') return undefined;
      return nth < 3 ? { status: 302, headers: { location: elsewhere.url() } } : { status: 200 };
    };
    const agent = await agentFor({ face: { allowLoopbackHooks: true } });
    const stalled = await REST.ask(agent, 'send', { push: { url: receiver.url('/silent') } });
    expect(textAt(REST.taskOf(stalled), 'status.state')).toBe('completed');
    await REST.ask(agent, 'send', { push: { url: receiver.url('/moved') } });
    await receiver.until(() => receiver.at('/moved').some(isEnd));
    expect(elsewhere.all).toEqual([]);
    const guarded = await agentFor();
    const refused = await REST.ask(guarded, 'send', { push: { url: receiver.url() } });
    expect(refused.status).toBe(400);
  });

  test('10: credentials of a web hook are shown by no operation #a2a-push', async () => {
    const agent = await agentFor();
    const id = textAt(REST.taskOf(await REST.ask(agent, 'send')), 'id');
    const push = { id: 'c', url: 'https://example.com/', scheme: 'Bearer', credentials: 'hidden!' };
    const answers = [
      await REST.ask(agent, 'createPush', { id, push }),
      await REST.ask(agent, 'getPush', { id }),
      await REST.ask(agent, 'listPush', { id }),
      await REST.ask(agent, 'send', { push }),
    ];
    for (const { status, text } of answers) {
      expect([status, text.includes('hidden!')]).toEqual([200, false]);
    }
  });

  test('11: a required extension is asked for with messages only', async () => {
    const agent = await agentFor({ face: { extensions: [{ uri: 'urn:x', required: true }] } });
    expect((await REST.ask(agent, 'list')).status).toBe(200);
    expect((await REST.ask(agent, 'send')).status).toBe(400);
  });

  test('12: the extended card is for who has proven who it is', async () => {
    const extended = ({ principal }: Authenticated): object => ({ description: principal.id });
    const agent = await agentFor({ isOpen: false, face: { extended } });
    for (const as of [undefined, 'of-nobody']) {
      const { status, text } = await ask(`${agent.origin}/extendedAgentCard`, { as });
      expect([status, text.includes('skills')]).toEqual([401, false]);
    }
    const { status, body } = await ask(`${agent.origin}/extendedAgentCard`, { as: 'user' });
    expect([status, at(body, 'description')]).toEqual([200, '~bearer:user']);
  });

  test('13: the card has the members that older clients read, and signatures that hold', async () => {
    const { origin } = await agentFor();
    const { body } = await ask(`${origin}/.well-known/agent-card.json`);
    expect(body).toMatchObject({ url: `${origin}/rpc`, preferredTransport: 'JSONRPC' });
    expect(at(body, 'additionalInterfaces')).toContainEqual({
      url: origin,
      transport: 'HTTP+JSON',
    });
    const { body: set } = await ask(`${origin}/.well-known/jwks.json`);
    const keys = createLocalJWKSet(set as unknown as JSONWebKeySet);
    const { signatures, ...card } = body as unknown as {
      readonly signatures: readonly Signature[];
    };
    const payload = base64url.encode(writeJcs(card));
    const [signature] = signatures;
    await expect(flattenedVerify({ ...signature!, payload }, keys)).resolves.toBeDefined();
    const other = base64url.encode(writeJcs({ ...card, url: 'https://example.com/' }));
    await expect(flattenedVerify({ ...signature!, payload: other }, keys)).rejects.toThrow();
  });

  test('14: pages of web hooks have a bound #a2a-push', async () => {
    const agent = await agentFor();
    const id = textAt(REST.taskOf(await REST.ask(agent, 'send')), 'id');
    for (const pageSize of [0, 101, 100_000]) {
      expect((await REST.ask(agent, 'listPush', { id, filter: { pageSize } })).status).toBe(400);
    }
    expect((await REST.ask(agent, 'listPush', { id, filter: { pageSize: 100 } })).status).toBe(200);
  });

  test('14: pages have a bound, streams have ids and go on, and silence is filled', async () => {
    const runtime = createRuntime({
      identity: await createIdentity(),
      callers: createCallers({ entries: [], anonymous: ['a2a'] }),
      onTask,
    });
    const [host] = await runtime.listen(http({ port: 0, heartbeatIntervalMs: 20 }), a2a());
    const { origin } = new URL(host!.urls[0]!);
    const agent = { runtime, origin, rpc: `${origin}/rpc` };
    expect((await REST.ask(agent, 'list', { filter: { pageSize: 101 } })).status).toBe(400);
    const sent = await REST.ask(agent, 'send', { text: 'hold', isWaiting: false });
    const id = textAt(REST.taskOf(sent), 'id');
    const response = await fetchFrom(`${origin}/tasks/${id}:subscribe`);
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes('\n:\n\n')) break;
    }
    expect(text).toMatch(/^id: \d+\ndata: /);
    await runtime.close({ graceMs: 0 });
  });

  test('15: who never reads holds up nobody', async () => {
    const agent = await agentFor();
    const sent = await REST.ask(agent, 'send', { text: 'ask' });
    const id = textAt(REST.taskOf(sent), 'id');
    const silent = await Promise.all(
      Array.from({ length: 5 }, () => REST.fetch(agent, 'subscribe', { id })),
    );
    const ended = await REST.ask(agent, 'send', { text: 'red', id });
    expect(at(REST.taskOf(ended), 'status.state')).toBe('completed');
    await Promise.all(silent.map((response) => response.body!.cancel()));
  });
});
