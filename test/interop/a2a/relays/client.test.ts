// Somebody between our own client and our own agent: whatever it does to the card, the versions or what passes ends in a
// refusal that has a name where protection is required, and is told as not protected where it is preferred; an agent that
// was reached sealed is never taken for one that cannot be.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import type { A2aAgent, ClientSealing } from '../../../../profiles/a2a/index.ts';
import { a2a, verifyCard } from '../../../../profiles/a2a/index.ts';
import { sealedPeerOf } from '../../../../profiles/a2a/sealed/index.ts';
import type { Runtime } from '../../../../src/runtime/runtime.ts';
import { createMemoryStore } from '../../../../src/stores/memory.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { http } from '../../../../transports/http/index.ts';
import { runtimeFor } from '../../../support/a2a/agent.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import { sealedClient, stepsOf } from '../../../support/sealed-face/client.ts';
import { stripped } from '../../../support/a2a/sealed-middle.ts';
import type { Shape } from '../../../support/a2a/sealed.ts';
import type { SealedSide } from '../../../support/sealed-face/user.ts';
import { SECRET, knowing, newSides } from '../../../support/sealed-face/user.ts';
import { freePort } from '../../../support/wire/free-port.ts';
import type { Gateway, Harm } from './gateway.ts';
import { startGateway } from './gateway.ts';

let side: SealedSide;
let gateway: Gateway;
let runtime: Runtime;
/** What passed the gateway. */
let seen: string[] = [];

beforeAll(async () => {
  side = await newSides();
  gateway = await startGateway();
  runtime = await runtimeFor(knowing(side));
  const publicUrl = `${gateway.origin}/a2a`;
  const port = await freePort();
  await runtime.listen(http({ port, publicUrl }), a2a());
  gateway.target = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await gateway?.stop();
  await runtime?.close({ graceMs: 0 });
});
afterEach(() => {
  gateway.harm = {};
  seen = [];
});

const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;

function connect(
  sealed: ClientSealing = {},
  binding: (typeof BINDINGS)[number] = 'JSONRPC',
): Promise<A2aAgent> {
  return sealedClient(side, gateway.origin, { prefer: { binding }, sealed });
}

const watching = (harm: Harm): Harm => ({
  ...harm,
  call: (body) => {
    seen.push(JSON.stringify(body));
    return harm.call?.(body) ?? body;
  },
});

/** Everything that can be taken from a card that would say that its agent can be sealed to. */
const CARDS: Readonly<Record<string, (card: Shape) => Shape>> = {
  'without the extension': ({ signatures: _signed, ...card }) => {
    const { extensions: _gone, ...capabilities } = card['capabilities'] as Shape;
    return { ...card, capabilities };
  },
  'without its signature': ({ signatures: _signed, ...card }) => card,
  'as one of 0.3': ({ signatures: _signed, supportedInterfaces: _new, ...card }) => ({
    ...card,
    protocolVersion: '0.3.0',
    url: `${gateway.origin}/rpc`,
    preferredTransport: 'JSONRPC',
  }),
  'as one of the draft': ({ signatures: _signed, ...card }) => ({
    ...card,
    protocolVersions: ['0.3'],
  }),
};

/** The same with its signature, which then does not hold. */
const FORGED: Readonly<Record<string, (card: Shape) => Shape>> = {
  'without the extension': (card) => ({ ...card, capabilities: { streaming: true } }),
  'with other keys': (card) =>
    JSON.parse(
      JSON.stringify(card).replaceAll(side.identity.agentId, side.stranger.agentId),
    ) as Shape,
};

describe('#a2a-client-sealed #a2a-client-sealed-latch the card is changed on the way', () => {
  test.each(Object.entries(CARDS))('%s: refused under require', async (_name, card) => {
    gateway.harm = watching({ card });
    await expect(connect({ policy: 'require' })).rejects.toMatchObject({
      name: 'SealedError',
      code: 'NOT_PROTECTED',
      message: expect.stringContaining('nothing was sent'),
    });
    expect(seen).toEqual([]);
  });

  test.each(Object.entries(CARDS))('%s: said to be plain under prefer', async (_name, card) => {
    gateway.harm = { card };
    const client = await connect();
    expect(client.sealing).toMatchObject({ kind: 'plain', reason: expect.stringMatching(/card/) });
    const sent = await client.send({ message: message('hello') });
    expect('task' in sent && sent.task.protection).toBeUndefined();
  });

  test.each(Object.entries(CARDS))(
    '%s: refused once it was reached sealed',
    async (_name, card) => {
      const store = createMemoryStore({ now: Date.now });
      await (await connect({ store })).send({ message: message('hello') });
      gateway.harm = watching({ card });
      await expect(connect({ store })).rejects.toMatchObject({
        code: 'NOT_PROTECTED',
        message: expect.stringContaining('reached sealed before'),
      });
      expect(seen).toEqual([]);
    },
  );

  test.each(Object.entries(FORGED))('%s, with the signature: refused', async (_name, card) => {
    gateway.harm = { card };
    for (const policy of ['prefer', 'require'] as const) {
      await expect(connect({ policy })).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
    }
  });

  test.each(Object.entries(CARDS))('%s: no keys for a user of an SDK', async (_name, card) => {
    const fetched = (await (
      await fetch(`${gateway.origin}/.well-known/agent-card.json`)
    ).json()) as Shape;
    const jwks = (await (await fetch(`${gateway.origin}/.well-known/jwks.json`)).json()) as {
      readonly keys: never;
    };
    const whole = await verifyCard(fetched as never, jwks);
    expect((await sealedPeerOf(whole))?.bundle.agentId).toBe(side.identity.agentId);
    const verdict = await verifyCard(card(fetched) as never, jwks);
    await expect(sealedPeerOf(verdict)).rejects.toMatchObject({ code: 'NOT_PROTECTED' });
  });

  test('another agent at the same address is not the one that was reached', async () => {
    const store: Store = createMemoryStore({ now: Date.now });
    await (await connect({ store })).send({ message: message('hello') });
    await expect(connect({ store, to: side.stranger })).rejects.toMatchObject({
      code: 'SENDER_REFUSED',
      message: expect.stringContaining(side.identity.agentId),
    });
  });
});

