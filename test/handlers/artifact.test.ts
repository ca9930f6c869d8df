// artifact.v1, toolresult.v1 and error.v1 that come by themselves.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { encodeBase64url } from '../../src/codec/base64url.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { ArtifactAssembler } from '../../src/handlers/artifact/assembler.ts';
import type { ArtifactAssemblerOptions } from '../../src/handlers/artifact/assembler.ts';
import {
  artifactRef,
  bytesItem,
  chunkItems,
  digestOf,
  textItem,
} from '../../src/handlers/artifact/build.ts';
import type { ArtifactItem } from '../../src/handlers/artifact/read.ts';
import { readItems } from '../../src/handlers/artifact/read.ts';
import type { ReceivedArtifacts } from '../../src/handlers/artifact/handler.ts';
import { createArtifactHandler } from '../../src/handlers/artifact/handler.ts';
import { createErrorHandler } from '../../src/handlers/error.ts';
import { createToolResultHandler } from '../../src/handlers/tools/toolresult.ts';
import { INITIAL_STATE, applyState } from '../../src/state/document.ts';
import { codeOf, textOf, utf8 } from '../support/wire/bytes.ts';
import { EPOCH_MS, alice } from '../support/wire/envelopes.ts';
import {
  answersOf,
  payloadOf,
  refusalOf,
  requestContext,
} from '../support/agents/handler-context.ts';

const context = requestContext();
const EMPTY_DIGEST = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function receiver(options: ArtifactAssemblerOptions = {}): {
  received: ReceivedArtifacts[];
  send: (items: JsonValue[], refs?: JsonValue[]) => Promise<JsonValue>;
  refuse: (items: JsonValue[], refs?: JsonValue[]) => Promise<string>;
} {
  const received: ReceivedArtifacts[] = [];
  const { handle } = createArtifactHandler({
    onArtifacts: (artifacts) => void received.push(artifacts),
    assembler: new ArtifactAssembler(options),
  });
  return {
    received,
    send: async (items, refs = []) =>
      applyState(INITIAL_STATE, await payloadOf(handle({ items, refs }, context))).value,
    refuse: async (items, refs = []) => {
      const { code, details } = await refusalOf(() => handle({ items, refs }, context));
      return [code, details['path'] ?? details['limit']].join(' ').trim();
    },
  };
}

const contents = ({ items }: ReceivedArtifacts): string[] =>
  items.map(({ bytes }) => textOf(bytes!));

describe('#artifact-items artifact.v1 that comes by itself', () => {
  test('is verified, handed over and acknowledged', async () => {
    const { received, send } = receiver();
    const ref = artifactRef({ name: 'all', uri: 'https://a.example/x', digest: EMPTY_DIGEST });
    const items = [
      textItem('grüß', { name: 'greeting' }),
      bytesItem(utf8('raw'), { name: 'raw', mediaType: 'image/png' }),
    ];
    expect(await send(items, [ref])).toEqual({ status: 'received', items: 2, open: 0 });
    expect(contents(received[0]!)).toEqual(['grüß', 'raw']);
    expect(received[0]!.items).toMatchObject([
      { name: 'greeting', mediaType: 'text/plain', append: false },
      { name: 'raw', mediaType: 'image/png' },
    ]);
    expect(received[0]!.refs).toEqual([
      {
        name: 'all',
        mediaType: 'application/octet-stream',
        uri: 'https://a.example/x',
        digest: EMPTY_DIGEST,
        source: ref,
      },
    ]);
  });

  test('is text and JSON for who asks, where it is that', () => {
    const [text, json, bytes, own] = readItems([
      { text: 'schön' },
      { data: encodeBase64url(utf8('{"a":1}')) },
      { data: encodeBase64url(Uint8Array.of(0xff)) },
      { blob: true },
    ]) as [ArtifactItem, ArtifactItem, ArtifactItem, ArtifactItem];
    expect([text.text, json.text, bytes.text, own.text]).toEqual([
      'schön',
      '{"a":1}',
      undefined,
      undefined,
    ]);
    expect([json.json, own.json]).toEqual([{ a: 1 }, undefined]);
    expect(text.json).toBeUndefined();
  });

  test('may have items of a form that only its sender knows, as v1 peers send', async () => {
    const { received, send } = receiver();
    const own = { type: 'file', path: '/tmp/x' };
    await send([own, { name: 'n', text: 'part', append: true }]);
    expect(received[0]!.items).toEqual([
      { append: false, source: own },
      {
        name: 'n',
        bytes: utf8('part'),
        append: true,
        source: { name: 'n', text: 'part', append: true },
      },
    ]);
  });

  test('is not answered as an event', async () => {
    const { handle } = createArtifactHandler({ onArtifacts: () => undefined });
    const event = requestContext({ type: 'evt' });
    expect(await answersOf(handle({ items: [], refs: [] }, event))).toEqual([]);
  });

  test.each<[string, JsonObject]>([
    ['/items/0/digest', { text: 'a', digest: EMPTY_DIGEST }],
    ['/items/0/digest', { text: 'a', digest: 'md5:1' }],
    ['/items/0/digest', { digest: EMPTY_DIGEST }],
    ['/items/0/data', { data: 'AA==' }],
    ['/items/0/data', { data: 1 }],
    ['/items/0/text', { text: 1 }],
    ['/items/0', { text: 'a', data: 'AA' }],
    ['/items/0/name', { name: '', text: 'a' }],
    ['/items/0/media_type', { media_type: 7, text: 'a' }],
    ['/items/0/chunk', { name: 'n', data: 'AA', chunk: 1 }],
    ['/items/0/chunk/index', { name: 'n', data: 'AA', chunk: {} }],
    ['/items/0/chunk/index', { name: 'n', data: 'AA', chunk: { index: -1 } }],
    ['/items/0/chunk/digest', { name: 'n', data: 'AA', chunk: { index: 0, last: true } }],
    ['/items/0/chunk/digest', { name: 'n', data: 'AA', chunk: { index: 0, digest: EMPTY_DIGEST } }],
    ['/items/0', { data: 'AA', chunk: { index: 0 } }],
    ['/items/0', { name: 'n', chunk: { index: 0 } }],
  ])('is refused with the path %s for %j', async (path, item) => {
    const { received, refuse } = receiver();
    expect(await refuse([item])).toBe(`PAYLOAD_INVALID ${path}`);
    expect(received).toEqual([]);
  });

  test('is refused for a reference with a digest that is none', async () => {
    expect(await receiver().refuse([], [{ digest: 'x' }])).toBe('PAYLOAD_INVALID /refs/0/digest');
    expect(await receiver().refuse([], [{ uri: '' }])).toBe('PAYLOAD_INVALID /refs/0/uri');
  });
});

