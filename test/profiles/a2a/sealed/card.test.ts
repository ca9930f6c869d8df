// What a card says of sealing, whom it is believed for, and that the library loads no server.

import { beforeAll, describe, expect, test } from 'vitest';

import {
  SEALED_EXTENSION,
  openTask,
  sealMessage,
  sealedCardExtension,
  sealedPeerOf,
} from '../../../../profiles/a2a/sealed/index.ts';
import { requireFull } from '../../../../profiles/a2a/card/empty.ts';
import type { CardVerdict } from '../../../../profiles/a2a/card/verify.ts';
import type { JsonObject } from '../../../../src/codec/value.ts';
import { createIdentity, rotateIdentity } from '../../../../src/security/identity/identity.ts';
import type { Ends } from '../../../support/a2a/sealed.ts';
import { ASKED, newEnds } from '../../../support/a2a/sealed.ts';
import { importsOf, loadedBy, packageOf } from '../../../support/repository/module-graph.ts';

let ends: Ends;
beforeAll(async () => {
  ends = await newEnds();
});

function verified(extension: unknown): CardVerdict {
  const card = {
    name: 'agent',
    capabilities: { extensions: [extension] },
  } as unknown as JsonObject;
  return { kind: 'verified', card, kid: 'k', alg: 'EdDSA', form: 'spec' };
}

describe('#sealed-card a card', () => {
  test('says by which keys its agent is sealed to, and nothing in it is empty', () => {
    const extension = sealedCardExtension({
      bundle: ends.agent.bundle,
      minimum: 'enc+sig',
      required: true,
    });
    expect(extension).toMatchObject({
      uri: SEALED_EXTENSION,
      required: true,
      params: {
        v: 1,
        agentId: ends.agent.agentId,
        accept: ['enc+sig'],
        minimum: 'enc+sig',
        bundle: { agent_id: ends.agent.agentId },
        replayWindowSec: 3600,
        maxBytes: 1_048_576,
      },
    });
    expect(() => requireFull(extension.params, 'params')).not.toThrow();
  });

  test('that was verified names a peer to seal to', async () => {
    const peer = await sealedPeerOf(verified(sealedCardExtension({ bundle: ends.agent.bundle })));
    expect(peer).toMatchObject({
      accept: ['sig', 'enc+sig'],
      isRequired: false,
      maxBytes: 1_048_576,
    });
    const sealed = await sealMessage(ASKED, { identity: ends.user, to: peer! });
    expect(await openTask(sealed, { identity: ends.agent, peers: [ends.user] })).toMatchObject({
      protection: 'sealed',
    });
  });

  test('without the extension names nobody', async () => {
    expect(await sealedPeerOf(verified({ uri: 'https://example.com/other' }))).toBeUndefined();
    expect(await sealedPeerOf(verified({ uri: SEALED_EXTENSION }))).toBeUndefined();
  });

  test('that nobody has verified proves nothing, nor does a bundle of somebody else', async () => {
    for (const kind of ['unsigned', 'refused'] as const) {
      await expect(sealedPeerOf({ kind })).rejects.toMatchObject({ code: 'NOT_PROTECTED' });
    }
    const other = await createIdentity();
    const extension = sealedCardExtension({ bundle: ends.agent.bundle });
    const swapped = {
      ...extension,
      params: { ...extension.params, bundle: other.bundle.document },
    };
    await expect(sealedPeerOf(verified(swapped))).rejects.toThrow();
  });

  test('with an older bundle than the one that is known brings back no old key', async () => {
    const renewed = await rotateIdentity(ends.agent);
    const sealed = await sealMessage(ASKED, {
      identity: ends.user,
      peers: [renewed],
      to: ends.agent.bundle,
    });
    const [part] = (sealed as unknown as { parts: [{ data: { a2aSdl: JsonObject } }] }).parts;
    const kids = JSON.stringify(part.data.a2aSdl['sec']);
    expect(kids).toContain(renewed.keys.find(({ use }) => use === 'enc')!.kid);
  });
});

describe('the library', () => {
  const files = loadedBy('profiles/a2a/sealed/index.ts');
  const specifiers = [...files]
    .filter((file) => file.endsWith('.ts'))
    .flatMap(importsOf)
    .filter((name) => !files.has(name) && !/^(src|profiles|schemas|transports)\//.test(name));

  test('loads no server, no transport, no engine and no wire of gRPC', () => {
    const rooms =
      /^(transports|stores|keys|cli)\/|^src\/(runtime|tasks|delegation|outbox|handlers|client)\//;
    expect([...files].filter((file) => rooms.test(file))).toEqual([]);
    expect(
      [...files].filter((file) => /^profiles\/(?!a2a\/(sealed|wires\/data))/.test(file)),
    ).toEqual([]);
    expect(files.has('src/pipeline/stages.ts')).toBe(true);
  });

  test('loads these packages and no others, nothing of Node', () => {
    expect([...new Set([...specifiers].map((name) => packageOf(name)))].sort()).toEqual([
      '@noble/ciphers',
      '@noble/curves',
      '@noble/ed25519',
      '@noble/hashes',
      'ajv',
      'lru-cache',
      're2js',
    ]);
  });
});
