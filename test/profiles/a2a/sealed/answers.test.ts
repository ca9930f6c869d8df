// The end that answers: what it takes once, how it counts what it says, and by which keys.

import { beforeAll, describe, expect, test } from 'vitest';

import type { OpenOptions, Opened } from '../../../../profiles/a2a/sealed/index.ts';
import {
  Exchange,
  openTask,
  sealArtifact,
  sealMessage,
  sealStatus,
} from '../../../../profiles/a2a/sealed/index.ts';
import type { JsonObject } from '../../../../src/codec/value.ts';
import { createIdentity, rotateIdentity } from '../../../../src/security/identity/identity.ts';
import { createMemoryStore } from '../../../../src/stores/memory.ts';
import type { Ends, Shape } from '../../../support/a2a/sealed.ts';
import { ASKED, BUSY, DONE, ONE, TWO, newEnds, storedTask } from '../../../support/a2a/sealed.ts';

let ends: Ends;
beforeAll(async () => {
  ends = await newEnds();
});
const asAgent = (): OpenOptions => ({ identity: ends.agent, peers: [ends.user] });

describe('#sealed-replay what an agent opens', () => {
  test('is taken once, by all parts of a program; with a store also after a restart', async () => {
    const { user, agent } = ends;
    const seal = (): Promise<Shape> => sealMessage(ASKED, { identity: user, to: agent });
    const message = await seal();
    await openTask(message, asAgent());
    await expect(openTask(message, asAgent())).rejects.toMatchObject({ code: 'REPLAYED' });
    const copy = { ...agent };
    await expect(openTask(message, { identity: copy, peers: [user] })).rejects.toMatchObject({
      code: 'REPLAYED',
    });
    const store = createMemoryStore();
    const kept = await seal();
    await openTask(kept, { ...asAgent(), store });
    await expect(
      openTask(kept, { identity: { ...agent }, peers: [user], store }),
    ).rejects.toMatchObject({ code: 'REPLAYED' });
  });

  test('#replay-horizon may be older than the first look at it, and not than the program', async () => {
    const agent = await createIdentity();
    const nowMs = Date.now();
    const age = performance.now();
    const sealedAgo = (ms: number): Promise<Shape> =>
      sealMessage(ASKED, { identity: ends.user, to: agent, now: () => nowMs - ms });
    const early = await sealedAgo(age / 2);
    const before = await sealedAgo(age + 2_000);
    const asNewAgent = { identity: agent, peers: [ends.user] };
    expect(await openTask(early, asNewAgent)).toMatchObject({ protection: 'sealed' });
    await expect(openTask(before, asNewAgent)).rejects.toMatchObject({ code: 'TIME_INVALID' });
  });

  test('expires, and what was changed on the way has not used it up', async () => {
    let nowMs = Date.now();
    const now = (): number => nowMs;
    const to = { identity: ends.user, to: ends.agent, lifetimeMs: 60_000, now } as const;
    const clear = await sealMessage(ASKED, { ...to, mode: 'detached' });
    const changed = { ...clear, parts: [{ text: 'how few are there?' }] };
    await expect(openTask(changed, { ...asAgent(), now })).rejects.toMatchObject({
      code: 'CONTENT_CHANGED',
    });
    expect(await openTask(clear, { ...asAgent(), now })).toMatchObject({
      protection: 'detached',
    });
    const late = await sealMessage(ASKED, to);
    nowMs += 61_000;
    await expect(openTask(late, { ...asAgent(), now })).rejects.toMatchObject({
      code: 'TIME_INVALID',
    });
  });
});

