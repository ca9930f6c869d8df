// Owns what every transport must carry: all content types, modes and encodings, streams, and many requests at once.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RemoteAgent } from '../../../src/client/remote-agent.ts';
import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { SECURITY_MODES, isEncrypted, isSigned } from '../../../src/security/message/mode.ts';
import { INITIAL_STATE, applyState } from '../../../src/state/document.ts';
import type { Agent } from '../../support/agents/agents.ts';
import { taskPayload } from '../../support/wire/envelopes.ts';
import { until } from '../../support/agents/exchanges.ts';
import type { MakeWire, Pair } from '../../support/agents/transport-pairs.ts';
import { createPair } from '../../support/agents/transport-pairs.ts';

/** Content type → a payload, the type of its answer, and what that must hold. */
const CONTENTS: readonly (readonly [string, JsonObject, string, object])[] = [
  [
    'task.v1',
    taskPayload,
    'state.v1',
    { patch: expect.arrayContaining([{ op: 'add', path: '/status', value: 'completed' }]) },
  ],
  [
    'toolcall.v1',
    { tool: 'sys.ping', call_id: 'c', args: {}, expect: {} },
    'toolresult.v1',
    { call_id: 'c', ok: true },
  ],
  [
    'toolresult.v1',
    { call_id: 'c', ok: true, result: {}, logs: [], metrics: {} },
    'state.v1',
    { patch: [{ op: 'add', path: '/status', value: 'received' }] },
  ],
  [
    'state.v1',
    { base: INITIAL_STATE.hash, patch: [{ op: 'add', path: '/a', value: 1 }] },
    'state.v1',
    {
      patch: [],
      base: applyState(INITIAL_STATE, {
        base: INITIAL_STATE.hash,
        patch: [{ op: 'add', path: '/a', value: 1 }],
      }).hash,
    },
  ],
  ['artifact.v1', { items: [], refs: [] }, 'state.v1', { base: INITIAL_STATE.hash }],
  [
    'error.v1',
    { code: 'INTERNAL', message: 'internal error', details: {}, retryable: false },
    'state.v1',
    { patch: [{ op: 'add', path: '/status', value: 'received' }] },
  ],
  [
    'negotiation.v1',
    { need: {}, have: {}, ask: [], supported_ct: [] },
    'negotiation.v1',
    { supported_ct: expect.arrayContaining(['task.v1', 'trustsync.v1']) },
  ],
  ['trustsync.v1', { op: 'discover' }, 'trustsync.v1', { message: 'trust snapshot' }],
  [
    'session.v1',
    { op: 'open', profile: {}, nonce: 'a nonce that is new' },
    'session.v1',
    { op: 'ack', accepted: true },
  ],
];

const TASK = { ct: 'task.v1', payload: taskPayload };
const ENCODINGS = ['json', 'cbor'] as const;
const MODES = SECURITY_MODES.flatMap((mode) => ENCODINGS.map((encoding) => ({ mode, encoding })));

export function describeAnswers(name: string, makeWire: MakeWire): void {
  describe(`${name}: what is answered #transport-same #exchange #content-types`, () => {
    let pair: Pair;
    let peer: RemoteAgent;
    const connect = ({ runtime }: Agent): RemoteAgent =>
      runtime.connect(pair.server.identity.agentId);

    beforeAll(async () => {
      pair = await createPair(makeWire);
      peer = connect(await pair.client());
    });
    afterAll(() => pair.close());

    test.each(CONTENTS)('a request of %s is answered', async (ct, payload, answerCt, members) => {
      const {
        type,
        ct: got,
        payload: answer,
        isProven,
      } = await peer.request({ ct, payload }).result();
      expect({ type, ct: got, isProven }).toEqual({ type: 'res', ct: answerCt, isProven: true });
      expect(answer).toMatchObject(members);
    });

    test.each(MODES)('mode $mode in $encoding is answered as strongly', async (how) => {
      const client = await pair.client({
        minMode: 'none',
        ...(!isSigned(how.mode) && { switches: new Set(['unsigned-requests'] as const) }),
      });
      const { envelope, isProven, payload } = await connect(client)
        .request(
          { ct: 'toolcall.v1', payload: { tool: 'sys.ping', call_id: 'x', args: {}, expect: {} } },
          how,
        )
        .result();
      expect(payload).toMatchObject({ call_id: 'x', ok: true });
      expect(isProven).toBe(true);
      expect(envelope.sec?.mode).toBe(isEncrypted(how.mode) ? 'enc+sig' : 'sig');
      const outcome = pair.server.outcomes.at(-1)!;
      expect(outcome).toMatchObject({
        from: client.identity.agentId,
        isProven: isSigned(how.mode),
      });
      expect(outcome.error).toBeUndefined();
    });

    test.each(ENCODINGS)(
      'a stream in %s brings the events in order, then the res',
      async (encoding) => {
        const seen: [string, string][] = [];
        let document = INITIAL_STATE;
        const steps: JsonValue[] = [];
        for await (const { type, ct, payload } of peer.request(TASK, { encoding, stream: true })) {
          seen.push([type, ct]);
          if (type !== 'evt' || ct !== 'state.v1') continue;
          document = applyState(document, payload);
          const progress = (document.value as JsonObject)['progress'] as JsonObject | undefined;
          if (progress !== undefined) steps.push(progress['message']!);
        }
        expect(steps).toEqual(Array.from({ length: 20 }, (_, at) => `step ${at + 1}`));
        expect(seen.at(-1)).toEqual(['res', 'state.v1']);
        expect(seen.at(-2)).toEqual(['evt', 'artifact.v1']);
        expect(seen.filter(([type]) => type === 'res')).toHaveLength(1);
      },
    );

    test('who does not ask for a stream gets the res alone', async () => {
      const received: string[] = [];
      for await (const { type } of peer.request(TASK)) received.push(type);
      expect(received).toEqual(['res']);
    });

    test('50 requests in flight are answered each with its own, in the opposite order', async () => {
      const { held } = pair.server;
      const keys = Array.from({ length: 50 }, (_, at) => `many-${at}`);
      const finished: string[] = [];
      const calls = keys.map(async (key) => {
        const result = await peer.call('test.hold', { key });
        finished.push(key);
        return result;
      });
      await Promise.all(keys.map((key) => held.entered(key)));
      // One after the other, so that the order in which they end is known.
      for (const [at, key] of [...keys.entries()].toReversed()) {
        held.release(key);
        expect(await calls[at]).toBe(key);
      }
      expect(finished).toEqual(keys.toReversed());
    });

    test('an event is taken and nothing answers it', async () => {
      const before = pair.server.outcomes.length;
      await peer.notify({ ct: 'artifact.v1', payload: { items: [], refs: [] } });
      await until(() => pair.server.outcomes.length > before);
      expect(pair.server.outcomes.at(-1)).toMatchObject({ ct: 'artifact.v1', isProven: true });
      expect(pair.server.outcomes.at(-1)!.error).toBeUndefined();
    });
  });
}
