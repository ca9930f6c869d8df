// What somebody in the middle may do to what stays readable, and to what is asked.

import { beforeAll, describe, expect, test } from 'vitest';

import type { OpenOptions, Opened } from '../../../../profiles/a2a/sealed/index.ts';
import { openTask, sealMessage } from '../../../../profiles/a2a/sealed/index.ts';
import type { LocalIdentity } from '../../../../src/security/identity/identity.ts';
import { createIdentity } from '../../../../src/security/identity/identity.ts';
import type { Full } from '../../../support/a2a/sealed-middle.ts';
import {
  artifact,
  envelopeOf,
  fullExchange,
  message,
  parts,
  status,
  withEnvelope,
} from '../../../support/a2a/sealed-middle.ts';
import type { Ends, Shape, StoredTask } from '../../../support/a2a/sealed.ts';
import { ASKED, FAMILIES, exchange, newEnds, storedTask } from '../../../support/a2a/sealed.ts';

let ends: Ends;
let other: LocalIdentity;
let said: Full;

beforeAll(async () => {
  ends = await newEnds();
  other = await createIdentity();
  said = await fullExchange(ends);
});

const dressedUp = (part: Shape): Shape => ({ ...part, mediaType: 'mine', filename: 'mine' });

describe('#sealed-detached somebody in the middle of what stays readable', () => {
  async function detachedTask(): Promise<{ task: StoredTask; request: Shape }> {
    const clear = await exchange(ends, FAMILIES[0], 'detached');
    return { task: storedTask(clear), request: clear.request };
  }
  const openClear = (
    task: object,
    request: Shape,
    more: Partial<OpenOptions> = {},
  ): Promise<Opened> =>
    openTask(task, {
      identity: ends.user,
      peers: [ends.agent],
      request,
      policy: 'require',
      ...more,
    });

  test('edits a word, a piece, or the last words', async () => {
    const { task, request } = await detachedTask();
    const changes: object[] = [
      { ...task, history: [{ ...task.history[1]!, parts: [{ text: 'resting' }] }] },
      { ...task, history: [{ ...task.history[1]!, role: 'ROLE_AGENT', messageId: 'x' }] },
      artifact(task, 0, [{ text: 'none ' }, ...parts(task.artifacts[0]!).slice(1)]),
      artifact(task, 0, parts(task.artifacts[0]!).slice(0, 1)),
      artifact(task, 0, [...parts(task.artifacts[0]!), { text: 'and mine' }]),
      status(task, { message: { ...message(task.status), parts: [{ text: 'that is not all' }] } }),
    ];
    for (const changed of changes) {
      await expect(openClear(changed, request)).rejects.toMatchObject({ code: 'CONTENT_CHANGED' });
      await expect(openClear(changed, request, { policy: 'prefer' })).rejects.toMatchObject({
        code: 'CONTENT_CHANGED',
      });
    }
  });

  test('strips the envelope: it is plain', async () => {
    const { task, request } = await detachedTask();
    const bare = JSON.parse(
      JSON.stringify(task, (name, value: unknown) => (name === 'metadata' ? undefined : value)),
    ) as object;
    await expect(openClear(bare, request)).rejects.toMatchObject({ code: 'NOT_PROTECTED' });
    expect(await openClear(bare, request, { policy: 'prefer' })).toMatchObject({
      protection: 'none',
      messages: [],
      artifacts: [],
    });
  });

  test('adds what nothing covers: it is not given back', async () => {
    const { task, request } = await detachedTask();
    const dressed = artifact(
      { ...task, artifacts: [{ ...task.artifacts[0]!, name: 'mine', description: 'mine' }] },
      0,
      parts(task.artifacts[0]!).map(dressedUp),
    );
    const opened = await openClear(dressed, request);
    expect(opened.protection).toBe('detached');
    expect(JSON.stringify(opened.artifacts)).not.toContain('mine');
  });

  test('puts the envelope of one beside another', async () => {
    const { task, request } = await detachedTask();
    const [, busy] = task.history;
    const swapped = { ...task, history: [{ ...busy!, metadata: task.artifacts[0]!['metadata'] }] };
    await expect(openClear(swapped, request)).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' });
  });

  test('data that 0.3 cannot carry is refused before it goes out', async () => {
    const to = { identity: ends.user, to: ends.agent, mode: 'detached' } as const;
    for (const data of [[1], 5, null, { big: 2 ** 60 }]) {
      const asked = { ...ASKED, parts: [{ data }] };
      await expect(sealMessage(asked, to)).rejects.toMatchObject({ name: 'SealedError' });
    }
  });
});

describe('#sealed-checks somebody in the middle of what is asked', () => {
  const asAgent = (more: Partial<OpenOptions> = {}): OpenOptions => ({
    identity: ends.agent,
    peers: [ends.user, other],
    ...more,
  });
  const seal = (): Promise<Shape> => sealMessage(ASKED, { identity: ends.user, to: ends.agent });

  test('brings it to another agent, or in the name of another', async () => {
    const request = await seal();
    const elsewhere = await createIdentity();
    await expect(
      openTask(request, { identity: elsewhere, peers: [ends.user] }),
    ).rejects.toMatchObject({ code: 'ADDRESS_WRONG' });
    const envelope = envelopeOf(request);
    const from = { ...(envelope['from'] as Shape), agent_id: other.agentId };
    await expect(
      openTask(withEnvelope(request, { ...envelope, from }), asAgent()),
    ).rejects.toMatchObject({ code: 'SENDER_REFUSED' });
  });

  test('asks by itself, adds a part, or strips the envelope', async () => {
    const plain = { ...ASKED, parts: [{ text: 'give me everything' }] };
    await expect(openTask(plain, asAgent({ policy: 'require' }))).rejects.toMatchObject({
      code: 'NOT_PROTECTED',
    });
    expect(await openTask(plain, asAgent())).toMatchObject({ protection: 'none', messages: [] });
    const request = await seal();
    const more = { ...request, parts: [...parts(request), ...parts(plain)] };
    await expect(openTask(more, asAgent({ policy: 'require' }))).rejects.toMatchObject({
      code: 'NOT_PROTECTED',
    });
    const opened = await openTask(more, asAgent());
    expect(opened).toMatchObject({ protection: 'partial' });
    expect(JSON.stringify(opened.messages)).not.toContain('everything');
  });

  test('sends an answer as a request, or a request of the wire', async () => {
    const answer = message(said.done);
    const asRequest = withEnvelope(answer, { ...envelopeOf(answer), type: 'req' });
    expect((await openTask(asRequest, asAgent({ policy: 'report' }))).problems).toHaveLength(1);
    const envelope = { ...envelopeOf(await seal()), ct: 'task.v1' };
    await expect(openTask(withEnvelope(ASKED, envelope), asAgent())).rejects.toMatchObject({
      code: 'CT_UNSUPPORTED',
    });
  });

  test('makes something of it that cannot be read', async () => {
    const request = await seal();
    let deep: unknown = {};
    for (let level = 0; level < 200; level += 1) deep = { deep };
    const envelopes: Shape[] = [
      {},
      { v: 2, type: 'req' },
      { ...envelopeOf(request), extra: deep },
      { ...envelopeOf(request), id: 'x'.repeat(2_000_000) },
      { ...envelopeOf(request), cap: null },
    ];
    for (const envelope of envelopes) {
      const options = asAgent({ policy: 'report' });
      const opened = await openTask(
        withEnvelope({ ...ASKED }, { ...envelope, type: 'req' }),
        options,
      );
      expect(opened).toMatchObject({ protection: 'none', messages: [] });
      expect(opened.problems).toHaveLength(1);
    }
  });
});
