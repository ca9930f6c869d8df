// What a conversion makes of packets: what is visible, what stands in for what is missing, and the order of refusals.

import { createHash } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { ConvertError, convert, refusalText } from '../../../profiles/assay/index.ts';
import type { ConvertOptions } from '../../../profiles/assay/index.ts';
import {
  attributesText,
  convertText,
  dataOf,
  errorOf,
  eventOf,
  kindOf,
  packetText,
  withAttributes,
} from '../../support/assay/packets.ts';

const LENIENT: ConvertOptions = { mode: 'lenient' };
const NOTHING_SEEN = {
  visible: false,
  source_kind: 'unknown',
  task_ref_visible: false,
  message_ref_visible: false,
};
const DELEGATION = { id: 'task-1', kind: 'delegation' };

function handoffOf(members: object, options: ConvertOptions = {}): unknown {
  return dataOf(convertText(packetText({ ...members }), options))['handoff'];
}

describe('a handoff (#assay-handoff)', () => {
  test('is visible in a requested task of the kind delegation, with what refers to it', () => {
    const message = { id: 'm-1' };
    expect(handoffOf({ task: DELEGATION, message })).toEqual({
      visible: true,
      source_kind: 'typed_payload',
      task_ref_visible: true,
      message_ref_visible: true,
    });
    const onlyTask = convertText(packetText({ task: DELEGATION }));
    expect(onlyTask.digests.handoff).toBe(
      'c956bc2d9e8ddd8e2f914f1b0ea5393625fd354248c614a0251687f816d0d623',
    );
    const neither = convertText(packetText({ task: { kind: 'delegation' } }), LENIENT);
    expect(neither.digests.handoff).toBe(
      'd38c94c8e5bc2259dbae7a2b92bf1cfa6d0f57cb011b1b7e70dc6f9277330b5b',
    );
  });

  test('N1: not in an artifact that is shared, also with a task', () => {
    const members = { event_type: 'artifact.shared', artifact: { id: 'a' }, task: DELEGATION };
    expect(handoffOf(members)).toEqual(NOTHING_SEEN);
  });

  test.each([{ message: { id: 'm' } }, {}])(
    'N2: not in what falls back to a message, with %j',
    (members) => {
      const wanted = { event_type: 'nobody.knows', task: DELEGATION, ...members };
      expect(handoffOf(wanted, LENIENT)).toEqual(NOTHING_SEEN);
    },
  );

  test('N3: a task without an id is refused by strict', () => {
    const members = { task: { kind: 'delegation' } };
    expect(kindOf(() => handoffOf(members))).toBe('measurement');
  });

  test('N4: lenient shows it without its task', () => {
    expect(handoffOf({ task: { kind: 'delegation' } }, LENIENT)).toEqual({
      ...NOTHING_SEEN,
      visible: true,
      source_kind: 'typed_payload',
    });
  });

  test.each([undefined, 'analysis', 'Delegation', 'delegation ', '', 7, null, ['delegation']])(
    'N5: not with the kind %j',
    (kind) => {
      expect(handoffOf({ task: { id: 't', kind } })).toEqual(NOTHING_SEEN);
    },
  );

  test.each([
    { agent: { id: 'a', role: 'delegation' } },
    { attributes: { task: { kind: 'delegation' }, handoff: { visible: true } } },
    { attributes: { assay_g4: { agent_card: { visible: true } } } },
    { handoff: { visible: true }, kind: 'delegation', discovery: {} },
  ])('N6: not by anything else: %j', (members) => {
    expect(handoffOf(members)).toEqual(NOTHING_SEEN);
  });

  test('N7: not when a task is updated', () => {
    expect(handoffOf({ event_type: 'task.updated', task: DELEGATION })).toEqual(NOTHING_SEEN);
  });

  test('counts a literal unknown-task and an empty id as present', () => {
    for (const id of ['unknown-task', '']) {
      expect(handoffOf({ task: { id, kind: 'delegation' } })).toMatchObject({
        task_ref_visible: true,
      });
    }
  });
});

describe('what is seen of an agent card (#assay-discovery)', () => {
  test.each([
    ['text', '"yes"'],
    ['no object above it', '{"assay_g4":"agent_card"}'],
    ['another value', '{"assay_g4":{"agent_card":{"visible":1}}}'],
    ['a list', '{"assay_g4":[{"agent_card":{"visible":true}}]}'],
    ['null', 'null'],
  ])('is nothing by %s', (_name, attributes) => {
    const { discovery } = dataOf(convertText(withAttributes(attributes)));
    expect(discovery).toMatchObject({ agent_card_visible: false });
    expect(discovery).toMatchObject({ agent_card_source_kind: 'unknown' });
  });

  test('is told on every kind of event', () => {
    const attributes = { assay_g4: { agent_card: { visible: true } } };
    const updated = convertText(packetText({ event_type: 'task.updated', attributes }));
    expect(dataOf(updated)['discovery']).toMatchObject({ agent_card_visible: true });
  });
});

