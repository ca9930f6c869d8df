// The runtime as its embedder sees it: two agents in one process, real messages between them.

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import { decodeMessage } from '../../src/envelope/decode.ts';
import { SdlError } from '../../src/errors.ts';
import { defineContent } from '../../src/handlers/custom/define-content.ts';
import type { Outcome } from '../../src/pipeline/receive.ts';
import { RemoteError } from '../../src/client/remote-error.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { createMemoryHub } from '../../transports/memory/index.ts';
import {
  inboundOf,
  introduce,
  newAgent,
  newIdentity,
  repliesOf,
} from '../support/agents/agents.ts';
import type { Agent } from '../support/agents/agents.ts';
import { utf8 } from '../support/wire/bytes.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { PACKAGE_VERSION } from '../../src/version.ts';

interface Pair {
  readonly alice: Agent;
  readonly bob: Agent;
  readonly outcomes: Outcome[];
}

type Options = Parameters<typeof newAgent>[0];

/** Alice asks, Bob answers; both know each other. */
async function newPair(bobOptions: Options = {}, aliceOptions: Options = {}): Promise<Pair> {
  const hub = createMemoryHub();
  const outcomes: Outcome[] = [];
  const bob = await newAgent({
    on: { outcome: (outcome) => outcomes.push(outcome) },
    ...bobOptions,
  });
  const alice = await newAgent({ transports: [hub.transport('alice')], ...aliceOptions });
  await bob.runtime.listen(hub.transport('bob'));
  introduce(alice, bob, 'memory:bob');
  return { alice, bob, outcomes };
}

async function closeAll({ alice, bob }: Pair): Promise<void> {
  await alice.runtime.close();
  await bob.runtime.close();
}

