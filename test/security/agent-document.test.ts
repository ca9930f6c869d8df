// The agent document: closed, signed by the root key, in time, with a bundle that holds.

import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';

import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { SdlError } from '../../src/errors.ts';
import type {
  AgentDocument,
  AgentDocumentContent,
  VerifyAgentDocumentOptions,
} from '../../src/security/identity/agent-document.ts';
import {
  signAgentDocument,
  verifyAgentDocument,
} from '../../src/security/identity/agent-document.ts';
import { didKeyFromPublicKey } from '../../src/security/identity/did-key.ts';
import { signDocument } from '../../src/security/identity/document-signature.ts';
import { signKeyBundle } from '../../src/security/identity/key-bundle.ts';
import { parse, textOf } from '../support/wire/bytes.ts';
import { mutantsOf } from '../support/wire/mutations.ts';

const crypto = chooseProvider();
const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 10);

const seed = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const ROOT = seed(1);
const OTHER_ROOT = seed(9);
const AGENT = didKeyFromPublicKey(crypto.ed25519PublicKey(ROOT));

let content: AgentDocumentContent;
let signed: AgentDocument;
let document: JsonObject;
beforeAll(async () => {
  const keys = [
    { use: 'sig' as const, publicKey: crypto.ed25519PublicKey(seed(2)), notAfterMs: NOW + DAY_MS },
    { use: 'enc' as const, publicKey: crypto.x25519PublicKey(seed(3)), notAfterMs: NOW + DAY_MS },
  ];
  const bundle = await signKeyBundle(
    { seq: 4, notBeforeMs: NOW - DAY_MS, notAfterMs: NOW + 5 * DAY_MS, keys },
    ROOT,
    crypto,
  );
  content = {
    name: 'Wetterfrosch',
    bundle,
    endpoints: ['https://frog.example/a2a', 'wss://frog.example/a2a'],
    contentTypes: ['task.v1', 'toolcall.v1'],
    tools: ['weather.now'],
    limits: { maxBytes: 1_048_576, maxDepth: 64, maxArrayLength: 10_000, maxHops: 8 },
    x: ['re', 'bind'],
    expMs: NOW + DAY_MS,
  };
  signed = await signAgentDocument(content, ROOT, crypto);
  // As a peer reads it from the wire.
  document = parse(textOf(writeJson(signed.document))) as JsonObject;
});

function verify(
  value: JsonValue,
  options: Partial<VerifyAgentDocumentOptions> = {},
): Promise<AgentDocument> {
  return verifyAgentDocument(value, { crypto, nowMs: NOW, ...options });
}

async function refusal(
  value: JsonValue,
  options: Partial<VerifyAgentDocumentOptions> = {},
): Promise<SdlError> {
  try {
    await verify(value, options);
  } catch (thrown) {
    if (thrown instanceof SdlError) return thrown;
    throw thrown;
  }
  throw new Error('the document was accepted');
}

/** Signed again, so that only the shape can be what is wrong. */
function resigned(changes: JsonObject, secret = ROOT): Promise<JsonObject> {
  return signDocument('agent', { ...document, ...changes }, secret, crypto);
}

