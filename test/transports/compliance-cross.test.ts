// Proves that one agent on all transports at once says the same on each, and that what it saw on one counts on all.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { expectedRefusal, newParties, refusalOf } from '../compliance/transport/refusals.ts';
import { REFUSALS } from '../compliance/transport/refusal-table.ts';
import { taskPayload } from '../support/wire/envelopes.ts';
import { forge, newNonce, openedBy } from '../support/wire/forge.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { decodeMessage } from '../../src/envelope/decode.ts';
import type { Incoming } from '../../src/transport.ts';
import type { RawLine } from '../support/wire/raw-lines.ts';
import type { MakeWire, Pair } from '../support/agents/transport-pairs.ts';
import {
  createPair,
  httpWire,
  httpsWire,
  memoryWire,
  tcpWire,
  unixWire,
  wsWire,
} from '../support/agents/transport-pairs.ts';

const https = httpsWire();
const OTHERS: readonly (readonly [string, MakeWire])[] = [
  ['http', httpWire],
  // Shares the port of the HTTP listener that was started first.
  ['ws', wsWire],
  ['unix', unixWire],
  ['tcp', tcpWire],
  ...(https === undefined ? [] : [['https', https] as const]),
];

let pair: Pair;
/** Name → how a line to it is opened. */
const ways = new Map<string, () => RawLine | Promise<RawLine>>();
const disposers: (() => void)[] = [];

beforeAll(async () => {
  pair = await createPair(memoryWire);
  ways.set('memory', () => pair.wire.open(pair.url));
  for (const [name, makeWire] of OTHERS) {
    const wire = makeWire();
    if (wire.dispose !== undefined) disposers.push(wire.dispose);
    const listeners = await pair.server.runtime.listen(...wire.transports());
    ways.set(name, () => wire.open(listeners.at(-1)!.urls[0]!));
  }
});
afterAll(async () => {
  await pair.close();
  for (const dispose of disposers) dispose();
});

async function onEach<T>(
  work: (line: RawLine, name: string) => Promise<T>,
): Promise<Map<string, T>> {
  const results = new Map<string, T>();
  for (const [name, open] of ways) {
    const line = await open();
    onTestFinished(() => line.close());
    results.set(name, await work(line, name));
  }
  return results;
}

async function ask(line: RawLine, message: Incoming): Promise<Incoming> {
  line.send(message);
  return (await line.next())!;
}

describe('one agent on all transports #transport-same #errors', () => {
  test.each(REFUSALS)('$name: one verdict everywhere', async (row) => {
    const encoding = row.only ?? 'json';
    const seen = await onEach(async (line) =>
      refusalOf(row, encoding, line, await newParties(pair)),
    );
    const expected = expectedRefusal(row, encoding, pair.server);
    expect([...seen.keys()]).toEqual([...ways.keys()]);
    for (const [name, refusal] of seen) expect(refusal, name).toEqual(expected);
  });

  test('the same bytes get the same stored bytes on every transport, and run once #replay-retry', async () => {
    const sender = await pair.sender();
    const message = await forge(sender, pair.server, {
      mode: 'enc+sig',
      ct: 'toolcall.v1',
      payload: { tool: 'test.hold', call_id: 'c', args: { key: 'once' }, expect: {} },
    });
    pair.server.held.release('once');
    const answers = await onEach((line) => ask(line, message));
    const first = answers.get('memory')!;
    for (const [name, { bytes, encoding }] of answers) {
      expect({ bytes, encoding }, name).toEqual({ bytes: first.bytes, encoding: first.encoding });
    }
    expect(openedBy(sender, read(first))).toMatchObject({ ok: true, result: 'once' });
    expect(pair.server.held.runs).toEqual(['once']);
  });

  test('a nonce that was used on one transport is refused on every other #replay', async () => {
    const sender = await pair.sender();
    const replay = { nonce: newNonce() };
    const reasons = await onEach(async (line, name) => {
      const payload = { ...taskPayload, goal: `by ${name}` };
      let answer = await ask(line, await forge(sender, pair.server, { replay, payload }));
      while (read(answer)['type'] === 'evt') answer = (await line.next())!;
      const { ct, payload: told } = read(answer);
      return ct === 'error.v1' ? ((told as JsonObject)['details'] as JsonObject)['reason'] : ct;
    });
    const [memory, ...others] = reasons.values();
    expect(memory).toBe('state.v1');
    expect(new Set(others)).toEqual(new Set(['REPLAYED']));
  });
});

describe.skipIf(https === undefined)('HTTPS #client-certificates', () => {
  test('a certificate that the book gives to one agent speaks for no other', async () => {
    const bound = await createPair(https!);
    onTestFinished(() => bound.close());
    const sender = await bound.sender({ certificates: ['0'.repeat(64)] });
    const answer = await ask(await bound.line(), await forge(sender, bound.server));
    expect(read(answer)['payload']).toMatchObject({ code: 'SECURITY_UNSUPPORTED', details: {} });
    expect(bound.server.outcomes.at(-1)).toMatchObject({
      stage: 'policy',
      error: { code: 'SENDER_REFUSED' },
    });
  });
});

function read({ bytes, encoding }: Incoming): JsonObject {
  return decodeMessage(bytes, encoding) as JsonObject;
}
