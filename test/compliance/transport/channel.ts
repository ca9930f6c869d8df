// Owns what every transport with lasting connections must do, whatever carries its messages.

import { afterEach, describe, expect, test } from 'vitest';
import type { Limits } from '../../../src/limits.ts';
import { resolveLimits } from '../../../src/limits.ts';
import type {
  Connection,
  Dialer,
  Listener,
  ListenContext,
  Transport,
} from '../../../src/transport.ts';
import type { ChannelOptions } from '../../../transports/channel/options.ts';
import type { DemuxedConnection } from '../../../transports/channel/demux.ts';
import {
  aborting,
  all,
  contextFor,
  echo,
  faultOf,
  holdRequests,
  outbound,
  read,
  reply,
  turn,
  until,
} from '../../support/agents/exchanges.ts';

export interface ChannelSetup {
  readonly transport: (options: ChannelOptions) => Transport & Dialer;
  /** Starts it, with whatever it needs to be started before; all of that is closed by the listener. */
  readonly listen: (transport: Transport, context: ListenContext) => Promise<Listener>;
}

const EVENT_BYTES = 131_072;

export function describeChannelTransport(name: string, setup: ChannelSetup): void {
  const listeners: Listener[] = [];
  const connections: Connection[] = [];
  afterEach(async () => {
    await Promise.all(connections.splice(0).map((connection) => connection.close()));
    await Promise.all(listeners.splice(0).map((listener) => listener.close(0)));
  });

  async function start(
    context: ListenContext,
    options: ChannelOptions = {},
    limits: Partial<Limits> = {},
  ): Promise<{
    listener: Listener;
    connection: DemuxedConnection;
    dial: () => Promise<Connection>;
  }> {
    const transport = setup.transport(options);
    const listener = await setup.listen(transport, context);
    listeners.push(listener);
    const dial = async (): Promise<Connection> => {
      const made = await transport.dial(listener.urls[0]!, { limits: resolveLimits(limits) });
      connections.push(made);
      return made;
    };
    return { listener, connection: (await dial()) as DemuxedConnection, dial };
  }

  describe(`${name}: exchanges #transport-correlation #exchange`, () => {
    test.each(['json', 'cbor'] as const)('a request in %s is answered in it', async (encoding) => {
      const seen: unknown[] = [];
      const { connection } = await start(
        contextFor(async function* (inbound) {
          seen.push(inbound.encoding, inbound.wantsStream, inbound.peer.transport);
          yield* echo(inbound);
        }),
      );
      for await (const answer of connection.exchange(outbound('a', {}, { encoding }))) {
        expect(answer.encoding).toBe(encoding);
        expect(read(answer)).toMatchObject({ re: 'a', type: 'res' });
      }
      expect(seen).toEqual([encoding, true, name]);
    });

    test('a hundred requests share a connection and are answered in the opposite order', async () => {
      const held = holdRequests();
      const { connection } = await start(contextFor(held.receive), { maxInFlight: 100 });
      const ids = Array.from({ length: 100 }, (_, index) => `r${index}`);
      const exchanges = ids.map((id) => all(connection.exchange(outbound(id))));
      const requests = await Promise.all(ids.map((id) => held.arrival(id)));
      for (const [index, request] of [...requests.entries()].toReversed()) {
        request.answer(reply({ re: `r${index}` }));
      }
      const answers = await Promise.all(exchanges);
      expect(answers.map((messages) => messages.map(({ re }) => re))).toEqual(
        ids.map((id) => [id]),
      );
    });

    test('events come in order, and the exchange ends with its res', async () => {
      const { connection } = await start(
        contextFor(async function* (inbound) {
          const { id } = read(inbound);
          for (let step = 0; step < 50; step += 1) yield reply({ type: 'evt', re: id!, step });
          yield reply({ re: id! });
        }),
      );
      const messages = await all(connection.exchange(outbound('a')));
      expect(messages.map(({ step }) => step ?? 'res')).toEqual([...Array(50).keys(), 'res']);
      expect(connection.isOpen).toBe(true);
    });

    test('an answer without re goes to the request whose span it names', async () => {
      const held = holdRequests();
      const { connection } = await start(contextFor(held.receive));
      const [a, b] = ['a', 'b'].map((id) => all(connection.exchange(outbound(id))));
      (await held.arrival('b')).answer(reply({ trace: { parent_span_id: 'span-b' }, is: 'b' }));
      (await held.arrival('a')).answer(reply({ trace: { parent_span_id: 'span-a' }, is: 'a' }));
      expect([(await a!)[0]!['is'], (await b!)[0]!['is']]).toEqual(['a', 'b']);
    });

    test('an answer that names no request goes to the only one that waits', async () => {
      const { connection } = await start(
        contextFor(async function* () {
          yield reply({ code: 'ENCODING_INVALID' });
        }),
      );
      expect(await all(connection.exchange(outbound('a')))).toMatchObject([
        { code: 'ENCODING_INVALID' },
      ]);
    });

    test('what fits no request is dropped and counted: foreign re, foreign span, none while several wait', async () => {
      const held = holdRequests();
      const { connection } = await start(contextFor(held.receive));
      const a = all(connection.exchange(outbound('a')));
      const b = all(connection.exchange(outbound('b')));
      const request = await held.arrival('a');
      await held.arrival('b');
      request.answer(
        reply({ re: 'x' }),
        reply({ trace: { parent_span_id: 'x' } }),
        reply({}),
        reply({ re: 'a' }),
      );
      expect(await a).toHaveLength(1);
      expect(connection.dropped).toBe(3);
      (await held.arrival('b')).answer(reply({ re: 'b' }));
      expect(await b).toHaveLength(1);
    });

    test('bytes that are no message fail the only request that waits', async () => {
      const { connection } = await start(
        contextFor(async function* () {
          yield { ...reply({}), bytes: new TextEncoder().encode('{"type":') };
        }),
      );
      expect(await faultOf(all(connection.exchange(outbound('a'))))).toBe('protocol');
    });

    test('an event is sent and nothing comes back', async () => {
      const held = holdRequests();
      const { connection } = await start(contextFor(held.receive));
      await connection.notify(outbound('e', { type: 'evt' }));
      const { inbound } = await held.arrival('e');
      expect(read(inbound)).toMatchObject({ type: 'evt' });
    });
  });

  describe(`${name}: ends #transport-correlation #transport-timeouts`, () => {
    test('an aborted exchange fails; its late answer is nobody else’s', async () => {
      const held = holdRequests();
      const { connection } = await start(contextFor(held.receive));
      const controller = new AbortController();
      const { signal } = controller;
      const first = all(connection.exchange(outbound('a', {}, { signal })));
      const late = await held.arrival('a');
      controller.abort();
      expect(await faultOf(first)).toBe('aborted');
      const second = all(connection.exchange(outbound('b')));
      const request = await held.arrival('b');
      late.answer(reply({ is: 'late' }));
      await until(() => connection.dropped === 1);
      request.answer(reply({ is: 'mine' }));
      expect(await second).toMatchObject([{ is: 'mine' }]);
    });

    test('an exchange with an aborted signal sends nothing', async () => {
      const held = holdRequests();
      const { connection } = await start(contextFor(held.receive));
      const signal = AbortSignal.abort();
      expect(await faultOf(all(connection.exchange(outbound('a', {}, { signal }))))).toBe(
        'aborted',
      );
      const next = all(connection.exchange(outbound('b')));
      (await held.arrival('b')).answer(reply({ re: 'b' }));
      await next;
      expect(held.count).toBe(1);
    });

    test('when the client closes, its requests are aborted and its exchanges lost', async () => {
      const held = holdRequests();
      const { connection } = await start(contextFor(held.receive));
      const exchange = faultOf(all(connection.exchange(outbound('a'))));
      const { inbound } = await held.arrival('a');
      expect(inbound.signal.aborted).toBe(false);
      await connection.close();
      await aborting(inbound.signal);
      expect(await exchange).toBe('lost');
      expect(connection.isOpen).toBe(false);
      expect(await faultOf(all(connection.exchange(outbound('b'))))).toBe('unreachable');
      expect(await faultOf(connection.notify(outbound('c')))).toBe('unreachable');
    });

    test('a drain lets what is in flight end, then closes', async () => {
      const held = holdRequests();
      const { connection, listener, dial } = await start(contextFor(held.receive));
      const idle = await dial();
      const exchange = all(connection.exchange(outbound('a')));
      const request = await held.arrival('a');
      const closing = listener.close(60_000);
      await until(() => !idle.isOpen);
      expect(connection.isOpen).toBe(true);
      await expect(dial()).rejects.toMatchObject({ fault: 'unreachable' });
      request.answer(reply({ re: 'a' }));
      expect(await exchange).toHaveLength(1);
      await closing;
      await until(() => !connection.isOpen);
      await listener.close(0);
    });

    test('a drain cuts what is still in flight when its time is over', async () => {
      const held = holdRequests();
      const { connection, listener } = await start(contextFor(held.receive));
      const exchange = faultOf(all(connection.exchange(outbound('a'))));
      const { inbound } = await held.arrival('a');
      await listener.close(1);
      expect(inbound.signal.aborted).toBe(true);
      expect(await exchange).toBe('lost');
    });

    test('a connection that says nothing is closed, one that waits for an answer is not', async () => {
      const held = holdRequests();
      const { connection, dial } = await start(contextFor(held.receive), { idleTimeoutMs: 20 });
      const exchange = all(connection.exchange(outbound('a')));
      const request = await held.arrival('a');
      const silent = await dial();
      await until(() => !silent.isOpen);
      request.answer(reply({ re: 'a' }));
      expect(await exchange).toHaveLength(1);
      await until(() => !connection.isOpen);
    });

    test('an answer that cannot be given closes the connection', async () => {
      const { connection } = await start(
        contextFor(() => {
          throw new Error('a fault of the runtime');
        }),
      );
      expect(await faultOf(all(connection.exchange(outbound('a'))))).toBe('lost');
    });

    test('an answer beyond the client’s limit fails the exchange', async () => {
      const { connection } = await start(
        contextFor(async function* () {
          yield reply({ text: 'x'.repeat(2_000) });
        }),
        {},
        { maxBytes: 1_000 },
      );
      expect(await faultOf(all(connection.exchange(outbound('a'))))).toBe('protocol');
      await until(() => !connection.isOpen);
    });

    test('an answer beyond the client’s limit is not held against the others that wait', async () => {
      const held = holdRequests();
      const { connection } = await start(contextFor(held.receive), {}, { maxBytes: 1_000 });
      const faults = ['a', 'b'].map((id) => faultOf(all(connection.exchange(outbound(id)))));
      await held.arrival('b');
      (await held.arrival('a')).answer(reply({ re: 'a', text: 'x'.repeat(2_000) }));
      expect(await Promise.all(faults)).toEqual(['lost', 'lost']);
    });

    test('nor is one to an exchange that was given up', async () => {
      const held = holdRequests();
      const { connection } = await start(contextFor(held.receive), {}, { maxBytes: 1_000 });
      const controller = new AbortController();
      const { signal } = controller;
      const givenUp = faultOf(all(connection.exchange(outbound('a', {}, { signal }))));
      const request = await held.arrival('a');
      controller.abort();
      expect(await givenUp).toBe('aborted');
      const waiting = faultOf(all(connection.exchange(outbound('b'))));
      await held.arrival('b');
      request.answer(reply({ re: 'a', text: 'x'.repeat(2_000) }));
      expect(await waiting).toBe('lost');
    });
  });

  describe(`${name}: back-pressure #transport-timeouts`, () => {
    test('requests beyond the cap of a connection wait to be read', async () => {
      const held = holdRequests();
      const { connection } = await start(contextFor(held.receive), { maxInFlight: 2 });
      const ids = ['a', 'b', 'c', 'd', 'e'];
      const exchanges = ids.map((id) => all(connection.exchange(outbound(id))));
      for (const [index, id] of ids.entries()) {
        const request = await held.arrival(id);
        expect(held.count).toBeLessThanOrEqual(index + 2);
        request.answer(reply({ re: id }));
      }
      await Promise.all(exchanges);
    });

    test('a stream is made no faster than it is read', async () => {
      let made = 0;
      const total = 256;
      const text = 'x'.repeat(EVENT_BYTES);
      const { connection } = await start(
        contextFor(async function* () {
          for (; made < total; made += 1) yield reply({ type: 'evt', re: 'a', text });
          yield reply({ re: 'a' });
        }),
      );
      let taken = 0;
      for await (const { bytes } of connection.exchange(outbound('a'))) {
        expect(bytes.length).toBeGreaterThan(0);
        taken += 1;
        // Long enough for a sender that does not wait to have sent everything.
        for (let turns = taken < 20 ? 20 : 0; turns > 0; turns -= 1) await turn();
        expect(made - taken).toBeLessThan(total / 2);
      }
      expect(taken).toBe(total + 1);
    });

    test('a reader that has stopped does not keep answers from others', async () => {
      const text = 'x'.repeat(EVENT_BYTES);
      let made = 0;
      const { connection } = await start(
        contextFor(async function* (inbound) {
          const re = read(inbound)['id']!;
          const events = re === 'slow' ? 256 : 0;
          for (let step = 0; step < events; step += 1) {
            made = step;
            yield reply({ type: 'evt', re, text });
          }
          // Behind more than the client holds for a reader.
          await until(() => made > 10);
          yield reply({ re });
        }),
        { stallTimeoutMs: 20 },
      );
      const slow = connection.exchange(outbound('slow'))[Symbol.asyncIterator]();
      await slow.next();
      expect(await all(connection.exchange(outbound('b')))).toHaveLength(1);
      expect(await faultOf(slow.next())).toBe('lost');
      expect(await all(connection.exchange(outbound('c')))).toHaveLength(1);
    });

    test('a client that takes nothing of its answers is cut', async () => {
      const text = 'x'.repeat(EVENT_BYTES);
      let inbound: { signal: AbortSignal } | undefined;
      const { connection } = await start(
        contextFor(async function* (received) {
          inbound = received;
          for (;;) yield reply({ type: 'evt', re: 'a', text });
        }),
        { stalledWriteTimeoutMs: 20, stallTimeoutMs: 60_000 },
      );
      const answers = connection.exchange(outbound('a'))[Symbol.asyncIterator]();
      await answers.next();
      await aborting(inbound!.signal);
      await answers.return?.();
    });
  });

  describe(`${name}: connections #transport-timeouts`, () => {
    test.each(['maxConnections', 'maxConnectionsPerAddress'])(
      'beyond %s a connection gets no service, and room that is given back can be used',
      async (option) => {
        const { connection, dial } = await start(contextFor(echo), { [option]: 1 });
        const refused = dial().then((second) => all(second.exchange(outbound('b'))));
        expect(['unreachable', 'lost']).toContain(await faultOf(refused));
        expect(await all(connection.exchange(outbound('a')))).toHaveLength(1);
        await connection.close();
        let answers: unknown[] = [];
        while (answers.length === 0) {
          // The listening end may see the close a little later.
          await turn();
          answers = await dial()
            .then((third) => all(third.exchange(outbound('c'))))
            .catch(() => []);
        }
        expect(answers).toHaveLength(1);
      },
    );
  });
}
