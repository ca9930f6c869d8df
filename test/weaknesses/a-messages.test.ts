// Group A of the weaknesses, messages: who a message is from, whom it is for, and what its seal is worth.
// Each test is the attack; without its fix it succeeds.

import { describe, expect, test } from 'vitest';

import { encodeBase64url } from '../../src/codec/base64url.ts';
import { writePythonJson } from '../../src/codec/canonical-python.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import type { Envelope } from '../../src/envelope/types.ts';
import { embed } from '../../src/schema/descriptor.ts';
import { bindTag } from '../../src/security/message/bind.ts';
import type { OwnIdentity } from '../../src/security/identity/own-identity.ts';
import { decryptionKeyOf } from '../../src/security/identity/own-identity.ts';
import { decryptPayload, encryptPayload } from '../../src/security/message/encrypt-payload.ts';
import { verifyEnvelope } from '../../src/security/message/sign.ts';
import { NOW, crypto, entryFor, newIdentity } from '../support/agents/agents.ts';
import { textOf } from '../support/wire/bytes.ts';
import { RECIPIENT, taskPayload } from '../support/wire/envelopes.ts';
import type { Receiver } from '../support/wire/forge.ts';
import {
  changed,
  drop,
  encryptionKeyOf,
  forge,
  identityOf,
  judge,
  newReceiver,
  newScene,
  openedBy,
  put,
  resigned,
} from '../support/wire/forge.ts';

const SECRET = 'SECRET-of-alice';
const secretTask = { ...taskPayload, goal: SECRET };
const integers = { schema: embed({ type: 'integer' }) };

/** The reply is signed by the receiver itself. */
async function isSignedBy({ identity }: Receiver, reply: JsonObject): Promise<boolean> {
  const { kid } = reply['sec'] as JsonObject;
  const { publicKey } = identity.keys.find((key) => key.kid === kid)!.key;
  return verifyEnvelope(reply, { publicKey, crypto }).then(
    () => true,
    () => false,
  );
}

describe('W1 a decryption oracle #x-bind #schema-errors #sec-reply-strength', () => {
  test.each([
    ['with the tag of its owner', []],
    ['without a tag', [drop('/sec/x')]],
    ['with a tag that is none', [put('/sec/x/bind', 1)]],
  ])(
    "W1 a ciphertext lifted into another signer's envelope is refused, %s",
    async (_name, edits) => {
      const { bob, alice, mallory } = await newScene();
      const captured = await forge(alice, bob, { mode: 'enc+sig', payload: secretTask });
      const own = await forge(mallory, bob, { mode: 'enc+sig', members: integers });
      const { enc, x } = captured.envelope.sec as unknown as Record<string, JsonObject>;
      const lifted = await resigned(
        mallory,
        own.envelope,
        put('/sec/enc', enc!),
        put('/sec/x', x!),
        ...edits,
      );
      const { outcome, code, reply } = await judge(bob, lifted);
      expect([outcome.stage, code]).toEqual(['bind', 'BINDING_INVALID']);
      expect(bob.runs).toEqual([]);
      expect(openedBy(mallory, reply)).toMatchObject({ code: 'SECURITY_UNSUPPORTED', details: {} });
      expect(JSON.stringify([reply, openedBy(mallory, reply)])).not.toContain(SECRET);
      // The owner's own message is good.
      expect((await judge(bob, captured)).code).toBeUndefined();
    },
  );

  test.each([
    ['id', put('/id', 'another')],
    ['time', put('/ts', '2026-11-16T00:28:30Z')],
    ['schema', put('/schema', { ...integers.schema })],
  ])('W1 a ciphertext under another %s of its own signer is refused', async (_name, operation) => {
    const { bob, alice } = await newScene();
    const { envelope } = await forge(alice, bob, { mode: 'enc+sig', payload: secretTask });
    expect((await judge(bob, await resigned(alice, envelope, operation))).code).toBe(
      'BINDING_INVALID',
    );
    expect(bob.runs).toEqual([]);
  });
});

