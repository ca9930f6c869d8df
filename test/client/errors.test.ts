// What a caller matches on: `code` is the fine code on every class of error, `wireCode` the coarse one.

import { describe, expect, test } from 'vitest';

import { ToolCallError } from '../../src/client/tool-call.ts';
import { RemoteError } from '../../src/client/remote-error.ts';
import type { JsonValue } from '../../src/codec/value.ts';
import { SdlError } from '../../src/errors.ts';
import { TransportError } from '../../src/transport.ts';
import { introduce, newAgent } from '../support/agents/agents.ts';

const UNPROVEN = { isProven: false, isSigned: false, knowsSeq: undefined };

function remote(details: JsonValue): RemoteError {
  const payload = { code: 'BAD_REQUEST', message: 'words', details, retryable: false };
  return new RemoteError(payload, UNPROVEN);
}

describe('#errors the code of an error', () => {
  test('is that of the error table, with the coarse one beside it', () => {
    const codes = { code: 'TASK_UNKNOWN', wireCode: 'BAD_REQUEST' };
    expect(new SdlError('TASK_UNKNOWN', 'words')).toMatchObject(codes);
    expect(remote({ reason: 'TASK_UNKNOWN' })).toMatchObject(codes);
    const error = { code: 'BAD_REQUEST', details: { reason: 'TASK_UNKNOWN' } };
    expect(new ToolCallError('task.get', { error })).toMatchObject(codes);
  });

  test.each([{}, { reason: 'not a code' }, { reason: 5 }, { reason: '' }, null])(
    'is that of the wire where the other end tells no finer one: %j',
    (details) => {
      expect(remote(details)).toMatchObject({ code: 'BAD_REQUEST', wireCode: 'BAD_REQUEST' });
    },
  );

  test('is the tool’s own where the tool has one', () => {
    const error = { code: 'OUT_OF_STOCK', details: {} };
    const own = { code: 'OUT_OF_STOCK', wireCode: 'OUT_OF_STOCK' };
    expect(new ToolCallError('stock.take', { error })).toMatchObject(own);
    expect(new ToolCallError('old', null)).toMatchObject({ code: 'TOOL_FAILED' });
  });

  test('is that of the fault of a transport, which would be INTERNAL to others', () => {
    const codes = { code: 'TRANSPORT_LOST', wireCode: 'INTERNAL' };
    expect(new TransportError('lost', 'words')).toMatchObject(codes);
  });
});

describe('#errors-transport an exchange that ends without an answer', () => {
  /** An agent whose way out never answers, and says no more than that the exchange was aborted. */
  async function mute(): Promise<(options: object) => Promise<unknown>> {
    const bob = await newAgent({});
    const hang = (signal: AbortSignal): Promise<never> =>
      new Promise((_resolve, reject) => {
        const fail = (): void => reject(new TransportError('aborted', 'the exchange was aborted'));
        if (signal.aborted) fail();
        else signal.addEventListener('abort', fail, { once: true });
      });
    const alice = await newAgent({
      transports: [
        {
          schemes: ['memory:'],
          dial: async () => ({
            isOpen: true,
            exchange: ({ signal }) => ({
              [Symbol.asyncIterator]: () => ({ next: () => hang(signal) }),
            }),
            notify: ({ signal }) => hang(signal),
            close: () => Promise.resolve(),
          }),
        },
      ],
    });
    introduce(alice, bob, 'memory:bob');
    const peer = alice.runtime.connect(bob.identity.agentId);
    const note = { ct: 'artifact.v1', payload: { items: [], refs: [] } };
    return (options) =>
      Promise.any([peer.call('sys.ping', {}, options), peer.notify(note, options)]).catch(
        ({ errors }: AggregateError) => (errors as TransportError[]).map(({ code }) => code),
      );
  }

  const twice = (code: string): string[] => [code, code];

  test('says TRANSPORT_TIMEOUT when its time is over', async () => {
    const ask = await mute();
    expect(await ask({ timeoutMs: 20 })).toEqual(twice('TRANSPORT_TIMEOUT'));
    const { signal } = new AbortController();
    expect(await ask({ timeoutMs: 20, signal })).toEqual(twice('TRANSPORT_TIMEOUT'));
    expect(await ask({ signal: AbortSignal.timeout(20) })).toEqual(twice('TRANSPORT_TIMEOUT'));
  });

  test('says TRANSPORT_ABORTED when who asked has ended it', async () => {
    const ask = await mute();
    expect(await ask({ signal: AbortSignal.abort() })).toEqual(twice('TRANSPORT_ABORTED'));
    const controller = new AbortController();
    const asked = ask({ signal: controller.signal });
    controller.abort(new Error('enough'));
    expect(await asked).toEqual(twice('TRANSPORT_ABORTED'));
  });
});
