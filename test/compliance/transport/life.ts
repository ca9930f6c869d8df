// Owns how exchanges end on every transport when something goes wrong: aborted, too slow, cut, stopped and started again.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RemoteError } from '../../../src/client/remote-error.ts';
import type { RemoteAgent } from '../../../src/client/remote-agent.ts';
import type { Dialer } from '../../../src/transport.ts';
import { TransportError } from '../../../src/transport.ts';
import { cuttable } from '../../support/wire/cuttable-wire.ts';
import { until } from '../../support/agents/exchanges.ts';
import type { MakeWire, Pair } from '../../support/agents/transport-pairs.ts';
import { createPair } from '../../support/agents/transport-pairs.ts';

export function describeLife(name: string, makeWire: MakeWire): void {
  describe(`${name}: how exchanges end #transport-same #replay-retry`, () => {
    let pair: Pair;
    beforeEach(async () => {
      pair = await createPair(makeWire);
    });
    afterEach(() => pair.close());

    const connect = async (dialer?: Dialer): Promise<RemoteAgent> => {
      const { runtime } = await pair.client({}, dialer);
      return runtime.connect(pair.server.identity.agentId);
    };

    test('who aborts is told at once, and nobody else is touched', async () => {
      const { held } = pair.server;
      const peer = await connect();
      const controller = new AbortController();
      const other = peer.call('test.hold', { key: 'other' });
      const given = peer.call('test.hold', { key: 'given up' }, { signal: controller.signal });
      await Promise.all([held.entered('other'), held.entered('given up')]);
      controller.abort();
      expect(await faultOf(given)).toBe('aborted');
      held.release('other');
      expect(await other).toBe('other');
      expect(await peer.call('sys.ping', {})).toMatchObject({ pong: true });
    });

    test('who has aborted already sends nothing', async () => {
      const peer = await connect();
      const signal = AbortSignal.abort();
      expect(await faultOf(peer.call('test.hold', { key: 'a' }, { signal }))).toBe('aborted');
      expect(pair.server.held.runs).toEqual([]);
    });

    test('an exchange ends with its timeout', async () => {
      const peer = await connect();
      const call = peer.call('test.hold', { key: 'slow' }, { timeoutMs: 200 });
      await expect(call).rejects.toMatchObject({ code: 'TRANSPORT_TIMEOUT' });
      expect(await peer.call('sys.ping', {})).toMatchObject({ pong: true });
    });

    test('the time of a signal is a timeout, too, and no abort', async () => {
      const peer = await connect();
      const signal = AbortSignal.timeout(200);
      const call = peer.call('test.hold', { key: 'slow' }, { signal });
      await expect(call).rejects.toMatchObject({ code: 'TRANSPORT_TIMEOUT' });
    });

    test('a server that stops answers what is in flight and runs nothing new', async () => {
      const { held, runtime } = pair.server;
      const peer = await connect();
      const inFlight = peer.call('test.hold', { key: 'in flight' });
      await held.entered('in flight');
      const closed = runtime.close({ graceMs: 60_000 });
      const refusal = await peer
        .call('test.hold', { key: 'too late' }, { retries: 0 })
        .catch((thrown: unknown) => thrown);
      // Either it is told so, or nobody listens any more.
      if (refusal instanceof RemoteError) {
        expect([refusal.wireCode, refusal.code]).toEqual(['INTERNAL', 'DRAINING']);
        expect(refusal.retryable).toBe(true);
      } else {
        expect(['unreachable', 'lost']).toContain((refusal as TransportError).fault);
      }
      held.release('in flight');
      expect(await inFlight).toBe('in flight');
      await closed;
      expect(held.runs).toEqual(['in flight']);
    });

    test('what does not end before a server has stopped is answered with that', async () => {
      const { held, runtime } = pair.server;
      const peer = await connect();
      const call = peer
        .call('test.hold', { key: 'endless' }, { retries: 0 })
        .catch((thrown: unknown) => thrown);
      await held.entered('endless');
      await runtime.close({ graceMs: 50 });
      expect(await call).toMatchObject({ code: 'DEADLINE', details: { outcome: 'unknown' } });
    });

    test('a client reaches the server again after that was started anew at the same address', async () => {
      const peer = await connect();
      expect(await peer.call('sys.ping', {})).toMatchObject({ pong: true });
      await pair.server.runtime.close({ graceMs: 0 });
      expect(await faultOf(peer.call('sys.ping', {}, { retries: 0 }))).toMatch(/unreachable|lost/);
      await pair.restart();
      expect(await peer.call('sys.ping', {})).toMatchObject({ pong: true });
    });

    test('an exchange survives a server that is started anew before it ran', async () => {
      await pair.server.runtime.close({ graceMs: 0 });
      const wire = cuttable(pair.wire.dialer);
      const peer = await connect(wire.dialer);
      const call = peer.call('sys.ping', {});
      await until(() => wire.dials > 0);
      await pair.restart();
      expect(await call).toMatchObject({ pong: true });
    });

    test('a retry after a cut joins the run that goes on: one run, one answer', async () => {
      const { held, outcomes } = pair.server;
      const wire = cuttable(pair.wire.dialer);
      const peer = await connect(wire.dialer);
      const call = peer.call('test.hold', { key: 'once' });
      await held.entered('once');
      await wire.cut();
      await until(() => wire.sent.length === 2);
      held.release('once');
      expect(await call).toBe('once');
      expect(held.runs).toEqual(['once']);
      expect(wire.sent[1]!.bytes).toEqual(wire.sent[0]!.bytes);
      await until(() => outcomes.length === 2);
      expect(outcomes.filter(({ isRetry }) => isRetry)).toHaveLength(1);
    });

    test('an answer that was lost on its way comes with the retry: one run, the stored answer', async () => {
      const { held, outcomes } = pair.server;
      const wire = cuttable(pair.wire.dialer);
      const peer = await connect(wire.dialer);
      const call = peer.call('test.hold', { key: 'once' });
      await held.entered('once');
      wire.holdDials();
      await wire.cut();
      held.release('once');
      await until(() => outcomes.length === 1);
      wire.letDial();
      expect(await call).toBe('once');
      expect(held.runs).toEqual(['once']);
      expect(outcomes.map(({ isRetry }) => isRetry)).toEqual([false, true]);
    });

    test('a retry to a server that was started anew gets the stored answer', async () => {
      const { held, outcomes } = pair.server;
      const wire = cuttable(pair.wire.dialer);
      const peer = await connect(wire.dialer);
      const call = peer.call('test.hold', { key: 'once' });
      await held.entered('once');
      wire.holdDials();
      await wire.cut();
      held.release('once');
      await until(() => outcomes.length === 1);
      await pair.server.runtime.close();
      await pair.restart();
      wire.letDial();
      expect(await call).toBe('once');
      expect(held.runs).toEqual(['once']);
    });

    test('a request of more bytes than the server takes fails, and the next one is served', async () => {
      const peer = await connect();
      const args = { text: 'x'.repeat(1_048_576) };
      const thrown = await peer.call('sys.ping', args, { retries: 0 }).catch((error) => error);
      expect(thrown).toBeInstanceOf(Error);
      if (thrown instanceof RemoteError) expect(thrown.code).toBe('LIMIT_BYTES');
      else expect(thrown).toMatchObject({ name: 'TransportError', fault: 'protocol' });
      expect(pair.server.outcomes).toEqual([]);
      expect(await peer.call('sys.ping', {})).toMatchObject({ pong: true });
    });
  });
}

async function faultOf(work: Promise<unknown>): Promise<string> {
  const thrown: unknown = await work.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
  if (thrown instanceof TransportError) return thrown.fault;
  throw thrown;
}