describe('W2 replies #sec-reply-strength', () => {
  test.each([
    ['answer', secretTask],
    ['error', { ...secretTask, inputs: SECRET }],
  ])(
    'W2 no %s to an encrypted request goes out in clear or without a signature',
    async (_name, payload) => {
      const { bob, alice } = await newScene();
      const { reply, replies } = await judge(
        bob,
        await forge(alice, bob, { mode: 'enc+sig', payload }),
      );
      expect(reply).toMatchObject({ payload: null, sec: { mode: 'enc+sig' } });
      expect(textOf(replies[0]!.bytes)).not.toContain(SECRET);
      expect(await isSignedBy(bob, reply!)).toBe(true);
      expect(openedBy(alice, reply)).toBeTypeOf('object');
    },
  );

  test('W2 an error to a message that proves nothing is signed too', async () => {
    const { bob, alice } = await newScene();
    const { reply } = await judge(bob, await forge(alice, bob, { mode: 'none' }));
    expect(reply).toMatchObject({ ct: 'error.v1', sec: { mode: 'sig' } });
    expect(await isSignedBy(bob, reply!)).toBe(true);
  });

  test('W2 an encrypted request is refused before it is handled where no key for the reply is known', async () => {
    const { bob, alice } = await newScene();
    bob.book.add(entryFor(alice, { encryptionKeys: [] }));
    const { outcome, code } = await judge(
      bob,
      await forge(rootOf(alice), bob, { mode: 'enc+sig' }),
    );
    expect([outcome.stage, code]).toEqual(['policy', 'MODE_REFUSED']);
    expect(bob.runs).toEqual([]);
  });
});

describe('W3 a name proves nothing #sec-kid-bound', () => {
  const asAlice = async (): Promise<{
    bob: Receiver;
    alice: OwnIdentity;
    mallory: OwnIdentity;
    members: Partial<Envelope>;
  }> => {
    const { bob, alice, mallory } = await newScene();
    return { bob, alice, mallory, members: { from: identityOf(alice) } };
  };

  test('W3 a trusted key that speaks as another agent is refused', async () => {
    const { bob, mallory, members } = await asAlice();
    const message = await forge(rootOf(mallory), bob, { members });
    expect((await judge(bob, message)).code).toBe('SENDER_REFUSED');
    expect(bob.runs).toEqual([]);
  });

  test('W3 a trusted key that brings its own bundle to speak as another agent is refused', async () => {
    const { bob, mallory, members } = await asAlice();
    expect((await judge(bob, await forge(mallory, bob, { members }))).code).toBe('SENDER_REFUSED');
    expect(bob.runs).toEqual([]);
  });

  test('W3 the kid of another agent under a signature of its own does not hold', async () => {
    const { bob, alice, mallory, members } = await asAlice();
    const { envelope } = await forge(rootOf(mallory), bob, { members });
    const kid = (await forge(rootOf(alice), bob)).envelope.sec!.kid!;
    const signed = await resigned(rootOf(mallory), envelope, put('/sec/kid', kid));
    expect((await judge(bob, signed)).code).toBe('SIGNATURE_INVALID');
    expect(bob.runs).toEqual([]);
  });

  test('W3 a label for an id is nobody without an entry that allows it', async () => {
    const { bob, mallory } = await newScene({ policy: { open: true } });
    const label: OwnIdentity = { ...rootOf(mallory), agentId: 'did:key:alice' };
    expect((await judge(bob, await forge(label, bob))).code).toBe('SENDER_REFUSED');
    expect(bob.runs).toEqual([]);
  });
});

describe('W5 W6 whom a message is for #checks #own-identity', () => {
  test.each([
    ['carol', 'did:key:carol'],
    ['the bank', 'THE-BANK'],
  ])(
    'W5 a message for %s is not executed, also under a good signature',
    async (_name, agent_id) => {
      const { bob, alice } = await newScene();
      const to = { ...identityOf(bob.identity), agent_id };
      for (const mode of ['sig', 'enc+sig'] as const) {
        const { outcome, code } = await judge(
          bob,
          await forge(alice, bob, { mode, members: { to } }),
        );
        expect([outcome.stage, code]).toEqual(['address', 'ADDRESS_WRONG']);
      }
      expect(bob.runs).toEqual([]);
    },
  );

  test.each(['THE-BANK', undefined])(
    'W6 the receiver does not take its identity from the request (agent %s)',
    async (bank) => {
      const { bob, alice } = await newScene();
      const own = identityOf(bob.identity);
      const to = {
        agent_id: bank ?? own.agent_id,
        name: 'THE-BANK',
        instance: 'vault',
        role: 'bank',
      };
      const { reply } = await judge(bob, await forge(alice, bob, { members: { to } }));
      expect(reply).toMatchObject({ ct: bank === undefined ? 'state.v1' : 'error.v1', from: own });
    },
  );
});