describe('#message a runtime', () => {
  test('answers tools, tasks and negotiation to a peer that it knows', async () => {
    const pair = await newPair();
    const peer = pair.alice.runtime.connect(pair.bob.identity.agentId);
    expect(await peer.call('math.add', { values: [1, 2, 3] })).toEqual({
      sum: new LosslessNumber('6.0'),
    });
    const offer = await peer.negotiate();
    expect(offer['supported_ct']).toContain('task.v1');
    const types: string[] = [];
    for await (const { status, received } of peer.task('say it')) {
      expect(received!.isProven).toBe(true);
      types.push(`${received!.type} ${received!.ct} ${status}`);
    }
    expect(types.at(-1)).toBe('res state.v1 completed');
    expect(types).toContain('evt artifact.v1 working');
    await closeAll(pair);
  });

  test('tells who it is, what it can do and its version, which is that of the package', async () => {
    const pair = await newPair();
    const { envelope } = await pair.alice.runtime
      .connect(pair.bob.identity.agentId)
      .request({ ct: 'negotiation.v1', payload: { need: {}, have: {}, ask: [], supported_ct: [] } })
      .result();
    expect(PACKAGE_VERSION).toBe(packageJson.version);
    expect(envelope.cap['a2a_sdl']).toMatchObject({
      sig: ['ed25519'],
      kex: ['x25519'],
      x: ['re', 'bind', 'canon', 'stream', 'parts'],
      impl: { name: 'a2a-sdl', version: PACKAGE_VERSION },
    });
    expect(pair.bob.runtime.contentTypes).toHaveLength(9);
    await closeAll(pair);
  });

  test('handles further content types, and says which it knows when it does not', async () => {
    const weather = defineContent({
      ct: 'weather.v1',
      schema: { type: 'object', properties: { sky: { type: 'string' } } },
      handle: () => ({ sky: 'clear' }),
    });
    const pair = await newPair({ contents: [weather] }, { contents: [weather] });
    const peer = pair.alice.runtime.connect(pair.bob.identity.agentId);
    const { payload } = await peer.request({ ct: 'weather.v1', payload: {} }).result();
    expect(payload).toEqual({ sky: 'clear' });
    await closeAll(pair);
    expect(() => pair.bob.runtime.handle(weather)).toThrow(TypeError);
    expect(() =>
      pair.bob.runtime.handle({ ...weather, ct: 'new.v1', schema: undefined as never }),
    ).toThrow('needs a schema');
  });

  test('#seal an answer that does not fit its schema is our failure, not the sender’s', async () => {
    const bad = defineContent({ ct: 'bad.v1', schema: { type: 'object' }, handle: () => 5 });
    const pair = await newPair({ contents: [bad] }, { contents: [bad] });
    const peer = pair.alice.runtime.connect(pair.bob.identity.agentId);
    await expect(peer.request({ ct: 'bad.v1', payload: {} }).result()).rejects.toMatchObject({
      code: 'INTERNAL',
      details: { reason: 'INTERNAL' },
    });
    await closeAll(pair);
  });

  test('#errors-no-data what a handler throws stays here', async () => {
    const leaky = defineContent({
      ct: 'leaky.v1',
      schema: {},
      handle: () => {
        throw new Error('the password is swordfish');
      },
    });
    const pair = await newPair({ contents: [leaky] }, { contents: [leaky] });
    const peer = pair.alice.runtime.connect(pair.bob.identity.agentId);
    const failure = await peer
      .request({ ct: 'leaky.v1', payload: {} })
      .result()
      .catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(RemoteError);
    expect(JSON.stringify(failure)).not.toContain('swordfish');
    expect((failure as RemoteError).message).not.toContain('swordfish');
    expect(String(pair.outcomes.at(-1)?.error?.cause)).toContain('swordfish');
    await closeAll(pair);
  });

  test('a listener that throws breaks nothing', async () => {
    const heard: unknown[] = [];
    const pair = await newPair({
      on: {
        outcome: () => {
          throw new Error('listener');
        },
        error: (cause) => {
          heard.push(cause);
          throw new Error('again');
        },
      },
    });
    const peer = pair.alice.runtime.connect(pair.bob.identity.agentId);
    expect(await peer.call('sys.ping')).toMatchObject({ pong: true });
    expect(String(heard)).toContain('listener');
    await closeAll(pair);
  });

  test('a handler that takes too long is answered for', async () => {
    const slow = defineContent({
      ct: 'slow.v1',
      schema: {},
      handle: () => new Promise(() => undefined),
    });
    const pair = await newPair(
      { contents: [slow], timeouts: { handlerMs: 20 } },
      { contents: [slow] },
    );
    const peer = pair.alice.runtime.connect(pair.bob.identity.agentId);
    await expect(peer.request({ ct: 'slow.v1', payload: {} }).result()).rejects.toMatchObject({
      code: 'DEADLINE',
      wireCode: 'INTERNAL',
      details: { outcome: 'unknown' },
    });
    await closeAll(pair);
  });

  test('#receipt an answer carries a receipt, and the log proves the exchange', async () => {
    const pair = await newPair();
    const peer = pair.alice.runtime.connect(pair.bob.identity.agentId);
    const { envelope, request } = await peer
      .request({
        ct: 'toolcall.v1',
        payload: { tool: 'sys.ping', call_id: 'c', args: {}, expect: {} },
      })
      .result();
    expect(envelope.trace?.audit).toMatchObject({ node: pair.bob.identity.agentId, verdict: 'ok' });
    const log = await pair.bob.runtime.audit();
    const proof = await log!.prove(request.id);
    expect(JSON.stringify(proof)).toContain(envelope.trace!.audit!['req']);
    expect((await log!.verify()).ok).toBe(true);
    await closeAll(pair);
  });
});