describe('an exchange at the end that answers', () => {
  test('goes on elsewhere from its JSON, and what is said at once keeps its order', async () => {
    const request = await sealMessage(ASKED, { identity: ends.user, to: ends.agent });
    const asked = await openTask(request, asAgent());
    const by = { identity: ends.agent };
    const status = { state: 'TASK_STATE_WORKING', message: BUSY };
    const [busy, one] = await Promise.all([
      sealStatus(status, { ...by, request: asked }),
      sealArtifact(ONE, { ...by, request: asked }),
    ]);
    const kept = JSON.parse(JSON.stringify(asked.exchange)) as JsonObject;
    const two = await sealArtifact(TWO, { ...by, request: kept, append: true });
    expect(two).toBeDefined();
    const elsewhere = Exchange.from(kept);
    const again = await sealArtifact(TWO, { ...by, request: elsewhere, append: true });
    const done = await sealStatus(
      { state: 'TASK_STATE_COMPLETED', message: DONE },
      { ...by, request: elsewhere },
    );
    const task = storedTask({ request, opened: asked, busy, one, two: again, done });
    expect(
      await openTask(task, {
        identity: ends.user,
        peers: [ends.agent],
        request,
        policy: 'require',
      }),
    ).toMatchObject({ receipt: { events: 3, coversAll: true } });
    expect(() => Exchange.from({ facts: {} })).toThrow(TypeError);
  });

  test('has one last answer, and what could not be sealed has no number', async () => {
    const request = await sealMessage(ASKED, { identity: ends.user, to: ends.agent });
    const asked = await openTask(request, asAgent());
    const by = { identity: ends.agent, request: asked };
    const large = { artifactId: 'large', parts: [{ text: 'x'.repeat(1_200_000) }] };
    await expect(sealArtifact(large, by)).rejects.toMatchObject({ code: 'LIMIT_BYTES' });
    const one = await sealArtifact(ONE, by);
    const done = await sealStatus({ state: 'TASK_STATE_COMPLETED' }, by);
    await expect(sealStatus({ state: 'TASK_STATE_FAILED' }, by)).rejects.toMatchObject({
      code: 'END_REPEATED',
    });
    await expect(sealArtifact(ONE, by)).rejects.toMatchObject({ code: 'END_REPEATED' });
    const task = { id: 't', status: done, artifacts: [one], history: [request] };
    expect(
      await openTask(task, {
        identity: ends.user,
        peers: [ends.agent],
        request,
        policy: 'require',
      }),
    ).toMatchObject({ state: 'completed', messages: [], missing: [] });
  });

  test('#sec-reply-strength is never weaker than what was asked, and may be stronger', async () => {
    const request = await sealMessage(ASKED, { identity: ends.user, to: ends.agent });
    const asked = await openTask(request, asAgent());
    for (const mode of ['sig', 'detached'] as const) {
      await expect(
        sealMessage(DONE, { identity: ends.agent, request: asked, mode }),
      ).rejects.toMatchObject({ code: 'MODE_REFUSED' });
    }
    const open = await sealMessage(ASKED, { identity: ends.user, to: ends.agent, mode: 'sig' });
    const signed = await openTask(open, asAgent());
    const answer = await sealMessage(DONE, {
      identity: ends.agent,
      request: signed,
      mode: 'enc+sig',
    });
    expect(
      await openTask(answer, { identity: ends.user, peers: [ends.agent], request: open }),
    ).toMatchObject({ protection: 'sealed' });
  });

  test('a state without words is nobody’s word before the end', async () => {
    const request = await sealMessage(ASKED, { identity: ends.user, to: ends.agent });
    const asked = await openTask(request, asAgent());
    const working = { state: 'TASK_STATE_WORKING', timestamp: '2026-11-16T00:00:00Z' };
    expect(await sealStatus(working, { identity: ends.agent, request: asked })).toEqual(working);
    const running = { id: 't', status: working, history: [request], artifacts: [] };
    expect(
      await openTask(running, {
        identity: ends.user,
        peers: [ends.agent],
        request,
        policy: 'require',
      }),
    ).toMatchObject({ isFinal: false, claimedState: 'working', problems: [] });
  });

  test('words and data of other shapes than A2A’s are a mistake of the program', async () => {
    const to = { identity: ends.user, to: ends.agent };
    await expect(sealMessage({ parts: [] }, to)).rejects.toThrow('"message"');
    const two = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x', url: 'y' }] };
    await expect(sealMessage(two, to)).rejects.toThrow('"message"');
    await expect(sealMessage(DONE, to)).rejects.toThrow('"request"');
    await expect(sealMessage(ASKED, { identity: ends.user })).rejects.toThrow('"to"');
    await expect(openTask({}, asAgent())).rejects.toThrow(TypeError);
  });
});