type Name = 'stripped' | 'answered by itself' | 'said by somebody else';

const HARMS: Readonly<Record<Name, (answer: Shape) => Shape>> = {
  stripped: (answer) => changedTask(answer, (task) => ({ ...task, artifacts: plain(task) })),
  'answered by itself': (answer) =>
    changedTask(answer, ({ id, contextId }) => ({
      id,
      contextId,
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ artifactId: 'a', parts: [{ text: 'mine' }] }],
    })),
  'said by somebody else': (answer) =>
    changedTask(answer, (task) => ({
      ...task,
      status: {
        state: 'TASK_STATE_COMPLETED',
        message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'mine' }] },
      },
    })),
};

function plain({ artifacts }: Shape): readonly Shape[] {
  return (artifacts as Shape[]).map(({ artifactId }) => ({
    artifactId,
    parts: [{ text: 'mine' }],
  }));
}

function changedTask(answer: Shape, change: (task: Shape) => Shape): Shape {
  const result = answer['result'] as Shape | undefined;
  if (result !== undefined) return { ...answer, result: changedTask(result, change) };
  return { ...answer, task: change(answer['task'] as Shape) };
}

describe.each(BINDINGS)('#a2a-client-sealed over %s, what passes is changed', (binding) => {
  test.each(Object.entries(HARMS))('%s: refused under require', async (_name, answer) => {
    const client = await connect({ policy: 'require' }, binding);
    gateway.harm = watching({ answer });
    await expect(client.send({ message: message(SECRET) })).rejects.toMatchObject({
      name: 'SealedError',
      code: expect.stringMatching(/^(NOT_PROTECTED|END_UNPROVEN|ARTIFACT_INCOMPLETE)$/),
    });
    expect(seen.join()).not.toContain(SECRET);
  });

  test('headers and marks are stripped: nothing is lost', async () => {
    const strip = (body: Shape): Shape => stripped(body) as Shape;
    gateway.harm = { call: strip, answer: strip, dropsHeaders: true };
    const client = await connect({}, binding);
    const sent = await client.send({ message: message('hello') });
    expect('task' in sent && sent.task.protection).toBe('sealed');
  });

  test('it answers by itself: told as plain under prefer, refused after it was sealed', async () => {
    const answer = HARMS['answered by itself'];
    const client = await connect({}, binding);
    gateway.harm = { answer };
    const sent = await client.send({ message: message('hello') });
    expect('task' in sent && [sent.task.protection, sent.task.artifacts[0]?.text]).toEqual([
      'none',
      'mine',
    ]);
    gateway.harm = {};
    const whole = await client.send({ message: message('hello') });
    expect('task' in whole && whole.task.protection).toBe('sealed');
    gateway.harm = { answer };
    await expect(client.send({ message: message('hello') })).rejects.toMatchObject({
      code: expect.stringMatching(/^(NOT_PROTECTED|END_UNPROVEN)$/),
    });
  });

  test('a stream of another task, a gap, and a plain end are refused', async () => {
    const client = await connect({ policy: 'require' }, binding);
    for (const events of [
      (all: readonly Shape[]) => all.filter((_event, at) => at !== 2),
      (all: readonly Shape[]) => all.toReversed(),
      (all: readonly Shape[]) => [...all.slice(0, 2), { ...all.at(-1), ...plainEnd(all.at(-1)!) }],
    ]) {
      gateway.harm = { events };
      await expect(stepsOf(client, 'chunks')).rejects.toMatchObject({ name: 'SealedError' });
    }
  });
});

function plainEnd(event: Shape): Shape {
  const inner = (event['result'] ?? event) as Shape;
  const update = inner['statusUpdate'] as Shape;
  const ended = { statusUpdate: { ...update, status: { state: 'TASK_STATE_COMPLETED' } } };
  return event['result'] === undefined ? ended : { result: ended };
}
