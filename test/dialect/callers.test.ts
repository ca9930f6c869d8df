// Proves that the callers of a configuration speak a dialect of their own: who they are, what they may do, which peer
// they are, and that what the operator takes away counts at once.

import { expect, onTestFinished, test } from 'vitest';

import type { CallerEntry } from '../../profiles/auth/index.ts';
import { createCallers, hashSecret } from '../../profiles/auth/index.ts';
import { reached, refusalOf, watching } from '../compliance/dialect/case.ts';
import { DialectAgent } from '../support/dialect/agent.ts';
import { outputOf } from '../support/dialect/caller.ts';
import { aborted, doing } from '../support/dialect/works.ts';

const SECRET = 'a-secret-that-is-long-enough';
const sha256 = hashSecret(SECRET);
const BY_TOKEN: CallerEntry = { name: 'same', proof: { scheme: 'bearer', secret: { sha256 } } };
const BY_KEY: CallerEntry = { name: 'other', proof: { scheme: 'api-key', secret: { sha256 } } };

interface Book {
  readonly agent: DialectAgent;
  /** From now on these are the entries. */
  readonly write: (...entries: readonly CallerEntry[]) => void;
}

async function agentWith(...first: readonly CallerEntry[]): Promise<Book> {
  let entries = first;
  const agent = await DialectAgent.open({ callers: createCallers({ entries: () => entries }) });
  onTestFinished(() => agent.close());
  return { agent, write: (...now) => void (entries = now) };
}

test('one secret by two schemes is two owners', async () => {
  const { agent } = await agentWith(BY_TOKEN, BY_KEY);
  const byToken = agent.shower(`Bearer ${SECRET}`, '~bearer:same');
  const byKey = agent.shower(`key ${SECRET}`, '~key:other');
  const { id } = await byToken.run(doing(async ({ owner }) => owner));
  expect(outputOf(await byToken.get(id))).toBe('~bearer:same');
  expect((await refusalOf(byKey.get(id))).code).toBe('TASK_UNKNOWN');
  const [wrong, none] = [agent.shower('Bearer of-something-else', ''), agent.shower('', '')];
  const refusals = [await refusalOf(wrong.get(id)), await refusalOf(none.get(id))];
  expect(refusals.map(({ code }) => code)).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
  expect(refusals[0]!.text).toBe(refusals[1]!.text);
});

test('a caller that is a peer has the tasks of that peer, as long as both entries stand', async () => {
  const { agent, write } = await agentWith();
  const peer = await agent.sdl('http');
  write({ ...BY_TOKEN, peer: peer.owner });
  const caller = agent.shower(`Bearer ${SECRET}`, peer.owner);
  const { id } = await peer.run(doing(async () => 'for both'));
  expect(outputOf(await caller.get(id))).toBe('for both');
  const { book } = agent.shared;
  book.add({ ...book.get(peer.owner)!, revoked: true });
  await refusalOf(caller.get(id));
});

test.each([
  ['revoked', { ...BY_TOKEN, revoked: true }],
  ['expired', { ...BY_TOKEN, expiresAt: 1 }],
  ['narrowed', { ...BY_TOKEN, contentTypes: ['toolcall.v1'], tools: ['sys.ping'] }],
])('an entry that is %s ends the stream and the task of its caller', async (_how, entry) => {
  const { agent, write } = await agentWith(BY_TOKEN);
  const caller = agent.shower(`Bearer ${SECRET}`, '~bearer:same');
  const { id } = await caller.start(doing(async (_task, ctx) => aborted(ctx.signal)));
  const stream = watching((signal) => caller.follow(id, undefined, signal));
  await reached(caller, id, 'working');
  await stream.until(() => true);
  write(entry);
  expect(await stream.end).toMatchObject({ code: 'NOT_AUTHORIZED' });
  await refusalOf(caller.get(id));
  write(BY_TOKEN);
  expect(await caller.get(id)).toMatchObject({ state: 'canceled' });
});