describe('#agent-document an agent document', () => {
  test('has the members of the wire', () => {
    expect(Object.keys(document)).toEqual([
      'agent_id',
      'name',
      'bundle',
      'endpoints',
      'content_types',
      'tools',
      'limits',
      'x',
      'exp',
      'sig',
    ]);
    expect(document['agent_id']).toBe(AGENT);
    expect(document['exp']).toBe('2026-01-11T00:00:00Z');
    expect(document['limits']).toEqual({
      max_bytes: 1_048_576,
      max_depth: 64,
      max_array_len: 10_000,
      max_hops: 8,
    });
  });

  test('says after verification what was signed', async () => {
    const { agentId, bundle, document: _, ...rest } = await verify(document);
    expect(agentId).toBe(AGENT);
    expect(bundle.seq).toBe(4);
    const { bundle: _bundle, ...expected } = content;
    expect(rest).toEqual(expected);
  });

  test('no single change to it goes unnoticed', async () => {
    await fc.assert(
      fc.asyncProperty(mutantsOf(document), async (mutant) => {
        await expect(verify(mutant)).rejects.toThrow(SdlError);
      }),
      { numRuns: 300 },
    );
  });

  test('signed by another root key it is refused', async () => {
    const forged = await resigned({}, OTHER_ROOT);
    expect((await refusal(forged)).code).toBe('SIGNATURE_INVALID');
  });

  test('a signature for another purpose does not count', async () => {
    const asGrant = await signDocument('grant', document, ROOT, crypto);
    expect((await refusal(asGrant)).code).toBe('SIGNATURE_INVALID');
  });

  test('holds until its end and the skew behind it', async () => {
    await verify(document, { nowMs: NOW + DAY_MS + 120_000 });
    const late = await refusal(document, { nowMs: NOW + DAY_MS + 120_001 });
    expect(late.code).toBe('TIME_INVALID');
    expect((await refusal(document, { nowMs: NOW + DAY_MS + 1, skewMs: 0 })).code).toBe(
      'TIME_INVALID',
    );
    expect((await refusal(document, { nowMs: Number.NaN })).code).toBe('TIME_INVALID');
  });

  test('of another agent than the one asked for it is refused', async () => {
    await verify(document, { agentId: AGENT });
    expect((await refusal(document, { agentId: 'did:key:other' })).code).toBe('SENDER_REFUSED');
  });

  test('with a bundle older than one seen before it is refused', async () => {
    await verify(document, { lastSeq: 4 });
    expect((await refusal(document, { lastSeq: 5 })).code).toBe('SENDER_REFUSED');
  });

  test('with a bundle that has ended it is refused, although its own end is later', async () => {
    const longer = await resigned({ exp: '2027-01-01T00:00:00Z' });
    expect((await refusal(longer, { nowMs: NOW + 6 * DAY_MS })).code).toBe('SENDER_REFUSED');
  });

  test('with a bundle whose own signature does not hold it is refused', async () => {
    const bundle = { ...(document['bundle'] as JsonObject), seq: 5 };
    expect((await refusal(await resigned({ bundle }))).code).toBe('SIGNATURE_INVALID');
  });

  test.each<[string, JsonObject, string]>([
    ['a member that is not of the list', { note: 'x' }, ''],
    ['an agent that is not the one of the bundle', { agent_id: 'did:key:x' }, '/bundle/agent_id'],
    ['no name', { name: '' }, '/name'],
    ['an endpoint of another scheme', { endpoints: ['ftp://a/'] }, '/endpoints/0'],
    ['an endpoint with a password', { endpoints: ['https://a:b@c/'] }, '/endpoints/0'],
    ['an endpoint that is no text', { endpoints: [7] }, '/endpoints/0'],
    ['the same endpoint twice', { endpoints: ['https://a/', 'https://a/'] }, '/endpoints'],
    ['too many endpoints', { endpoints: names(33, 'https://a/') }, '/endpoints'],
    ['content types that are no list', { content_types: 'task.v1' }, '/content_types'],
    ['a content type that is too long', { content_types: ['x'.repeat(129)] }, '/content_types/0'],
    ['too many tools', { tools: names(1_025, 't') }, '/tools'],
    ['limits with a further member', { limits: { max_bytes: 1, more: 1 } }, '/limits'],
    ['limits without one of theirs', { limits: { max_bytes: 1 } }, '/limits/max_depth'],
    ['additions that are no list', { x: {} }, '/x'],
    ['an end that is no timestamp', { exp: '2026-01-11' }, '/exp'],
  ])('%s is refused with its path', async (_, changes, path) => {
    const { code, details } = await refusal(await resigned(changes));
    expect([code, details['path']]).toEqual(['ENVELOPE_INVALID', path]);
  });

  test('is not made of what its reader would refuse', async () => {
    const bad = { ...content, endpoints: ['gopher://x'] };
    await expect(signAgentDocument(bad, ROOT, crypto)).rejects.toMatchObject({
      code: 'ENVELOPE_INVALID',
    });
  });

  test('is not made with the root key of another agent', async () => {
    await expect(signAgentDocument(content, OTHER_ROOT, crypto)).rejects.toThrow('"bundle"');
  });
});

function names(count: number, head: string): string[] {
  return Array.from({ length: count }, (_, at) => `${head}${at}`);
}
