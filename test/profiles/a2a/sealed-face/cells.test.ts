// Proves sealed tasks over every wire and binding: what is asked, questions, streamed artifacts, cancels and failures come
// back whole and proven, and nothing of them can be read on the way.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Strength } from '../../../../profiles/a2a/sealed/index.ts';
import { SEALED_EXTENSION } from '../../../../profiles/a2a/sealed/index.ts';
import { createIdentity } from '../../../../src/security/identity/identity.ts';
import type { TestAgent } from '../../../support/a2a/agent.ts';
import { openAgent } from '../../../support/a2a/agent.ts';
import { framesOf, textAt } from '../../../support/a2a/ask.ts';
import { CELLS } from '../../../support/a2a/cells.ts';
import { MODES } from '../../../support/a2a/sealed.ts';
import type { SealedSide } from '../../../support/sealed-face/user.ts';
import {
  SECRET,
  entryOf,
  formOf,
  framed,
  inForm,
  knowing,
  newSides,
  opened,
  openedStream,
  saying,
  sealFor,
  textIn,
} from '../../../support/sealed-face/user.ts';

let side: SealedSide;
/** Who has once spoken encrypted may not fall behind: a user for each mode. */
const users = new Map<Strength, SealedSide>();
let agent: TestAgent;
beforeAll(async () => {
  side = await newSides();
  for (const mode of MODES) users.set(mode, { ...side, user: await createIdentity() });
  const peers = [side, ...users.values()].map(({ user }) => entryOf(user));
  agent = await openAgent(knowing(side, { runtime: { peers } }));
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

describe.each(CELLS)('$name #sealed-tasks #sealed-carrier', (cell) => {
  const form = formOf(cell);

  test.each(MODES)('mode %s: a task, asked and answered', async (mode) => {
    const one = users.get(mode)!;
    const request = await sealFor(one, saying(`hello ${SECRET}`), mode);
    const answer = await cell.ask(agent, 'send', { message: inForm(form, request), as: 'user' });
    const task = cell.taskOf(answer);
    const whole = await opened(one, task, request);
    expect(whole.state).toBe('completed');
    expect(whole.receipt?.coversAll).toBe(true);
    expect(textIn(whole.artifacts)).toContain(`done hello ${SECRET}`);
    expect(answer.headers.get('a2a-extensions')).toBe(SEALED_EXTENSION);
    const id = textAt(task, 'id');
    const again = await cell.ask(agent, 'get', { id, as: 'user' });
    const got = await opened(one, cell.resultOf(again), request);
    expect(textIn(got.artifacts)).toBe(textIn(whole.artifacts));
    if (mode === 'enc+sig') expect(answer.text + again.text).not.toContain(SECRET);
  });

  test.each(MODES)('mode %s: a stream with progress and pieces of an artifact', async (mode) => {
    const one = users.get(mode)!;
    const request = await sealFor(one, saying('chunks'), mode);
    const frames = await cell.frames(agent, 'stream', {
      message: inForm(form, request),
      as: 'user',
    });
    const events = await openedStream(
      one,
      frames.map(({ data }) => framed(cell, data)),
      request,
    );
    expect(events.at(-1)!.state).toBe('completed');
    expect(events.at(-1)!.receipt).toMatchObject({ events: 3, coversAll: true });
    expect(textIn(events.map(({ messages }) => messages))).toContain('begun');
    const pieces = textIn(events.flatMap(({ artifacts }) => artifacts));
    expect(pieces).toContain('one ');
    expect(pieces).toContain('two');
    if (mode === 'enc+sig') expect(JSON.stringify(frames)).not.toMatch(/begun|one |math\.add/);
  });

  test('a question, its answer, and the whole of it at the end', async () => {
    const first = await sealFor(side, saying('ask'));
    const waiting = await cell.ask(agent, 'send', { message: inForm(form, first), as: 'user' });
    const asked = await opened(side, cell.taskOf(waiting), first);
    expect(asked.state).toBe('input-required');
    expect(textIn(asked.messages)).toContain('which?');
    const id = textAt(cell.taskOf(waiting), 'id');
    const second = await sealFor(side, saying(SECRET));
    const message = inForm(form, second, id);
    const ended = await cell.ask(agent, 'send', { message, as: 'user' });
    const whole = await opened(side, cell.taskOf(ended), [first, second]);
    expect(whole.state).toBe('completed');
    expect(textIn(whole.artifacts)).toContain(`told ${SECRET}`);
    expect(textIn(whole.messages)).toContain('which?');
    expect(waiting.text + ended.text).not.toMatch(/which|secret/);
  });

  test('a failure, in the words of its author, and an answer without a task', async () => {
    const failing = await sealFor(side, saying('fail'));
    const failed = await cell.ask(agent, 'send', { message: inForm(form, failing), as: 'user' });
    const whole = await opened(side, cell.taskOf(failed), failing);
    expect(whole.state).toBe('failed');
    expect(textIn(whole.messages)).toMatch(/no paper.*NO_PAPER/);
    expect(failed.text).not.toMatch(/paper|PAPER/);
    const asking = await sealFor(side, saying('answer'));
    const answer = await cell.ask(agent, 'send', { message: inForm(form, asking), as: 'user' });
    const said = await opened(side, cell.messageOf(answer), asking);
    expect(said.isFinal).toBe(true);
    expect(textIn(said.messages)).toContain('answered at once');
    expect(answer.text).not.toContain('answered');
  });

  test('a cancel of one that works and of one that waits, and a subscription', async () => {
    const holding = await sealFor(side, saying('hold'));
    const held = await cell.ask(agent, 'send', {
      message: inForm(form, holding),
      as: 'user',
      isWaiting: false,
    });
    const id = textAt(cell.taskOf(held), 'id');
    const stream = framesOf(await cell.fetch(agent, 'subscribe', { id, as: 'user' }));
    const frames = [framed(cell, (await stream.next()).value!.data)];
    const canceled = await cell.ask(agent, 'cancel', { id, as: 'user' });
    const ended = await opened(side, cell.resultOf(canceled), holding);
    expect(ended.state).toBe('canceled');
    for await (const { data } of stream) frames.push(framed(cell, data));
    const events = await openedStream(side, frames, holding, { isResumed: true });
    expect(events.at(-1)!.state).toBe('canceled');
    const asking = await sealFor(side, saying('ask'));
    const waits = await cell.ask(agent, 'send', { message: inForm(form, asking), as: 'user' });
    const waitingId = textAt(cell.taskOf(waits), 'id');
    const dropped = await cell.ask(agent, 'cancel', { id: waitingId, as: 'user' });
    const gone = await opened(side, cell.resultOf(dropped), asking);
    expect(gone.state).toBe('canceled');
    expect(textIn(gone.messages)).toContain('which?');
  });

  test('somebody else has no such task, and lists show it to nobody', async () => {
    const request = await sealFor(side, saying('hello'));
    const sent = await cell.ask(agent, 'send', { message: inForm(form, request), as: 'user' });
    const id = textAt(cell.taskOf(sent), 'id');
    const none = '00000000-0000-8000-8000-000000000000';
    for (const operation of ['get', 'cancel', 'subscribe', 'listPush'] as const) {
      const foreign = await cell.ask(agent, operation, { id, as: 'other' });
      const missing = await cell.ask(agent, operation, { id: none, as: 'other' });
      expect(foreign.text.replaceAll(id, none)).toBe(missing.text);
      expect(foreign.status).toBe(missing.status);
    }
    if (cell.wire === 'v03') return;
    const list = await cell.ask(agent, 'list', { as: 'user' });
    expect(list.text).not.toContain(id);
  });
});