describe('#artifact-chunks an item in chunks', () => {
  const chunks = (text: string, name = 'n', chunkBytes = 2): JsonObject[] => [
    ...chunkItems(utf8(text), { name, chunkBytes, mediaType: 'text/plain' }),
  ];

  test('becomes whole once every chunk is there, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        fc.infiniteStream(fc.nat()),
        async (bytes, chunkBytes, order) => {
          const { received, send } = receiver();
          const shuffled = [...chunkItems(bytes, { name: 'n', chunkBytes })]
            .map((item) => ({ item, at: order.next().value as number }))
            .sort((a, b) => a.at - b.at);
          for (const { item } of shuffled) {
            expect(received).toEqual([]);
            await send([item]);
          }
          expect(received).toHaveLength(1);
          expect(received[0]!.items[0]!.bytes).toEqual(bytes);
          expect(received[0]!.items[0]!.chunk).toBeUndefined();
        },
      ),
    );
  });

  test('tells how many items are not whole yet', async () => {
    const { send, received } = receiver();
    const [first, second, last] = chunks('abcde');
    expect(await send([first!, second!])).toEqual({ status: 'received', items: 0, open: 1 });
    expect(await send([second!])).toEqual({ status: 'received', items: 0, open: 1 });
    expect(await send([last!])).toEqual({ status: 'received', items: 1, open: 0 });
    expect(received.map(contents)).toEqual([['abcde']]);
  });

  test('is dropped when its chunks contradict each other', async () => {
    const { send, refuse } = receiver();
    const [first] = chunks('abcde');
    const [other] = chunks('xyz');
    await send([first!]);
    expect(await refuse([other!])).toBe('PAYLOAD_INVALID /items');
    expect(await send(chunks('abcde'))).toEqual({ status: 'received', items: 1, open: 0 });
  });

  test('is refused when it is not what its digest says', async () => {
    const { received, refuse } = receiver();
    const [first, second] = chunks('abcd');
    const wrong = { ...(second!['chunk'] as JsonObject), digest: digestOf(utf8('abXX')) };
    expect(await refuse([first!, { ...second!, chunk: wrong }])).toBe('PAYLOAD_INVALID /items');
    expect(received).toEqual([]);
  });

  test('is refused with two ends, or with chunks behind its end', async () => {
    const [, , third, , last] = chunks('abcdefghi');
    const [, end] = chunks('abcd');
    expect(await receiver().refuse([last!, end!])).toBe('PAYLOAD_INVALID /items');
    expect(await receiver().refuse([end!, third!])).toBe('PAYLOAD_INVALID /items');
    expect(await receiver().refuse([third!, end!])).toBe('PAYLOAD_INVALID /items');
  });

  test('is bounded in bytes and in chunks', async () => {
    expect(await receiver({ maxItemBytes: 4 }).refuse(chunks('abcde'))).toBe('LIMIT_BYTES 4');
    expect(await receiver({ maxChunks: 2 }).refuse(chunks('abcde'))).toBe('LIMIT_ARRAY 2');
    const { send } = receiver({ maxItemBytes: 5, maxChunks: 3 });
    expect(await send(chunks('abcde'))).toMatchObject({ items: 1 });
  });

  test('waits for a bounded time', async () => {
    let now = EPOCH_MS;
    const { send } = receiver({ maxWaitMs: 1_000, now: () => now });
    const [first, last] = chunks('abc');
    await send([first!]);
    now += 999;
    expect(await send([])).toMatchObject({ open: 1 });
    now += 1;
    expect(await send([last!])).toMatchObject({ items: 0, open: 1 });
    expect(await send([first!])).toMatchObject({ items: 1, open: 0 });
  });
});

