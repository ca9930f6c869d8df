// How many messages at once, and how fast, for each on its own.

import { describe, expect, test } from 'vitest';

import { createAdmission } from '../../src/pipeline/admission.ts';
import type { AdmissionControl, Ticket } from '../../src/pipeline/admission.ts';
import type { RateLimiter } from '../../src/stores/rate-limiter.ts';
import { createMemoryRateLimiter } from '../../src/stores/rate-limiter.ts';
import { StoreError } from '../../src/stores/store.ts';
import { codeOf } from '../support/wire/bytes.ts';

const many = (count: number, run: () => Ticket): Ticket[] => Array.from({ length: count }, run);

function at(
  nowMs: { value: number },
  options: Parameters<typeof createAdmission>[0],
): AdmissionControl {
  return createAdmission(options, () => nowMs.value);
}

describe('#admit room for messages', () => {
  test('W45 an address that uses up its room leaves that of the others', () => {
    const control = at({ value: 0 }, { maxInFlightPerPeer: 2 });
    many(2, () => control.admit('192.0.2.1'));
    expect(codeOf(() => control.admit('192.0.2.1'))).toBe('LIMIT_RATE');
    expect(codeOf(() => control.admit('192.0.2.2'))).toBeUndefined();
  });

  test('W45 an agent that uses up its room leaves that of the others at its address', () => {
    const control = at({ value: 0 }, { maxInFlightPerPeer: 4, burst: 100 });
    const claim = (agentId: string): void => {
      const ticket = control.admit(`192.0.2.${agentId.length}`);
      void ticket.claim(agentId);
    };
    for (let count = 0; count < 4; count += 1) claim('a');
    const ticket = control.admit('192.0.2.9');
    expect(codeOf(() => ticket.claim('a'))).toBe('LIMIT_RATE');
    expect(codeOf(() => ticket.claim('b'))).toBeUndefined();
  });

  test('a name that is only claimed and an address of the same text are counted apart', () => {
    const control = at({ value: 0 }, { maxInFlightPerPeer: 1 });
    const ticket = control.admit('x');
    expect(codeOf(() => ticket.claim('x'))).toBeUndefined();
  });

  test('for streams is counted for each caller and for all, and leaves that of other calls', () => {
    const limits = { maxStreams: 3, maxStreamsPerPeer: 2, maxInFlightPerPeer: 10 };
    const control = at({ value: 0 }, limits);
    const streamOf = (caller: string): Ticket => {
      const ticket = control.admit('a');
      ticket.stream(caller);
      return ticket;
    };
    const [first] = many(2, () => streamOf('one'));
    expect(codeOf(() => streamOf('one'))).toBe('LIMIT_RATE');
    expect(codeOf(() => streamOf('two'))).toBeUndefined();
    expect(codeOf(() => streamOf('three'))).toBe('LIMIT_RATE');
    expect(codeOf(() => control.admit('a').claim('one'))).toBeUndefined();
    first!.release();
    first!.release();
    expect(codeOf(() => streamOf('three'))).toBeUndefined();
    expect(codeOf(() => streamOf('one'))).toBe('LIMIT_RATE');
  });

  test('is given back once, however often it is released', () => {
    const control = at({ value: 0 }, { maxInFlight: 2, burst: 100 });
    const [first] = many(2, () => control.admit('a'));
    expect(codeOf(() => control.admit('b'))).toBe('LIMIT_RATE');
    first!.release();
    first!.release();
    expect(control.inFlight).toBe(1);
    expect(codeOf(() => control.admit('b'))).toBeUndefined();
    expect(codeOf(() => control.admit('b'))).toBe('LIMIT_RATE');
  });

  test('of who has gone is in use, but not waited for', async () => {
    const control = at({ value: 0 }, {});
    const [event, early, late] = many(3, () => control.admit('a'));
    const leaving = new AbortController();
    early!.awaitedUntil(AbortSignal.abort());
    late!.awaitedUntil(leaving.signal);
    event!.release();
    let isUnawaited = false;
    const unawaited = control.unawaited().then(() => (isUnawaited = true));
    await Promise.resolve();
    expect(isUnawaited).toBe(false);
    leaving.abort();
    await unawaited;
    expect(control.inFlight).toBe(2);
    late!.release();
    early!.release();
    await control.idle();
    await control.unawaited();
  });

  test('a refused claim keeps no room of the agent', () => {
    const control = at({ value: 0 }, { maxInFlightPerPeer: 1, burst: 100 });
    const first = control.admit('a');
    void first.claim('agent');
    const second = control.admit('b');
    expect(codeOf(() => second.claim('agent'))).toBe('LIMIT_RATE');
    second.release();
    first.release();
    const third = control.admit('a');
    expect(codeOf(() => third.claim('agent'))).toBeUndefined();
  });

  test('comes back with time at the rate, up to the burst', () => {
    const clock = { value: 0 };
    const control = at(clock, { ratePerSecond: 2, burst: 3 });
    const send = (): void => control.admit('a').release();
    for (let count = 0; count < 3; count += 1) send();
    expect(codeOf(send)).toBe('LIMIT_RATE');
    clock.value = 500;
    expect(codeOf(send)).toBeUndefined();
    expect(codeOf(send)).toBe('LIMIT_RATE');
    clock.value = 3_600_000;
    for (let count = 0; count < 3; count += 1) send();
    expect(codeOf(send)).toBe('LIMIT_RATE');
  });

  test('a clock that goes back gives nothing', () => {
    const clock = { value: 10_000 };
    const control = at(clock, { burst: 1, ratePerSecond: 1 });
    control.admit('a').release();
    clock.value = 0;
    expect(codeOf(() => control.admit('a'))).toBe('LIMIT_RATE');
  });

  test('is not given while draining, and idle resolves with the last release', async () => {
    const control = at({ value: 0 }, {});
    const ticket = control.admit('a');
    let isIdle = false;
    const idle = control.idle().then(() => {
      isIdle = true;
    });
    control.drain();
    expect(codeOf(() => control.admit('a'))).toBe('DRAINING');
    expect(isIdle).toBe(false);
    ticket.release();
    await idle;
    await control.idle();
  });

  test.each<[object, new (...args: never[]) => Error]>([
    [{ maxInFlight: 0 }, RangeError],
    [{ burst: Number.NaN }, RangeError],
    [{ burst: 0.5 }, RangeError],
    [{ rate: 5 }, TypeError],
  ])('options %j are refused', (options, type) => {
    expect(() => createAdmission(options)).toThrow(type);
  });
});