describe('lenient (#assay-lenient)', () => {
  const everything = {
    agent: undefined,
    event_type: undefined,
    task: undefined,
    message: undefined,
  };

  test('puts something in the place of each, in order, and counts it', () => {
    const { batch } = convertText(packetText(everything), LENIENT);
    const { notes, unmapped_fields_count: count, lossiness_level: level } = batch.lossiness;
    expect(notes.map((note) => note.split(' ', 1)[0])).toEqual([
      'agent.id',
      'event_type',
      'message.id',
    ]);
    expect([count, level]).toEqual([3, 'high']);
    expect(eventOf({ batch } as never)['subject']).toBe('unknown-message');
  });

  test.each([
    [{ agent: 'a' }, 'agent.id', 'unknown-agent'],
    [{ task: { id: 7 } }, 'task.id', 'unknown-task'],
    [{ event_type: 'artifact.shared', artifact: null }, 'artifact.id', 'unknown-artifact'],
  ])('alone: %j', (members, path, substitute) => {
    const { batch, text } = convertText(packetText(members), LENIENT);
    expect(batch.lossiness.notes).toHaveLength(1);
    expect(batch.lossiness.notes[0]).toContain(path);
    expect(text).toContain(`"id":"${substitute}"`);
  });

  test('does not count a message that no event needs, a bad time, or what is inside', () => {
    const members = { timestamp: 'yesterday', agent: { id: 'a', capabilities: [1, 'b'], more: 1 } };
    const converted = convertText(packetText(members), LENIENT);
    expect(converted.batch.lossiness.unmapped_fields_count).toBe(0);
    expect(eventOf(converted)['time']).toBe('2023-11-16T02:00:00Z');
    expect(dataOf(converted)['agent']).toEqual({ id: 'a', capabilities: ['b'] });
  });

  test.each([
    [0, 'none'],
    [1, 'low'],
    [2, 'low'],
    [3, 'high'],
  ])('%i members without a place are %s, in strict too', (count, level) => {
    const more = Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, at]));
    for (const mode of ['strict', 'lenient'] as const) {
      const { lossiness } = convertText(packetText(more), { mode }).batch;
      expect([lossiness.unmapped_fields_count, lossiness.lossiness_level]).toEqual([count, level]);
    }
  });
});

describe('strict (#assay-mapping)', () => {
  test.each([
    [{ agent: {}, event_type: 'x' }, 'measurement', 'agent.id'],
    [{ event_type: 'x', task: {} }, 'strict_lossiness_violation', 'event_type'],
    [{ event_type: 7 }, 'strict_lossiness_violation', 'event_type'],
    [{ task: { id: null } }, 'measurement', 'task.id'],
    [{ event_type: 'task.updated', task: [] }, 'measurement', 'task.id'],
    [{ event_type: 'artifact.shared' }, 'measurement', 'artifact.id'],
  ])('refuses %j with %s', (members, kind, words) => {
    const error = errorOf(() => convertText(packetText(members)));
    expect([error?.kind, error?.message]).toEqual([kind, expect.stringContaining(words)]);
  });
});

describe('attributes (#assay-packet)', () => {
  test('keep everything but the order of lists of text', () => {
    const given = '{"z":["b","a","b"],"a":[2,"b","a"],"e":[],"o":{"y":[["d","c"]]},"n":null}';
    expect(attributesText(convertText(withAttributes(given)))).toBe(
      '{"a":[2,"b","a"],"e":[],"n":null,"o":{"y":[["c","d"]]},"z":["a","b","b"]}',
    );
  });

  test.each(['null', '7', '"text"', 'true', '[]'])('may be %s', (given) => {
    expect(attributesText(convertText(withAttributes(given)))).toBe(given);
  });

  test('are sorted by code point, and hashed by unit', () => {
    const given = '{"\uFFFD":1,"\u{1F600}":2,"list":["\u{1F600}","\uFFFD"]}';
    const converted = convertText(withAttributes(given));
    expect(attributesText(converted)).toBe(
      '{"list":["\uFFFD","\u{1F600}"],"\uFFFD":1,"\u{1F600}":2}',
    );
    const { type, subject, data } = eventOf(converted) as Record<string, string>;
    // Emoji first: the order of units.
    const jcs = JSON.stringify(data).replace(
      '{"\uFFFD":1,"\u{1F600}":2,"list":["\uFFFD","\u{1F600}"]}',
      '{"list":["\uFFFD","\u{1F600}"],"\u{1F600}":2,"\uFFFD":1}',
    );
    const content = `{"data":${jcs},"datacontenttype":"application/json","specversion":"1.0","subject":"${subject}","type":"${type}"}`;
    const hash = createHash('sha256').update(content).digest('hex');
    expect(converted.contentHash).toBe(`sha256:${hash}`);
  });

  test('may have any names', () => {
    const given = '{"__proto__":{"visible":true},"constructor":1,"toString":[]}';
    expect(attributesText(convertText(withAttributes(given)))).toBe(given);
  });
});

