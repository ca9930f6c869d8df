// Evidence: checked by what is in it alone, long after the keys have changed, and by nothing that was changed in it.

import { beforeAll, describe, expect, test } from 'vitest';

import { createIdentity, rotateIdentity } from '../../src/security/identity/identity.ts';
import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import type { AuditLog, Evidence, SignedHead, VerifiedEvidence } from '../../src/audit/index.ts';
import {
  createAuditLog,
  keysOfEvidence,
  readEvidence,
  verifyEvidence,
  writeEvidence,
} from '../../src/audit/index.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { SdlError } from '../../src/errors.ts';
import { signDocument } from '../../src/security/identity/document-signature.ts';
import { signKeyBundle } from '../../src/security/identity/key-bundle.ts';
import { signingKeyOf } from '../../src/security/identity/own-identity.ts';
import { thumbprint } from '../../src/security/identity/thumbprint.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { NOW, crypto, exchange } from '../support/trust/audit.ts';
import { allMutants } from '../support/wire/mutations.ts';

const DAY_MS = 86_400_000;

let node: LocalIdentity;
let log: AuditLog;
let documents: Record<'proof' | 'receipt' | 'head', JsonObject>;

beforeAll(async () => {
  node = await createIdentity({ crypto, nowMs: NOW - DAY_MS });
  const { kid, key } = signingKeyOf(node, NOW);
  log = await createAuditLog({
    store: createMemoryStore(),
    node: node.agentId,
    crypto,
    now: () => NOW,
    signer: () => ({ kid, secretKey: key.reveal() }),
  });
  const content = await exchange(log, 'm1');
  await exchange(log, 'm2');
  const { bundle } = node;
  documents = {
    proof: writeEvidence({ proof: (await log.prove('m2'))! }, kid, bundle),
    receipt: writeEvidence({ receipt: await log.receipt(content) }, kid, bundle),
    head: writeEvidence({ head: await log.head() }, kid, bundle),
  };
});

async function check(document: JsonValue): Promise<VerifiedEvidence> {
  const evidence = readEvidence(document);
  if (evidence === undefined) throw new SdlError('ENVELOPE_INVALID', 'nothing of the kind');
  return verifyEvidence(evidence, crypto);
}

async function refusalOf(document: JsonValue): Promise<[code: string, reason: string]> {
  try {
    await check(document);
    return ['held', ''];
  } catch (thrown) {
    if (thrown instanceof SdlError) return [thrown.code, thrown.reason];
    throw thrown;
  }
}

/** The same with another bundle. */
const withBundle = (kind: keyof typeof documents, bundle: JsonValue): JsonObject => ({
  ...documents[kind],
  bundle,
});

describe.each(['proof', 'receipt', 'head'] as const)('#evidence a %s', (kind) => {
  test('holds by itself', async () => {
    expect(await check(documents[kind])).toMatchObject({
      kind,
      kid: signingKeyOf(node, NOW).kid,
    });
    expect(readEvidence(documents[kind])).toMatchObject({ kind, node: node.agentId, timeMs: NOW });
  });

  test('is refused when anything in it was changed', async () => {
    const mutants = allMutants(documents[kind], 'x');
    expect(mutants.length).toBeGreaterThan(100);
    const held: JsonValue[] = [];
    for (const mutant of mutants) if ((await refusalOf(mutant))[0] === 'held') held.push(mutant);
    // A proof of fewer entries is one, too: it says what the log holds, not what it does not.
    expect(held.map((mutant) => entriesIn(mutant).length)).toEqual(kind === 'proof' ? [1, 1] : []);
  });

  test('without the bundle it needs a key from elsewhere', async () => {
    const { bundle: _, ...bare } = documents[kind];
    expect((await refusalOf(bare))[0]).toBe('SIGNATURE_INVALID');
    const evidence = readEvidence(bare)!;
    const keys = await keysOfEvidence(readEvidence(documents[kind])!, crypto);
    expect(await verifyEvidence(evidence, crypto, keys)).toMatchObject({ kind });
  });

  test('the bare document of earlier versions is read as well', async () => {
    const evidence = readEvidence(documents[kind][kind]!)!;
    expect(evidence).toMatchObject({ kind, node: node.agentId });
    const keys = await keysOfEvidence(readEvidence(documents[kind])!, crypto);
    expect(await verifyEvidence(evidence, crypto, keys)).toMatchObject({ kind });
  });

  test('the bundle has to be of the node, signed by its root, and not ended by then', async () => {
    const other = await createIdentity({ crypto, nowMs: NOW - DAY_MS });
    expect(await refusalOf(withBundle(kind, other.bundle.document))).toEqual([
      'SENDER_REFUSED',
      'the key bundle is of another agent',
    ]);
    const { document } = node.bundle;
    const forged = await signDocument('bundle', document, other.root.reveal(), crypto);
    expect(await refusalOf(withBundle(kind, forged))).toEqual([
      'SIGNATURE_INVALID',
      'the key bundle is not signed by its root key',
    ]);
    expect(await refusalOf(withBundle(kind, await bundleOf(-9, -1)))).toEqual([
      'SENDER_REFUSED',
      'the key bundle had ended by then',
    ]);
    expect(await refusalOf(withBundle(kind, await bundleOf(-9, 9, -1)))).toEqual([
      'SENDER_REFUSED',
      `the key under the ${kind} had ended by then`,
    ]);
    expect(await refusalOf(withBundle(kind, await bundleOf(-9, 9)))).toEqual(['held', '']);
    // It lists a key that was there before it.
    expect(await refusalOf(withBundle(kind, await bundleOf(1, 9)))).toEqual(['held', '']);
  });

  test('a bundle that does not hold is refused whatever keys are given', async () => {
    const keys = await keysOfEvidence(readEvidence(documents[kind])!, crypto);
    const evidence: Evidence = {
      ...readEvidence(documents[kind])!,
      bundle: { ...node.bundle.document, seq: 9 },
    };
    await expect(verifyEvidence(evidence, crypto, keys)).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
    });
  });
});

