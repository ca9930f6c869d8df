// Group A of the weaknesses, the asking side: what an agent takes for the answer to its request.
// Somebody sits on the way to the peer. Each test is the attack; without its fix it succeeds.

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { RemoteError } from '../../src/client/remote-error.ts';
import { decodeMessage } from '../../src/envelope/decode.ts';
import { toErrorPayload } from '../../src/envelope/error-payload.ts';
import type { SecurityMode } from '../../src/envelope/types.ts';
import { SdlError } from '../../src/errors.ts';
import type { OwnIdentity } from '../../src/security/identity/own-identity.ts';
import type { Peer } from '../../src/security/peers/peer.ts';
import type { Incoming, Outbound } from '../../src/transport.ts';
import { NOW, entryFor, newIdentity } from '../support/agents/agents.ts';
import type { ForgedReply, Pair } from '../support/wire/forge.ts';
import { answersOf, asking, forgeReply, inputHashOf } from '../support/wire/forge.ts';

const result: Pick<ForgedReply, 'ct' | 'payload'> = {
  ct: 'toolresult.v1',
  payload: { call_id: 'c', ok: true, result: { pong: true }, logs: [], metrics: {} },
};

/** An answer as Bob's own key would make it. */
async function forged(
  outbound: Outbound,
  { alice, bob }: Pair,
  parts: Partial<ForgedReply>,
): Promise<Incoming[]> {
  return [await forgeReply(bob.identity, alice, outbound, { ...result, ...parts })];
}

const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof SdlError ? thrown.code : undefined;

const modesOf = (sent: readonly Incoming[]): unknown[] =>
  sent.map(({ bytes, encoding }) => {
    const { sec } = decodeMessage(bytes, encoding) as Record<string, JsonObject>;
    return sec?.['mode'];
  });

/** It passed every check; only the id of the call, which was encrypted, the forger could not know. */
const TAKEN = { code: 'ENVELOPE_INVALID', reason: 'the answer is not the result of this call' };

describe('W2 weak answers #sec-reply-strength', () => {
  test('a forgery with nothing wrong in it is taken, so that the next tests can fail', async () => {
    const { ask } = await asking((outbound, pair) =>
      forged(outbound, pair, { answersInput: inputHashOf(outbound) }),
    );
    expect(await ask()).toMatchObject(TAKEN);
  });

  test.each<SecurityMode>(['none', 'sig', 'enc'])(
    'W2 an answer in mode %s to an encrypted request is refused',
    async (mode) => {
      const { ask } = await asking((outbound, pair) =>
        forged(outbound, pair, { mode, answersInput: inputHashOf(outbound) }),
      );
      expect(codeOf(await ask())).toBe('MODE_REFUSED');
    },
  );

  test('W2 an answer without a signature to a signed request is refused', async () => {
    const { ask } = await asking((outbound, pair) => forged(outbound, pair, { mode: 'none' }));
    expect(codeOf(await ask('sig'))).toBe('MODE_REFUSED');
  });

  test('W2 an answer of another agent than was asked is refused', async () => {
    const mallory = await newIdentity();
    const { ask, alice } = await asking(async (outbound, pair) => {
      const answer = { ...result, answersInput: inputHashOf(outbound) };
      return [await forgeReply(mallory, pair.alice, outbound, answer)];
    });
    alice.book.add(entryFor(mallory));
    expect(codeOf(await ask())).toBe('ADDRESS_WRONG');
  });

  test('W2 an answer to somebody else is refused', async () => {
    const to = { agent_id: 'did:key:carol', name: 'n', instance: 'i', role: 'r' };
    const { ask } = await asking((outbound, pair) =>
      forged(outbound, pair, { members: { to }, answersInput: inputHashOf(outbound) }),
    );
    expect(codeOf(await ask())).toBe('ADDRESS_WRONG');
  });
});

