// Making envelopes: requests, replies, errors, traces and ids.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import { createEnvelopeBuilder, salvageReplyTo } from '../../src/envelope/build.ts';
import { defaultCapabilities } from '../../src/envelope/capabilities.ts';
import { encodeMessage } from '../../src/envelope/encode.ts';
import { toErrorPayload } from '../../src/envelope/error-payload.ts';
import { checkShape } from '../../src/envelope/shape.ts';
import { forwardTrace, replyTrace, startTrace } from '../../src/envelope/trace.ts';
import type { Envelope, Identity } from '../../src/envelope/types.ts';
import { uuidV7 } from '../../src/envelope/uuid.ts';
import { ERRORS, SdlError, toSdlError } from '../../src/errors.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { resolveLimits } from '../../src/limits.ts';
import { jsonValue } from '../support/wire/arbitraries.ts';
import { codeOf } from '../support/wire/bytes.ts';
import {
  EPOCH_MS,
  alice,
  bob,
  builderFor,
  registry,
  taskPayload,
  taskRequest,
  wireCopy,
  patched,
  put,
} from '../support/wire/envelopes.ts';

const { contentTypes } = registry;

function expectValid(envelope: Envelope): void {
  const value = wireCopy(envelope);
  checkShape(value, { contentTypes });
  registry.checkOwn({
    ct: envelope.ct,
    payload: value['payload']!,
    descriptor: envelope.schema,
  });
}

describe('#envelope-id ids', () => {
  test('are UUID version 7 and sort by time', () => {
    const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));
    const ids = [0, 1, 255, 256, EPOCH_MS, EPOCH_MS + 1, 2 ** 47].map((ms) => uuidV7(ms, random));
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    expect(ids.toSorted()).toEqual(ids);
    expect(Number.parseInt(ids[4]!.replace('-', '').slice(0, 12), 16)).toBe(EPOCH_MS);
  });
  test('come from the given randomness', () => {
    expect(uuidV7(EPOCH_MS, (length) => new Uint8Array(length).fill(0xff))).toBe(
      '019b76da-a800-7fff-bfff-ffffffffffff',
    );
  });
});

describe('#own-identity requests and replies', () => {
  test('a request is a valid envelope with a new trace', () => {
    const envelope = taskRequest();
    expectValid(envelope);
    expect(envelope).toMatchObject({
      v: 1,
      type: 'req',
      from: alice,
      to: bob,
      ts: '2026-01-01T00:00:00Z',
    });
    expect(envelope.trace?.hops).toBe(0);
    expect(envelope.re).toBeUndefined();
  });

  test('W6 a reply is from the agent itself, whoever the request was addressed to', () => {
    const request = builderFor(alice).request(
      { ...bob, agent_id: 'did:key:THE-BANK' },
      { ct: 'task.v1', payload: taskPayload },
    );
    const payload = { base: registry.descriptorFor('state.v1').id, patch: [] };
    for (const type of ['res', 'evt'] as const) {
      const reply = builderFor(bob).reply(request, { ct: 'state.v1', payload }, type);
      expectValid(reply);
      expect(reply).toMatchObject({ type, from: bob, to: alice, re: request.id });
    }
    expect(builderFor(bob).error(request, new SdlError('ADDRESS_WRONG', 'x')).from).toBe(bob);
  });

  test('an identity with an empty member is refused when the builder is made', () => {
    const identity: Identity = { ...alice, role: '' };
    expect(() =>
      createEnvelopeBuilder({ identity, schemaFor: (ct) => registry.descriptorFor(ct) }),
    ).toThrow(/"identity"/);
  });

  test('what the programmer got wrong is named', () => {
    const to = { agent_id: 'x' } as Identity;
    const content = { ct: 'task.v1', payload: taskPayload };
    expect(() => builderFor(alice).request(to, content)).toThrow(/"to" expected/);
    const options = { identity: alice } as Parameters<typeof createEnvelopeBuilder>[0];
    expect(() => createEnvelopeBuilder(options)).toThrow(/"schemaFor" expected/);
    expect(() => encodeMessage(taskRequest(), 'xml' as 'json')).toThrow(/"encoding" expected/);
  });

  test('a descriptor and a trace of the caller are used', () => {
    const schema = registry.descriptorFor('error.v1');
    const trace = startTrace(() => 'one');
    const envelope = builderFor(alice).request(
      bob,
      { ct: 'task.v1', payload: taskPayload },
      { schema, trace, type: 'evt' },
    );
    expect(envelope).toMatchObject({ schema, trace, type: 'evt' });
  });

  test('the platform gives clock and randomness when nothing else does', () => {
    const builder = createEnvelopeBuilder({
      identity: alice,
      schemaFor: (ct) => registry.descriptorFor(ct),
    });
    const [first, second] = [builder.newId(), builder.newId()];
    expect(first).not.toBe(second);
    expectValid(builder.request(bob, { ct: 'task.v1', payload: taskPayload }));
  });
});