describe('#content-types an assembler', () => {
  const firstOf = (name: string): ArtifactItem => {
    const [item] = [...chunkItems(utf8('abc'), { name, chunkBytes: 2 })];
    return readItems([item!])[0]!;
  };

  test('counts open items per sender, so that one cannot use up the room of another', () => {
    const assembler = new ArtifactAssembler({ maxOpenPerSender: 2 });
    for (const name of ['a', 'b']) assembler.add('alice', firstOf(name));
    expect(codeOf(() => assembler.add('alice', firstOf('c')))).toBe('LIMIT_RATE');
    expect(assembler.openItems('alice')).toBe(2);
    expect(assembler.add('bob', firstOf('a'))).toBeUndefined();
    expect(assembler.openItems('bob')).toBe(1);
  });

  test('bounds what waits in all, and frees what became whole', () => {
    const assembler = new ArtifactAssembler({ maxWaitingBytes: 260 });
    const items = readItems([...chunkItems(utf8('abc'), { name: 'n', chunkBytes: 2 })]);
    assembler.add('alice', items[0]!);
    expect(assembler.waitingBytes).toBe(130);
    assembler.add('bob', firstOf('n'));
    expect(codeOf(() => assembler.add('carol', firstOf('n')))).toBe('LIMIT_RATE');
    expect(assembler.openItems('carol')).toBe(0);
    expect(codeOf(() => assembler.add('alice', items[1]!))).toBe('LIMIT_RATE');
    expect(assembler.openItems('alice')).toBe(1);
  });

  test('lets nobody complete the item of another sender', () => {
    const assembler = new ArtifactAssembler();
    const items = readItems([...chunkItems(utf8('abc'), { name: 'n', chunkBytes: 2 })]);
    expect(assembler.add('alice', items[0]!)).toBeUndefined();
    expect(assembler.add('bob', items[1]!)).toBeUndefined();
    expect(textOf(assembler.add('alice', items[1]!)!.bytes!)).toBe('abc');
    expect(assembler.waitingBytes).toBe(1 + 128);
  });

  test('names an option that is wrong', () => {
    expect(() => new ArtifactAssembler({ maxChunks: 0 })).toThrow('"maxChunks"');
    expect(() => textItem('a', { name: '' })).toThrow('"name"');
    expect(() => bytesItem('a' as never, { name: 'n' })).toThrow('"bytes"');
    expect(() => [...chunkItems(utf8('a'), { name: 'n', chunkBytes: 0 })]).toThrow('"chunkBytes"');
  });
});

describe('#push-ack what else comes by itself', () => {
  test('a toolresult.v1 reaches the one who waits for it', async () => {
    const seen: unknown[] = [];
    const { handle } = createToolResultHandler((result, { peer }) => {
      seen.push([result.call_id, peer.agentId]);
    });
    const payload = { call_id: 'c', ok: true, result: 1, logs: [], metrics: {} };
    const answered = applyState(INITIAL_STATE, await payloadOf(handle(payload, context)));
    expect(answered.value).toEqual({ status: 'received' });
    expect(seen).toEqual([['c', alice.agent_id]]);
  });

  test('an error.v1 is told, and never answered as an event', async () => {
    const seen: string[] = [];
    const { handle } = createErrorHandler(({ code }) => void seen.push(code));
    const payload = { code: 'INTERNAL', message: 'm', details: {}, retryable: false };
    expect(await answersOf(handle(payload, requestContext({ type: 'evt' })))).toEqual([]);
    expect(await answersOf(handle(payload, context))).toHaveLength(1);
    expect(seen).toEqual(['INTERNAL', 'INTERNAL']);
  });
});