describe('the order of refusals (#assay-convert, #assay-errors)', () => {
  const kept: string[] = [];
  const writeRaw = (bytes: Uint8Array): void => {
    kept.push(new TextDecoder().decode(bytes));
  };

  test('size comes before the writer, the writer before reading', () => {
    kept.length = 0;
    expect(kindOf(() => convertText('{"not', { writeRaw, maxPayloadBytes: 4 }))).toBe(
      'measurement',
    );
    expect(kept).toEqual([]);
    expect(kindOf(() => convertText('{"not', { writeRaw, maxPayloadBytes: 5 }))).toBe(
      'measurement',
    );
    expect(kept).toEqual(['{"not']);
  });

  test('what the writer throws ends it, with its kind where it has one', () => {
    const throwing = (thrown: unknown) => (): void => {
      throw thrown;
    };
    const kind = (thrown: unknown): string =>
      kindOf(() => convertText('no JSON', { writeRaw: throwing(thrown) }));
    expect(kind(new Error('the disk is full'))).toBe('infrastructure');
    expect(kind(new ConvertError('measurement', 'too large'))).toBe('measurement');
    expect(kind({ kind: 'config', message: 'no' })).toBe('config');
    expect(kind({ kind: 'other' })).toBe('infrastructure');
    const late = (): unknown => Promise.reject(new Error('late'));
    expect(kindOf(() => convertText('{}', { writeRaw: late }))).toBe('config');
  });

  test('protocol, then version, then its range', () => {
    expect(errorOf(() => convertText('[]'))?.message).toContain('protocol');
    expect(errorOf(() => convertText('{"protocol":"A2A"}'))?.message).toContain('protocol');
    expect(errorOf(() => convertText('{"protocol":"a2a"}'))?.message).toContain('missing version');
    const newer = packetText({ version: '1.0', agent: undefined });
    expect(kindOf(() => convertText(newer))).toBe('unsupported_protocol_version');
  });

  test('the version of the packet wins over the one that came along', () => {
    const bare = packetText({ version: undefined });
    expect(dataOf(convertText(bare, { protocolVersion: '0.9' }))['protocol_version']).toBe('0.9');
    const number = packetText({ version: 0.2 });
    expect(dataOf(convertText(number, { protocolVersion: '0.4' }))['protocol_version']).toBe('0.4');
    expect(
      kindOf(() => convertText(packetText({ version: '1.0' }), { protocolVersion: '0.3' })),
    ).toBe('unsupported_protocol_version');
  });

  test.each([
    { mode: 'loose' },
    { maxJsonDepth: -1 },
    { maxArrayLength: 1.5 },
    { maxPayloadBytes: '4' },
    { mediaType: 'json' },
    { adapterVersion: 3 },
    { writeRaw: true },
  ])('wrong options are no fault of the packet: %j', (options) => {
    expect(kindOf(() => convertText(packetText(), options as ConvertOptions))).toBe('config');
  });

  test('a refusal is told in the same form', () => {
    const error = errorOf(() => convertText('{}'))!;
    expect(refusalText(error)).toBe(
      `{"error":{"kind":"measurement","message":${JSON.stringify(error.message)}},"ok":false}`,
    );
  });
});

describe('what it says of the bytes (#assay-raw)', () => {
  test('a media type in lower case, without parameters', () => {
    const { batch } = convertText(packetText(), {
      mediaType: 'Application/A2A+JSON; charset=utf-8',
    });
    expect(batch.lossiness.raw_payload_ref.media_type).toBe('application/a2a+json');
  });

  test('two orders of members are one content and two files', () => {
    const [one, other] = [
      '{"protocol":"a2a","version":"0.2"',
      '{"version":"0.2","protocol":"a2a"',
    ].map((start) =>
      convertText(`${start},"event_type":"task.updated","task":{"id":"t"},"agent":{"id":"a"}}`),
    );
    expect(one!.contentHash).toBe(other!.contentHash);
    expect(one!.digests).toEqual(other!.digests);
    expect(one!.batch.lossiness.raw_payload_ref.sha256).not.toBe(
      other!.batch.lossiness.raw_payload_ref.sha256,
    );
  });

  test('is all that writeRaw is given', () => {
    let given: unknown;
    const bytes = new TextEncoder().encode(packetText());
    const { batch } = convert(bytes, { writeRaw: (_bytes, reference) => void (given = reference) });
    expect(given).toEqual(batch.lossiness.raw_payload_ref);
  });
});