describe('#evidence what it says when it does not hold', () => {
  test.each([
    ['proof', (one: JsonObject) => change(one, 'head', { size: 9 }), 'signature of the head'],
    ['proof', (one: JsonObject) => withPath(one, []), '/entries/0 is not in the log of the head'],
    ['receipt', (one: JsonObject) => ({ ...one, verdict: 'INTERNAL' }), 'signature of the receipt'],
    ['head', (one: JsonObject) => ({ ...one, size: 9 }), 'signature of the head'],
    ['head', (one: JsonObject) => ({ ...one, kid: 'x' }), 'a key that is not known'],
  ] as const)('a %s', async (kind, changed, words) => {
    const document = { ...documents[kind], [kind]: changed(documents[kind][kind] as JsonObject) };
    const [code, reason] = await refusalOf(document);
    expect([code, reason]).toEqual(['SIGNATURE_INVALID', expect.stringContaining(words)]);
  });

  test('what is nothing of the kind is not read', () => {
    for (const value of [null, 1, 'x', [], {}, { bundle: {} }]) {
      expect(readEvidence(value)).toBeUndefined();
    }
    expect(() => readEvidence({ ...documents.head, more: 1 })).toThrow('no members but');
  });
});

describe('#evidence keys that have changed', () => {
  test('it holds by the keys of its time', async () => {
    const later = await rotateIdentity(node, { crypto, nowMs: NOW + DAY_MS, overlapMs: 0 });
    expect(later.bundle.keys.map(({ kid }) => kid)).not.toContain(signingKeyOf(node, NOW).kid);
    expect(await refusalOf(documents.receipt)).toEqual(['held', '']);
    const [code] = await refusalOf(withBundle('receipt', later.bundle.document));
    expect(code).not.toBe('held');
  });

  test('the root key is the id itself and needs no bundle', async () => {
    const kid = thumbprint('ed25519', node.root.publicKey);
    const unsigned = { ...(await log.head()), kid };
    const head = await signDocument('audit-head', unsigned, node.root.reveal(), crypto);
    const document = writeEvidence({ head: head as SignedHead }, kid, node.bundle);
    expect(Object.keys(document)).toEqual(['head']);
    expect(await refusalOf(document)).toEqual(['held', '']);
  });
});

/** A bundle with the node's signing key, from and until so many days from now; the key may end earlier. */
async function bundleOf(from: number, until: number, keyUntil = until): Promise<JsonValue> {
  const listed = node.bundle.keys.find(({ use }) => use === 'sig')!;
  const content = {
    seq: 7,
    notBeforeMs: NOW + from * DAY_MS,
    notAfterMs: NOW + until * DAY_MS,
    keys: [
      {
        use: 'sig' as const,
        publicKey: listed.publicKey,
        kid: listed.kid,
        notAfterMs: NOW + keyUntil * DAY_MS,
      },
    ],
  };
  return (await signKeyBundle(content, node.root.reveal(), crypto)).document;
}

function entriesIn(document: JsonValue): readonly JsonValue[] {
  return ((document as JsonObject)['proof'] as { entries: readonly JsonValue[] }).entries;
}

function change(document: JsonObject, name: string, members: JsonObject): JsonObject {
  return { ...document, [name]: { ...(document[name] as JsonObject), ...members } };
}

function withPath(proof: JsonObject, path: JsonValue): JsonObject {
  const [first, ...others] = proof['entries'] as readonly JsonObject[];
  return { ...proof, entries: [{ ...first, path }, ...others] };
}