describe('#key-bundle keys', () => {
  test('an agent that has rotated its keys is answered by its new ones, and its old ones count no more', async () => {
    const user = await createIdentity();
    const renewed = await rotateIdentity(user, { overlapMs: 0 });
    const request = await sealMessage(ASKED, { identity: renewed, to: ends.agent });
    await openTask(request, { identity: ends.agent, peers: [renewed] });
    const old = await sealMessage(ASKED, { identity: user, to: ends.agent });
    await expect(openTask(old, { identity: ends.agent, peers: [renewed] })).rejects.toMatchObject({
      code: 'SENDER_REFUSED',
    });
  });

  test('a stranger is heard only where strangers are', async () => {
    const stranger = await createIdentity();
    const agent = await createIdentity();
    const seal = (): Promise<Shape> => sealMessage(ASKED, { identity: stranger, to: agent });
    await expect(openTask(await seal(), { identity: agent })).rejects.toMatchObject({
      code: 'SENDER_REFUSED',
    });
    const request = await seal();
    const opened = await openTask(request, { identity: agent, open: true });
    const answer = await sealMessage(DONE, { identity: agent, request: opened });
    expect(
      await openTask(answer, { identity: stranger, peers: [agent], request, policy: 'require' }),
    ).toMatchObject({ protection: 'sealed', from: agent.agentId });
  });
});

describe('#sealed-artifacts an artifact', () => {
  const NAMED = {
    artifactId: 'list',
    name: 'salaries',
    description: 'of all',
    parts: [{ text: 'one' }],
  };
  const open = (task: object, request: Shape | Shape[]): Promise<Opened> =>
    openTask(task, { identity: ends.user, peers: [ends.agent], request, policy: 'require' });
  const seal = (): Promise<Shape> => sealMessage(ASKED, { identity: ends.user, to: ends.agent });

  test('has in clear its id and the marks, and nothing else', async () => {
    const asked = await openTask(await seal(), asAgent());
    const sealed = await sealArtifact(NAMED, { identity: ends.agent, request: asked });
    expect(Object.keys(sealed).sort()).toEqual(['artifactId', 'extensions', 'metadata', 'parts']);
    expect(JSON.stringify(sealed)).not.toContain('salaries');
  });

  test('that begins anew is what came last; its earlier pieces need not be kept', async () => {
    const request = await seal();
    const by = { identity: ends.agent, request: await openTask(request, asAgent()) };
    await sealArtifact(NAMED, by);
    const anew = await sealArtifact({ ...NAMED, parts: [{ text: 'two' }] }, by);
    const more = await sealArtifact(
      { artifactId: 'list', description: 'of some', parts: [{ text: 'three' }] },
      { ...by, append: true },
    );
    const status = await sealStatus({ state: 'TASK_STATE_COMPLETED' }, by);
    const whole = { ...anew, parts: [...anew.parts, ...more.parts] };
    const opened = await open({ id: 't', status, artifacts: [whole], history: [] }, request);
    expect(opened.artifacts).toEqual([
      {
        artifactId: 'list',
        name: 'salaries',
        description: 'of some',
        parts: [{ text: 'two' }, { text: 'three' }],
      },
    ]);
    expect(opened).toMatchObject({ missing: [1], receipt: { events: 3, coversAll: false } });
  });

  test('that a later exchange begins anew is that of the later one', async () => {
    const [first, second] = [await seal(), await seal()];
    const by = (request: Opened): { identity: Ends['agent']; request: Opened } => ({
      identity: ends.agent,
      request,
    });
    const [one, two] = [await openTask(first, asAgent()), await openTask(second, asAgent())];
    await sealArtifact(NAMED, by(one));
    const asking = await sealStatus({ state: 'TASK_STATE_INPUT_REQUIRED' }, by(one));
    const anew = await sealArtifact({ ...NAMED, parts: [{ text: 'two' }] }, by(two));
    const status = await sealStatus({ state: 'TASK_STATE_COMPLETED' }, by(two));
    const question = (asking as unknown as { message: Shape }).message;
    const task = { id: 't', status, artifacts: [anew], history: [first, question, second] };
    expect(await open(task, [first, second])).toMatchObject({
      state: 'completed',
      artifacts: [{ parts: [{ text: 'two' }] }],
    });
  });

  test('in clear cannot continue one of an earlier exchange', async () => {
    const clear = await sealMessage(ASKED, {
      identity: ends.user,
      to: ends.agent,
      mode: 'detached',
    });
    const asked = await openTask(clear, asAgent());
    await expect(
      sealArtifact(NAMED, { identity: ends.agent, request: asked, append: true }),
    ).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' });
  });
});
