// Proves what the runtime gives to faces: callers, room out of one budget, an end when it stops, and facts of the agent.

import { afterEach, describe, expect, test } from 'vitest';

import type { Callers } from '../../src/door/rights.ts';
import { createIdentity, createRuntime, SdlError } from '../../src/index.ts';
import type { Outcome, Runtime, RuntimeOptions } from '../../src/index.ts';
import type { Listener, Transport } from '../../src/transport.ts';

const facts = { transport: 'plain', address: '10.0.0.1' };
const started: Runtime[] = [];

async function startRuntime(options: Partial<RuntimeOptions> = {}): Promise<Runtime> {
  const runtime = createRuntime({ identity: await createIdentity(), ...options });
  started.push(runtime);
  return runtime;
}

afterEach(() => Promise.all(started.splice(0).map((runtime) => runtime.close({ graceMs: 0 }))));

function listener(name: string, url: string, more: Partial<Listener> = {}): Transport {
  return { name, listen: async () => ({ name, urls: [url], close: async () => {}, ...more }) };
}

const coded = (code: string): unknown => expect.objectContaining({ code });

describe('a face', () => {
  test('asks who calls; where the embedder names no callers it is nobody', async () => {
    const shown = { face: 'plain', address: '10.0.0.1', authorization: 'Bearer x' };
    const bare = await (await startRuntime()).listenContext();
    await expect(bare.authenticate(shown)).rejects.toEqual(coded('UNAUTHENTICATED'));
    const principal = { id: '~plain:bearer:ann', tenant: '', scheme: 'bearer' };
    const callers: Callers = {
      of: () => undefined,
      authenticate: async ({ authorization }) => {
        if (authorization === shown.authorization) return { principal };
        throw new SdlError('UNAUTHENTICATED', 'not one of ours');
      },
    };
    const context = await (await startRuntime({ callers })).listenContext();
    expect(await context.authenticate(shown)).toEqual({ principal });
    const { authorization: _nothing, ...mute } = shown;
    await expect(context.authenticate(mute)).rejects.toEqual(coded('UNAUTHENTICATED'));
  });

  test('gets room from the budget of everybody, by address, and it is counted', async () => {
    const runtime = await startRuntime({ admission: { maxInFlight: 3, maxInFlightPerPeer: 2 } });
    const { admit, metrics } = await runtime.listenContext();
    const first = admit('plain', facts);
    const second = admit('plain', facts);
    expect(() => admit('plain', facts)).toThrow(coded('LIMIT_RATE'));
    const third = admit('other', { ...facts, address: '10.0.0.2' });
    expect(() => admit('other', { ...facts, address: '10.0.0.3' })).toThrow(coded('LIMIT_RATE'));
    const text = metrics();
    expect(text).toContain('a2a_sdl_face_calls_total{face="plain",verdict="admitted"} 2\n');
    expect(text).toContain('a2a_sdl_face_calls_total{face="plain",verdict="LIMIT_RATE"} 1\n');
    expect(text).toContain('a2a_sdl_face_calls_total{face="other",verdict="LIMIT_RATE"} 1\n');
    expect(text).toContain('a2a_sdl_face_calls{face="plain"} 2\n');
    expect(text).toContain('a2a_sdl_in_flight 3\n');
    for (const ticket of [first, first, second, third]) ticket.release();
    expect(metrics()).toContain('a2a_sdl_face_calls{face="plain"} 0\n');
    expect(metrics()).toContain('a2a_sdl_in_flight 0\n');
    admit('plain', facts).release();
  });

  test('is waited for when the runtime stops, then told to end, and gets no room any more', async () => {
    const runtime = await startRuntime();
    const { admit } = await runtime.listenContext();
    const [quick, slow] = [admit('plain', facts), admit('plain', facts)];
    const closed = runtime.close({ graceMs: 20 });
    expect(() => admit('plain', facts)).toThrow(coded('DRAINING'));
    expect(quick.signal.aborted).toBe(false);
    quick.release();
    const told = new Promise((resolve) => slow.signal.addEventListener('abort', resolve));
    await told;
    expect(slow.signal.reason).toEqual(coded('DRAINING'));
    expect(quick.signal.aborted).toBe(false);
    slow.release();
    await closed;
  });

  test('knows the agent and all of its addresses, of which peers are told those for envelopes', async () => {
    const runtime = await startRuntime({ name: 'Ann' });
    const inner = await listener('inner', 'http://10.0.0.1:1/inner', { isFace: true }).listen(
      await runtime.listenContext(),
      [],
    );
    await runtime.listen(
      listener('http', 'http://10.0.0.1:1/a2a', { faces: [inner] }),
      listener('ipc', 'ipc:/run/agent.sock'),
      listener('plain', 'http://10.0.0.1:1/plain', { isFace: true }),
    );
    const { about, agentDocument, limits } = await runtime.listenContext();
    expect(about()).toEqual({
      agentId: runtime.agentId,
      name: 'Ann',
      contentTypes: runtime.contentTypes,
      tools: runtime.tools.names(),
      limits,
      endpoints: [
        { name: 'http', url: 'http://10.0.0.1:1/a2a' },
        { name: 'inner', url: 'http://10.0.0.1:1/inner' },
        { name: 'plain', url: 'http://10.0.0.1:1/plain' },
      ],
    });
    const document = JSON.parse(new TextDecoder().decode(await agentDocument()));
    expect(document.endpoints).toEqual(['http://10.0.0.1:1/a2a']);
  });

  test('tells what it refuses by itself: audit entry, counter, outcome, of unproven ones so many a second', async () => {
    const outcomes: Outcome[] = [];
    const runtime = await startRuntime({
      now: () => 1_800_000_000_000,
      on: { outcome: (outcome) => outcomes.push(outcome) },
    });
    const { refused, metrics } = await runtime.listenContext();
    const error = new SdlError('ENVELOPE_INVALID', 'a frame of no bytes');
    const refusal = { face: 'plain', operation: 'frame', code: 'INVALID_FRAME', error };
    refused({ ...refusal, from: '~bearer:ann', taskId: 't1' });
    for (let count = 0; count < 100; count += 1) refused(refusal);
    expect(metrics()).toContain(
      'a2a_sdl_face_refusals_total{face="plain",code="INVALID_FRAME"} 101\n',
    );
    expect(outcomes).toHaveLength(17);
    expect(outcomes[0]).toMatchObject({
      transport: 'plain',
      operation: 'frame',
      refusal: 'INVALID_FRAME',
      from: '~bearer:ann',
      isProven: true,
      error,
    });
    const { ok, size } = await (await runtime.audit())!.verify();
    expect({ ok, size }).toEqual({ ok: true, size: 17 });
  });

  test('that breaks is told to the embedder', async () => {
    const causes: unknown[] = [];
    const runtime = await startRuntime({ on: { error: (cause) => causes.push(cause) } });
    const { onError } = await runtime.listenContext();
    const broken = new Error('broken');
    onError(broken);
    expect(causes).toEqual([broken]);
  });
});
