// Proves the texts of a stream: server-sent events, lines and what stands in them.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TransportError } from '../../../src/transport.ts';
import { ByteCollector } from '../../../transports/http/byte-collector.ts';
import { readLines } from '../../../transports/http/lines.ts';
import { createSseParser, writeSseEvent, writeSseText } from '../../../transports/http/sse.ts';
import { fromStreamText, toLine, toStreamText } from '../../../transports/http/stream-text.ts';
import { textOf, utf8 } from '../../support/agents/http-agent.ts';

type Event = [id: string | undefined, data: string];

function parse(pieces: readonly Uint8Array[], maxBytes = 1_000): Event[] {
  const parser = createSseParser(maxBytes);
  return pieces
    .flatMap((piece) => parser.push(piece))
    .map(({ id, data }): Event => [id, textOf(data)]);
}

describe('#transport-http server-sent events', () => {
  const STREAM =
    '\uFEFF: hello\n\nid: 1\ndata: {"ä":1}\n\nevent: x\ndata:two\ndata\ndata:  lines\n\nretry: 5\n\nid\ndata: {}\n\ndata: cut off';
  const EVENTS: Event[] = [
    ['1', '{"ä":1}'],
    ['1', 'two\n\n lines'],
    ['', '{}'],
  ];

  test.each([
    ['line feeds', '\n'],
    ['carriage returns', '\r'],
    ['both', '\r\n'],
  ])('are read with %s, cut at every byte', (_name, lineEnd) => {
    const bytes = utf8(STREAM.replaceAll('\n', lineEnd));
    expect(parse([bytes])).toEqual(EVENTS);
    expect(parse([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(EVENTS);
    for (let at = 0; at <= bytes.length; at++) {
      expect(parse([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(EVENTS);
    }
  });

  test('come back as they were written', () => {
    expect(textOf(writeSseEvent(utf8('{"n":1}'), 7))).toBe('id: 7\ndata: {"n":1}\n\n');
    const event = fc.record({
      data: fc.string({ unit: fc.constantFrom('a', ' ', ':', '\n', '\r', 'é', '{') }),
      id: fc.option(fc.nat(), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(event), fc.nat(20), (events, size) => {
        const whole = events.map(({ data, id }) => textOf(writeSseEvent(utf8(data), id))).join('');
        const bytes = utf8(whole);
        const pieces = Array.from({ length: Math.ceil(bytes.length / (size + 1)) }, (_, index) =>
          bytes.subarray(index * (size + 1), (index + 1) * (size + 1)),
        );
        const breaks = /\r\n|\r/g;
        expect(parse(pieces).map(([, data]) => data)).toEqual(
          events.map(({ data }) => data.replaceAll(breaks, '\n')),
        );
      }),
    );
  });

  test('are the same from text as from bytes', () => {
    const data = fc.string({ unit: fc.constantFrom('a', ':', '\n', '\r', 'é', '😀', '{') });
    const id = fc.option(fc.oneof(fc.nat(), fc.constantFrom('', 'x')), { nil: undefined });
    const name = fc.option(fc.constantFrom('error', ''), { nil: undefined });
    fc.assert(
      fc.property(data, id, name, (...event) => {
        const [text, ...facts] = event;
        expect(writeSseText(...event)).toBe(textOf(writeSseEvent(utf8(text), ...facts)));
      }),
    );
    for (const wrong of ['a\nb', 'a\rb', 'a\0b']) {
      expect(() => writeSseText('', wrong)).toThrow('"id" expected one line');
      expect(() => writeSseText('', 1, wrong)).toThrow('"event" expected one line');
    }
  });

  test('are bounded each, but not all together', () => {
    const event = `data: ${'x'.repeat(100)}\n\n`;
    expect(parse([utf8(event.repeat(50))], 100)).toHaveLength(50);
    const tooLarge = [
      event.replace('x', 'xx'),
      `data: ${'x'.repeat(60)}\n`.repeat(2),
      `: ${'x'.repeat(1_000)}`,
      `id: ${'x'.repeat(1_000)}\n`,
    ];
    for (const text of tooLarge) expect(() => parse([utf8(text)], 100)).toThrow(TransportError);
  });

  test('may go on with comments for ever', () => {
    const parser = createSseParser(10);
    for (let count = 0; count < 1_000; count++) expect(parser.push(utf8(': ping\n\n'))).toEqual([]);
  });

  test('have no id with a zero in it', () => {
    expect(parse([utf8('id: 1\u00002\ndata: x\n\n')])).toEqual([[undefined, 'x']]);
  });
});

describe('#transport-http lines', () => {
  async function lines(pieces: readonly string[], maxBytes = 100): Promise<string[]> {
    const read: string[] = [];
    const stream = (async function* () {
      for (const piece of pieces) yield utf8(piece);
    })();
    for await (const line of readLines(stream, maxBytes)) read.push(textOf(line));
    return read;
  }

  test('are read however they are cut', async () => {
    expect(await lines(['{"a":', '1}\n\n{"b"', ':2}\n{}', '\n{"cut'])).toEqual([
      '{"a":1}',
      '{"b":2}',
      '{}',
    ]);
  });

  test('are bounded each, but not all together', async () => {
    expect(await lines([`${'x'.repeat(9)}\n`.repeat(9)], 9)).toHaveLength(9);
    await expect(lines(['12345', '67890'], 9)).rejects.toThrow('larger than a message');
  });

  test('hold no line break', () => {
    expect(textOf(toLine(utf8('{\r\n}\n')))).toBe('{  } \n');
  });
});

describe('#transport-http a message in a stream', () => {
  test('of either encoding comes back', () => {
    const json = { bytes: utf8('{"a":1}'), encoding: 'json' } as const;
    expect(fromStreamText(toStreamText(json))).toEqual(json);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        const back = fromStreamText(toStreamText({ bytes, encoding: 'cbor' }));
        expect(back).toEqual({ bytes, encoding: 'cbor' });
      }),
    );
  });

  test.each(['', ' ', '""', '"oP8=" ', '"oP8="', '"oP9"', '"o/8"', '"o P8"', '[]', '"x', 'null'])(
    'is not %j',
    (text) => {
      expect(() => fromStreamText(utf8(text))).toThrow('holds no message');
    },
  );
});

describe('#limits of a collector', () => {
  test('what does not fit is not kept, and what fits is kept whole', () => {
    const collector = new ByteCollector(10_000);
    for (let count = 0; count < 10_000; count++) {
      expect(collector.add(Uint8Array.of(count % 251))).toBe(true);
    }
    expect(collector.add(Uint8Array.of(1))).toBe(false);
    const whole = collector.take();
    expect(whole.length).toBe(10_000);
    expect(whole.every((byte, index) => byte === index % 251)).toBe(true);
    expect(collector.add(new Uint8Array(10_001))).toBe(false);
    expect(collector.take()).toEqual(new Uint8Array(0));
  });
});