describe('#trace-forward #trace-reply traces', () => {
  const cause = { root_id: 'r', span_id: 's', parent_span_id: 'p', hops: 7 };
  test('a forwarded message is one hop further, a reply is not', () => {
    expect(forwardTrace(cause, () => 'n')).toEqual({
      root_id: 'r',
      span_id: 'n',
      parent_span_id: 's',
      hops: 8,
    });
    expect(replyTrace(cause, () => 'n')).toEqual({
      root_id: 'r',
      span_id: 'n',
      parent_span_id: 's',
      hops: 7,
    });
  });
  test('W32 a sign before zero hops is no integer of ours', () => {
    const value = patched(put('/trace/hops', new LosslessNumber('-0')));
    expect(codeOf(() => checkShape(value, { contentTypes }))).toBe('ENVELOPE_INVALID');
  });
  test('a message that has gone far enough is not forwarded', () => {
    expect(codeOf(() => forwardTrace({ ...cause, hops: 8 }, () => 'n'))).toBe('LIMIT_HOPS');
    expect(codeOf(() => forwardTrace(cause, () => 'n', 7))).toBe('LIMIT_HOPS');
  });
});

describe('#limits-announce capabilities', () => {
  test('announce the limits in force', () => {
    expect(
      defaultCapabilities({ limits: resolveLimits({ maxDepth: 9 }), tools: ['t'] }),
    ).toMatchObject({
      tools: ['t'],
      limits: { max_bytes: 1_048_576, max_depth: 9, max_array_len: 10_000, max_hops: 8 },
    });
  });
});

describe('#error-always errors to what could not be read', () => {
  test('nothing readable gives a valid error to unknown, without a request id', () => {
    const envelope = builderFor(bob).error(
      salvageReplyTo(null)!,
      new SdlError('ENCODING_INVALID', 'x'),
    );
    expectValid(envelope);
    expect(envelope.to.agent_id).toBe('unknown');
    expect(envelope).not.toHaveProperty('re');
  });

  test('W33 whatever was sent, the error is a valid envelope and copies only what is well formed', () => {
    const junk = fc.oneof(
      jsonValue,
      fc.constantFrom<JsonValue>('', 'did:key:alice', 1, -1, 99, null),
    );
    const member = fc.record(
      {
        id: junk,
        trace: fc.oneof(
          junk,
          fc.record({ root_id: junk, span_id: junk, hops: junk }, { requiredKeys: [] }),
        ),
        from: fc.oneof(
          junk,
          fc.record(
            { agent_id: junk, name: junk, instance: junk, role: junk, secret: junk },
            { requiredKeys: [] },
          ),
          fc.constant({ ...alice, secret: 'x' }),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(member, (refused) => {
        const envelope = builderFor(bob).error(
          salvageReplyTo(refused)!,
          new SdlError('ENVELOPE_INVALID', 'x'),
        );
        expectValid(envelope);
        expect(Object.keys(envelope.to).sort()).toEqual(['agent_id', 'instance', 'name', 'role']);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a refused answer or event is not answered, or two agents would never stop', () => {
    for (const type of ['res', 'evt']) {
      expect(salvageReplyTo({ ...wireCopy(taskRequest()), type })).toBeUndefined();
    }
  });

  test('a trace that a wider limit allows is carried on', () => {
    const trace = { root_id: 'r', span_id: 's', hops: 12 };
    expect(salvageReplyTo({ trace })).toEqual({});
    expect(salvageReplyTo({ trace }, { maxHops: 20 })).toEqual({ trace });
  });

  test('W47 no more of the sender comes back than its identity', () => {
    const from = { ...alice, evil: 'x'.repeat(1_000) };
    const answer = builderFor(bob).error({ from }, new SdlError('DEADLINE', 'x'));
    expect(answer.to).toEqual(alice);
  });

  test('a request refused for its content is still answered to its sender', () => {
    const request = { ...wireCopy(taskRequest()), ct: 'foo.v9' } as JsonObject;
    expect(
      builderFor(bob).error(salvageReplyTo(request)!, new SdlError('CT_UNSUPPORTED', 'x')),
    ).toMatchObject({
      to: alice,
      re: request['id'],
      trace: { root_id: (request['trace'] as JsonObject)['root_id'] },
    });
  });
});

describe('#errors #errors-no-data what the peer is told', () => {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  test.each(codes)('%s is a valid error.v1 without the reason', (code) => {
    const payload = toErrorPayload(
      new SdlError(code, 'SECRET reason', { details: { limit: 3 }, cause: 'SECRET' }),
    );
    registry.checkOwn({ ct: 'error.v1', payload, descriptor: registry.descriptorFor('error.v1') });
    expect(JSON.stringify(payload)).not.toContain('SECRET');
    expect(payload).toMatchObject({ code: ERRORS[code].wire, retryable: ERRORS[code].retryable });
  });

  test('#errors-opaque W47 security errors are all alike', () => {
    const opaque = codes.filter((code) => ERRORS[code].wire === 'SECURITY_UNSUPPORTED');
    expect(opaque.length).toBeGreaterThan(4);
    const payloads = opaque.map((code) =>
      toErrorPayload(new SdlError(code, 'x', { details: { step: 2 } })),
    );
    expect(new Set(payloads.map((payload) => JSON.stringify(payload))).size).toBe(1);
    expect(payloads[0]).toMatchObject({ details: {} });
  });

  test('anything thrown becomes INTERNAL with the original as its cause', () => {
    const cause = new TypeError('boom');
    expect(toSdlError(cause)).toMatchObject({ code: 'INTERNAL', cause });
    const told = builderFor(bob).error({}, cause);
    expect(told.payload).toMatchObject({ code: 'INTERNAL', message: 'internal error' });
    const own = new SdlError('DEADLINE', 'x');
    expect(toSdlError(own)).toBe(own);
  });
});