describe('W8 W9 what is validated #schema-own #sec-payload-null #sec-undecryptable', () => {
  test.each([{}, true, { type: 'object' }])(
    'W8 the schema %j of the sender does not replace that of the receiver',
    async (schema) => {
      const { bob, alice } = await newScene();
      const { goal: _, ...payload } = taskPayload;
      const message = await forge(alice, bob, { payload, members: { schema: embed(schema) } });
      const { outcome, code } = await judge(bob, message);
      expect([outcome.stage, code]).toEqual(['schema', 'PAYLOAD_INVALID']);
      expect(bob.runs).toEqual([]);
    },
  );

  test('W9 an encryption block does not let a payload in clear pass unvalidated', async () => {
    // Even where unsigned messages are allowed, as they are in the attack.
    const { bob, alice } = await newScene();
    bob.book.add(entryFor(alice, { switches: new Set(['unsigned-requests']), minMode: 'none' }));
    const { envelope } = await forge(alice, bob, { mode: 'none', payload: { kind: 'nothing' } });
    const block = {
      alg: 'x25519-chacha20poly1305',
      nonce: 'AA',
      ciphertext: 'AA',
      recipients: [RECIPIENT],
    };
    for (const enc of [{ alg: block.alg }, { ...block, recipients: [] }, block]) {
      const { outcome, code } = await judge(
        bob,
        changed(envelope, put('/sec', { mode: 'enc', enc })),
      );
      expect([outcome.stage, code]).toEqual(['shape', 'ENVELOPE_INVALID']);
    }
    expect(bob.runs).toEqual([]);
  });

  test('W9 what cannot be decrypted is an error and not an accepted task', async () => {
    const { bob, alice } = await newScene();
    const { envelope } = await forge(alice, bob, { mode: 'enc+sig' });
    const garbage = encodeBase64url(crypto.randomBytes(64));
    const { code, reply } = await judge(
      bob,
      await resigned(alice, envelope, put('/sec/enc/ciphertext', garbage)),
    );
    expect(code).toBe('DECRYPT_FAILED');
    expect(reply!['ct']).toBe('error.v1');
    expect(bob.runs).toEqual([]);
  });
});

describe('W16 one content key #x-bind', () => {
  test('W16 a ciphertext under another content key than the committed one is refused', async () => {
    const { bob, alice } = await newScene();
    const { envelope } = await forge(alice, bob, { mode: 'enc+sig' });
    // What another recipient is committed to, and what this one would read.
    const { contentKey } = decryptPayload(envelope.sec!.enc!, ownKeyOf(bob), crypto);
    const other = encryptPayload(writePythonJson(secretTask), [encryptionKeyOf(bob)], crypto);
    const shown = changed(
      envelope,
      put('/sec/enc', other.enc as unknown as JsonObject),
    ) as unknown as Envelope;
    const message = await resigned(
      alice,
      shown,
      put('/sec/x/bind', bindTag(shown, contentKey, crypto)),
    );
    expect((await judge(bob, message)).code).toBe('BINDING_INVALID');
    expect(bob.runs).toEqual([]);
    const honest = await resigned(
      alice,
      shown,
      put('/sec/x/bind', bindTag(shown, other.contentKey, crypto)),
    );
    expect((await judge(bob, honest)).code).not.toBe('BINDING_INVALID');
  });

  test('W16 an encrypted message without a signature is refused: every recipient could have made it', async () => {
    const { bob, alice } = await newScene();
    expect((await judge(bob, await forge(alice, bob, { mode: 'enc' }))).code).toBe('MODE_REFUSED');
    expect(bob.runs).toEqual([]);
  });
});

describe('W17 kids #sec-kid-bound #kid', () => {
  test('W17 a kid that two agents use is the key of each, and of no other', async () => {
    const bob = await newReceiver();
    const [alice, mallory] = [named(await newIdentity()), named(await newIdentity())];
    for (const { agentId, keys } of [alice, mallory]) {
      const { kid, key } = keys[0]!;
      bob.book.add({
        ...entryFor(await newIdentity()),
        agentId,
        signingKeys: [{ kid, key: key.publicKey }],
      });
    }
    expect((await judge(bob, await forge(alice, bob))).code).toBeUndefined();
    expect((await judge(bob, await forge(mallory, bob))).code).toBeUndefined();
    const stolen = await forge({ ...mallory, agentId: alice.agentId }, bob);
    expect((await judge(bob, stolen)).code).toBe('SIGNATURE_INVALID');
    expect(bob.runs).toHaveLength(2);
  });

  /** The agent with its root key under a kid that others may use too, and no bundle. */
  function named({ agentId, root }: OwnIdentity): OwnIdentity {
    return {
      agentId,
      keys: [{ kid: 'sig-1', use: 'sig', notAfterMs: NOW + 1_000_000, key: root! }],
    };
  }
});

/** The agent as its root key alone, which needs no bundle. */
function rootOf({ agentId, root }: OwnIdentity): OwnIdentity {
  return { agentId, root: root!, keys: [] };
}

function ownKeyOf({ identity }: Receiver): (kid: string) => Uint8Array | undefined {
  return (kid) => decryptionKeyOf(identity, kid)?.key.reveal();
}