describe('#admit rates that several nodes count together', () => {
  const limits = { burst: 4, ratePerSecond: 1, maxInFlightPerPeer: 2 };
  const nodesWith = (shared: RateLimiter): [AdmissionControl, AdmissionControl] => [
    createAdmission(limits, () => 0, shared),
    createAdmission(limits, () => 0, shared),
  ];
  /** The code with which an agent is refused; its message is done with at once. */
  const send = async (node: AdmissionControl, agentId: string): Promise<string | undefined> => {
    const ticket = node.admit(agentId);
    const claiming = async (): Promise<void> => ticket.claim(agentId);
    const code = await claiming().then(
      () => undefined,
      (thrown: StoreError) => thrown.code,
    );
    ticket.release();
    return code;
  };

  test('an agent has its burst once, through whatever nodes, and leaves the others theirs', async () => {
    const [one, other] = nodesWith(createMemoryRateLimiter({ now: () => 0 }));
    const codes = [];
    for (const node of [one, other, one, other, one, other]) codes.push(await send(node, 'a'));
    expect(codes).toEqual([undefined, undefined, undefined, undefined, 'LIMIT_RATE', 'LIMIT_RATE']);
    expect(await send(one, 'b')).toBeUndefined();
    expect([one.inFlight, other.inFlight]).toEqual([0, 0]);
  });

  test('what is at work is counted by each node alone', async () => {
    const [one, other] = nodesWith(createMemoryRateLimiter({ now: () => 0 }));
    for (const node of [one, one, other, other]) {
      await expect(node.admit('x').claim('a')).resolves.toBeUndefined();
    }
  });

  test('addresses cost the others no question, nor do agents that are too fast for one node', async () => {
    const asked: string[] = [];
    const take = (key: string): boolean => asked.push(key) > 0;
    const [node] = nodesWith({ take });
    for (let count = 0; count < 4; count += 1) await send(node, 'a');
    const ticket = createAdmission({ ...limits, burst: 1 }, () => 0, { take }).admit('y');
    await ticket.claim('b');
    expect(codeOf(() => ticket.claim('b'))).toBe('LIMIT_RATE');
    expect(codeOf(() => node.admit('a'))).toBe('LIMIT_RATE');
    expect(asked).toEqual(['a', 'a', 'a', 'a', 'b']);
  });

  test('where they cannot be known nobody gets through, and the room is given back', async () => {
    const failing = { take: () => Promise.reject(new StoreError('failed', 'no answer')) };
    const [node] = nodesWith(failing);
    for (let count = 0; count < 3; count += 1) expect(await send(node, 'a')).toBe('INTERNAL');
    expect(node.inFlight).toBe(0);
  });
});
