// Messages and tasks sealed and opened again, in every shape and every mode.

import { Message, Task } from '@a2a-js/sdk';
import { beforeAll, describe, expect, test } from 'vitest';

import {
  SEALED_EXTENSION,
  openTask,
  sealArtifact,
  sealMessage,
  sealStatus,
} from '../../../../profiles/a2a/sealed/index.ts';
import type { Ends, Shape } from '../../../support/a2a/sealed.ts';
import {
  ASKED,
  BUSY,
  DONE,
  FAMILIES,
  MODES,
  ONE,
  TWO,
  exchange,
  newEnds,
  storedTask,
} from '../../../support/a2a/sealed.ts';

let ends: Ends;
beforeAll(async () => {
  ends = await newEnds();
});

/** Everything that a part can have. */
const RICH: Shape = {
  messageId: 'rich-1',
  role: 'ROLE_USER',
  parts: [
    { text: 'words', mediaType: 'text/markdown', metadata: { lang: 'en' } },
    { raw: 'AAECAwQ=', filename: 'bytes.bin', mediaType: 'application/octet-stream' },
    { url: 'https://example.com/file', filename: 'file' },
    { data: { nested: [{ deep: [] }, {}], zero: 0 }, mediaType: 'application/json' },
  ],
  metadata: { trace: 'abc' },
  extensions: ['https://example.com/other'],
  referenceTaskIds: ['task-0'],
};

const PROTECTIONS = { 'enc+sig': 'sealed', sig: 'signed', detached: 'detached' } as const;
const openedBy = (ends_: Ends): { identity: Ends['agent']; peers: [Ends['user']] } => ({
  identity: ends_.agent,
  peers: [ends_.user],
});

describe.each(FAMILIES)('#sealed-message $name', (family) => {
  test.each(MODES)('a request in mode %s is opened as it was said', async (mode) => {
    const message = family.message(ASKED);
    const sealed = await sealMessage(message, { identity: ends.user, to: ends.agent, mode });
    const opened = await openTask(sealed, openedBy(ends));
    expect(opened).toMatchObject({
      kind: 'request',
      protection: PROTECTIONS[mode],
      from: ends.user.agentId,
      mode,
      problems: [],
    });
    expect(opened.message).toEqual(message);
    expect(opened.messages).toEqual([message]);
    expect(JSON.stringify(sealed).includes('how many')).toBe(mode !== 'enc+sig');
    expect(sealed['extensions']).toEqual([SEALED_EXTENSION]);
  });

  test.each(['enc+sig', 'sig'] as const)('in mode %s nothing of a part is lost', async (mode) => {
    const message = family.message(RICH);
    const sealed = await sealMessage(message, { identity: ends.user, to: ends.agent, mode });
    const { message: said } = await openTask(sealed, openedBy(ends));
    // 0.3 has no place for the names and types of text and data.
    expect(said).toEqual(message);
  });

  test.each(MODES)(
    '#sealed-exchange #sealed-end a task in mode %s is opened whole',
    async (mode) => {
      const said = await exchange(ends, family, mode);
      const task = storedTask(said);
      const opened = await openTask(task, {
        identity: ends.user,
        peers: [ends.agent],
        request: said.request,
        policy: 'require',
      });
      expect(opened).toMatchObject({
        kind: 'answer',
        protection: PROTECTIONS[mode],
        from: ends.agent.agentId,
        state: 'completed',
        claimedState: 'completed',
        isFinal: true,
        problems: [],
        receipt: { state: 'completed', events: 3 },
      });
      expect(opened.messages).toEqual([family.message(BUSY), family.message(DONE)]);
      const parts = [...(ONE['parts'] as Shape[]), ...(TWO['parts'] as Shape[])];
      expect(opened.artifacts).toEqual([family.artifact({ artifactId: 'list', parts })]);
      // Beside an artifact in clear a server keeps only what came last.
      expect(opened.missing).toEqual(mode === 'detached' ? [2] : []);
      expect(opened.receipt?.coversAll).toBe(mode !== 'detached');
    },
  );

  test('a message that is all of the answer', async () => {
    const request = await sealMessage(family.message(ASKED), {
      identity: ends.user,
      to: ends.agent,
    });
    const asked = await openTask(request, openedBy(ends));
    const answer = await sealMessage(family.message(DONE), {
      identity: ends.agent,
      to: asked.from,
      request: asked,
    });
    const opened = await openTask(answer, {
      identity: ends.user,
      peers: [ends.agent],
      request,
      policy: 'require',
    });
    expect(opened).toMatchObject({ protection: 'sealed', isFinal: true, problems: [] });
    expect(opened.message).toEqual(family.message(DONE));
  });

  test('a question and the answer to it are two exchanges of one task', async () => {
    const [user, agent] = [{ identity: ends.user, peers: [ends.agent] }, openedBy(ends)];
    const first = await sealMessage(family.message(ASKED), { identity: ends.user, to: ends.agent });
    const one = await openTask(first, agent);
    const begun = await sealArtifact(family.artifact(ONE), { ...agent, request: one });
    const ask = family.status({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { messageId: 'q', role: 'ROLE_AGENT', parts: [{ text: 'which?' }] },
    });
    const asking = await sealStatus(ask, { ...agent, request: one });
    const second = await sealMessage(
      family.message({ messageId: 'm-2', role: 'ROLE_USER', parts: [{ text: 'red' }] }),
      { identity: ends.user, to: ends.agent },
    );
    const two = await openTask(second, agent);
    const more = await sealArtifact(family.artifact(TWO), { ...agent, request: two, append: true });
    const done = await sealStatus(family.status({ state: 'TASK_STATE_COMPLETED', message: DONE }), {
      ...agent,
      request: two,
    });
    const question = asking['message'] as Shape;
    const waiting = { id: 't', status: asking, history: [first], artifacts: [begun] };
    expect(await openTask(waiting, { ...user, request: first, policy: 'require' })).toMatchObject({
      state: 'input-required',
      isFinal: true,
    });
    const task = {
      id: 't',
      status: done,
      history: [first, question, second, done['message'] as Shape],
      artifacts: [
        { ...begun, parts: [...(begun['parts'] as Shape[]), ...(more['parts'] as Shape[])] },
      ],
    };
    const opened = await openTask(task, { ...user, request: [first, second], policy: 'require' });
    expect(opened).toMatchObject({ state: 'completed', problems: [], missing: [] });
    expect(opened.messages).toHaveLength(2);
    expect((opened.artifacts[0] as { parts: unknown[] }).parts).toHaveLength(3);
    // By the history alone, too: what is ours in it is known by our own signature.
    expect(await openTask(task, user)).toMatchObject({ protection: 'sealed', state: 'completed' });
  });
});

describe('the SDK 1.3', () => {
  test('writes and reads what was sealed: a message and a task go through its JSON', async () => {
    const said = await exchange(ends, FAMILIES[1]);
    const task = Task.fromJSON(Task.toJSON(storedTask(said) as unknown as Task));
    const request = Message.fromJSON(Message.toJSON(said.request as unknown as Message));
    const opened = await openTask(task, {
      identity: ends.user,
      peers: [ends.agent],
      request,
      policy: 'require',
    });
    expect(opened.state).toBe('completed');
    expect(opened.messages[0]!.parts[0]!.content).toEqual({ $case: 'text', value: 'counting' });
    expect(opened.artifacts[0]!.artifactId).toBe('list');
  });
});