describe('W4 answers to other requests #re #x-req', () => {
  test('W4 an answer that was given to an earlier request is refused', async () => {
    const replies: Incoming[] = [];
    const { ask } = await asking(async (outbound, { bob }) => {
      replies.push(...(await answersOf(bob, outbound)));
      return replies.slice(0, 1);
    });
    expect(await ask()).toMatchObject({ pong: true });
    expect(codeOf(await ask())).toBe('ADDRESS_WRONG');
    expect(replies).toHaveLength(2);
  });

  test('W4 an answer under the id of this request that was made for another is refused', async () => {
    const inputs: Uint8Array[] = [];
    const { ask } = await asking((outbound, pair) => {
      inputs.push(inputHashOf(outbound));
      return forged(outbound, pair, { answersInput: inputs[0]! });
    });
    expect(await ask()).toMatchObject(TAKEN);
    expect(codeOf(await ask())).toBe('BINDING_INVALID');
  });

  test('W4 an answer without the hash of the request is refused', async () => {
    const { ask } = await asking((outbound, pair) => forged(outbound, pair, {}));
    expect(codeOf(await ask())).toBe('BINDING_INVALID');
  });

  test('W4 an answer that does not say to what request is refused', async () => {
    const { ask } = await asking((outbound, pair) =>
      forged(outbound, pair, { re: null, answersInput: inputHashOf(outbound) }),
    );
    expect(codeOf(await ask())).toBe('ADDRESS_WRONG');
  });

  test('W4 an event of another exchange is refused', async () => {
    const { ask } = await asking((outbound, pair) =>
      forged(outbound, pair, { type: 'evt', re: 'other', answersInput: inputHashOf(outbound) }),
    );
    expect(codeOf(await ask())).toBe('ADDRESS_WRONG');
  });

  test('W4 a request is not taken for an answer', async () => {
    const { ask } = await asking(async (outbound, { alice, bob }) => [
      await forgeReply(bob.identity, alice, outbound, {
        ...result,
        members: { type: 'req' },
        re: null,
        answersInput: inputHashOf(outbound),
      }),
    ]);
    expect(codeOf(await ask())).toBe('ADDRESS_WRONG');
  });
});

describe('W19 hints that nobody signed #sec-reply-strength #cap-x', () => {
  const hint = {
    ct: 'error.v1',
    payload: toErrorPayload(
      new SdlError('CT_UNSUPPORTED', '', { details: { supported_ct: ['weak.v1'] } }),
    ),
  };
  const UNSIGNED: Peer['switches'] = new Set(['unsigned-replies', 'plain-replies']);
  const refused = { ct: 'error.v1', payload: toErrorPayload(new SdlError('SENDER_REFUSED', '')) };

  test('W19 an unsigned UNSUPPORTED_CT is not acted upon: nothing else is sent, and nothing weaker later', async () => {
    const { ask, wire } = await asking((outbound, pair) =>
      forged(outbound, pair, { ...hint, mode: 'none' }),
    );
    expect(codeOf(await ask())).toBe('MODE_REFUSED');
    expect(modesOf(wire.sent)).toEqual(['enc+sig']);
    expect(codeOf(await ask())).toBe('MODE_REFUSED');
    expect(modesOf(wire.sent)).toEqual(['enc+sig', 'enc+sig']);
  });

  test('W19 an unsigned hint does not bring a request down to an older content type', async () => {
    const payload = toErrorPayload(
      new SdlError('CT_UNSUPPORTED', '', { details: { supported_ct: ['note.v1'] } }),
    );
    const { alice, bob, wire } = await asking(
      (outbound, pair) => forged(outbound, pair, { ct: 'error.v1', payload, mode: 'none' }),
      { entry: { switches: UNSIGNED } },
    );
    for (const ct of ['note.v1', 'note.v2']) {
      alice.runtime.handle({ ct, schema: {}, handle: () => undefined });
    }
    const note = { ct: 'note.v2', payload: {} };
    const asked = alice.runtime.connect(bob.identity.agentId).request(note).result();
    await expect(asked).rejects.toMatchObject({ wireCode: 'UNSUPPORTED_CT', isProven: false });
    expect(modesOf(wire.sent)).toEqual(['enc+sig']);
  });

  test('W19 an unsigned refusal does not make a request anew, even where unsigned answers are allowed', async () => {
    const { root } = await newIdentity();
    const key = { kid: 'k', use: 'sig' as const, notAfterMs: NOW + 1_000_000, key: root };
    // Without a bundle there is nothing that it still has to bring: it looks as if the peer had forgotten it.
    const identity: OwnIdentity = { agentId: 'did:key:alice', keys: [key] };
    const { ask, wire } = await asking(
      (outbound, pair) => forged(outbound, pair, { ...refused, mode: 'none' }),
      { identity, entry: { switches: UNSIGNED } },
    );
    const failure = await ask();
    expect(failure).toBeInstanceOf(RemoteError);
    expect(failure).toMatchObject({ code: 'SECURITY_UNSUPPORTED', isProven: false });
    expect(modesOf(wire.sent)).toEqual(['enc+sig']);
  });

  test('W19 a request that is made anew after a signed refusal is sealed like the first', async () => {
    let isForgotten = false;
    const { ask, wire } = await asking((outbound, pair) =>
      isForgotten
        ? forged(outbound, pair, { ...refused, answersInput: inputHashOf(outbound) })
        : answersOf(pair.bob, outbound),
    );
    await ask();
    isForgotten = true;
    expect(await ask()).toMatchObject({ code: 'SECURITY_UNSUPPORTED', isProven: true });
    expect(modesOf(wire.sent)).toEqual(['enc+sig', 'enc+sig', 'enc+sig']);
  });
});