describe('#error-always what cannot be read', () => {
  test('is answered with a signed error that names nobody', async () => {
    const bob = await newAgent();
    const [reply] = await repliesOf(bob.runtime, inboundOf(utf8('{"v":1,')));
    const error = decodeMessage(reply!.bytes, reply!.encoding) as JsonObject;
    expect(error).toMatchObject({
      type: 'res',
      ct: 'error.v1',
      from: { agent_id: bob.identity.agentId },
      to: { agent_id: 'unknown' },
      sec: { mode: 'sig' },
      payload: { code: 'UNSUPPORTED_ENCODING' },
    });
    expect(error['re']).toBeUndefined();
    await bob.runtime.close();
  });

  test('#admit a message that is not admitted is answered with its status and its id', async () => {
    const bob = await newAgent({ admission: { burst: 1, ratePerSecond: 0.001 } });
    const bytes = utf8('{"id":"one","type":"req"}');
    await repliesOf(bob.runtime, inboundOf(bytes));
    const [reply] = await repliesOf(bob.runtime, inboundOf(bytes));
    expect(reply!.status).toBe(429);
    expect(decodeMessage(reply!.bytes, 'json')).toMatchObject({
      re: 'one',
      payload: { details: { reason: 'LIMIT_RATE' }, retryable: true },
    });
    await bob.runtime.close();
  });

  test('a stopped runtime says so', async () => {
    const bob = await newAgent();
    await bob.runtime.listenContext();
    await bob.runtime.close();
    const [reply] = await repliesOf(bob.runtime, inboundOf(utf8('{}')));
    expect(reply!.status).toBe(503);
    expect(decodeMessage(reply!.bytes, 'json')).toMatchObject({
      payload: { details: { reason: 'DRAINING' }, retryable: true },
    });
  });

  test('an answer or an event is never answered', async () => {
    const bob = await newAgent();
    for (const type of ['res', 'evt']) {
      expect(await repliesOf(bob.runtime, inboundOf(utf8(`{"type":"${type}"}`)))).toEqual([]);
    }
    await bob.runtime.close();
  });
});

describe('the options of a runtime', () => {
  test('a misspelt one is refused', async () => {
    const identity = await newIdentity();
    const options = { identity, polcy: {} } as object as Parameters<typeof createRuntime>[0];
    expect(() => createRuntime(options)).toThrow('"polcy" is not an option of a runtime');
  });

  test.each([
    ['onArtifacts', 'on.artifacts'],
    ['onToolResult', 'on.toolResult'],
    ['onPeerError', 'on.peerError'],
    ['onState', 'on.state'],
    ['onOutcome', 'on.outcome'],
    ['onReceipt', 'on.receipt'],
    ['onError', 'on.error'],
    ['approvers', 'trust.approvers'],
    ['quorum', 'trust.quorum'],
    ['taskAdmins', 'trust.taskAdmins'],
    ['replayStore', 'shared.replayStore'],
    ['rateLimiter', 'shared.rateLimiter'],
    ['handlerTimeoutMs', 'timeouts.handlerMs'],
    ['joinMs', 'timeouts.joinMs'],
    ['dialers', 'transports'],
  ])('who uses the old name "%s" is told of "%s"', async (old, name) => {
    const identity = await newIdentity();
    const advice = `"${old}" is not an option of a runtime; did you mean "${name}"?`;
    expect(() => createRuntime({ identity, [old]: undefined })).toThrow(new TypeError(advice));
  });

  test.each([
    [
      { on: { foo: 1 } },
      '"on.foo" is not an option of a runtime; there are: artifacts, toolResult',
    ],
    [
      { on: { onError: 1 } },
      '"on.onError" is not an option of a runtime; did you mean "on.error"?',
    ],
    [{ trust: { Quorum: 1 } }, 'did you mean "trust.quorum"?'],
    [
      { shared: { store: 1 } },
      '"shared.store" is not an option of a runtime; did you mean "store"?',
    ],
    [{ timeouts: { handlerTimeoutMs: 1 } }, 'did you mean "timeouts.handlerMs"?'],
    [{ timeouts: 10 }, '"timeouts" expected an object with any of: handlerMs, joinMs'],
  ])('a group is checked too: %j', async (options, words) => {
    const identity = await newIdentity();
    expect(() => createRuntime({ identity, ...(options as object) })).toThrow(words);
  });

  test('an identity is needed, and a timeout that is one', async () => {
    expect(() => createRuntime({} as never)).toThrow(TypeError);
    const identity = await newIdentity();
    expect(() => createRuntime({ identity, timeouts: { handlerMs: 0 } })).toThrow(RangeError);
  });

  test('a transport that fails closes those before it', async () => {
    const bob = await newAgent();
    const hub = createMemoryHub();
    const failing = {
      name: 'failing',
      listen: () => Promise.reject(new SdlError('INTERNAL', 'no port')),
    };
    await expect(bob.runtime.listen(hub.transport('bob'), failing)).rejects.toThrow('no port');
    const [listener] = await bob.runtime.listen(hub.transport('bob'));
    expect(listener!.urls).toEqual(['memory:bob']);
    await bob.runtime.close();
  });
});
