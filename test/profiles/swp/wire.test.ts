// Proves what the SWP wire is read and written by, to the octet, without a connection.

import { describe, expect, test } from 'vitest';

import type { SwpMessageForm } from '../../../profiles/swp/index.ts';
import { decodeStream, encodeFrame } from '../../../profiles/swp/index.ts';
import { hex } from '../../support/swp/frames.ts';

const HEAD = '0080d095ffbc31103031323334353637383961626364656600';
const ENVELOPE = {
  ts_unix_ms: '1700000000000',
  msg_id: '30313233343536373839616263646566',
} as const;

/** Name, length, msg_type, payload with its length, message. */
const GOLDEN: readonly (readonly [string, string, string, string, SwpMessageForm])[] = [
  [
    'Handshake',
    '00000040',
    '01',
    '230a210a0a6167656e742e64656d6f120864656d6f2e72756e120964656d6f2e73746f70',
    { type: 'handshake', agent_id: 'agent.demo', capabilities: ['demo.run', 'demo.stop'] },
  ],
  [
    'Task',
    '0000003a',
    '02',
    '1d121b0a067461736b2d31120864656d6f2e72756e1a077b2278223a317d',
    { type: 'task', task_id: hex('task-1'), kind: 'demo.run', input: hex('{"x":1}') },
  ],
  [
    'Event',
    '00000034',
    '03',
    '171a150a067461736b2d31120772756e6e696e671a020102',
    { type: 'event', task_id: hex('task-1'), message: 'running', event_payload: '0102' },
  ],
  [
    'Result',
    '0000002f',
    '04',
    '1222100a067461736b2d3110011a04646f6e65',
    { type: 'result', task_id: hex('task-1'), ok: true, output: hex('done'), error_message: '' },
  ],
  [
    'failed Result',
    '00000039',
    '04',
    '1c221a0a067461736b2d312210657865637574696f6e206661696c6564',
    {
      type: 'result',
      task_id: hex('task-1'),
      ok: false,
      output: '',
      error_message: 'execution failed',
    },
  ],
];

/** A frame around this body. */
function framed(body: string): Uint8Array {
  const bytes = Buffer.from(body, 'hex');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function withPayload(type: number, payload: string): Uint8Array {
  return encodeFrame({
    envelope: { ...ENVELOPE, profile_id: '2', msg_type: String(type), payload },
  });
}

const codeOf = (bytes: Uint8Array, options = {}): string => decodeStream(bytes, options)[0]!.code;
const payloadCode = (type: number, payload: string): string => codeOf(withPayload(type, payload));
/** A field with octets. */
const field = (number: number, octets: string): string => {
  const { length } = Buffer.from(octets, 'hex');
  return hex(Buffer.from([(number << 3) | 2])) + uvarint(BigInt(length)) + octets;
};

function uvarint(value: bigint): string {
  const octets: number[] = [];
  let rest = value;
  do {
    octets.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(octets).toString('hex');
}

describe('#swp-frame #swp-envelope #swp-payload #swp-form golden frames', () => {
  test.each(GOLDEN)('%s both ways', (_name, length, type, payload, message) => {
    const bytes = Buffer.from(`${length}0102${type}${HEAD}${payload}`, 'hex');
    expect(Buffer.from(encodeFrame({ envelope: ENVELOPE, message })).toString('hex')).toBe(
      bytes.toString('hex'),
    );
    const [frame, ...others] = decodeStream(bytes);
    expect(others).toEqual([]);
    expect(frame).toEqual({
      outcome: 'accept',
      code: 'OK',
      envelope: {
        version: '1',
        profile_id: '2',
        msg_type: String(Number(type)),
        flags: '0',
        ...ENVELOPE,
        extensions: [],
        payload: Buffer.from(payload, 'hex').subarray(1).toString('hex'),
      },
      message,
    });
    expect(Buffer.from(encodeFrame(frame!)).equals(bytes)).toBe(true);
  });

  test('the largest numbers, extensions and an empty payload go there and back', () => {
    const most = '18446744073709551615';
    const envelope = {
      version: '1',
      profile_id: most,
      msg_type: most,
      flags: most,
      ts_unix_ms: most,
      msg_id: 'ab'.repeat(64),
      extensions: [
        { type: most, value: '' },
        { type: '0', value: 'ff00' },
      ],
      payload: '',
    };
    const [frame] = decodeStream(encodeFrame({ envelope }), { profiles: [BigInt(most)] });
    expect(frame).toEqual({ outcome: 'accept', code: 'OK', envelope });
  });

  test('the payload counts more than the message, and what is wrong is named', () => {
    const message: SwpMessageForm = { type: 'task', task_id: 'aa', kind: 'k', input: '' };
    const [frame] = decodeStream(
      encodeFrame({ envelope: { ...ENVELOPE, payload: 'ffff' }, message }),
    );
    expect(frame).toMatchObject({ code: 'INVALID_PROFILE_PAYLOAD', envelope: { payload: 'ffff' } });
    for (const [wrong, words] of [
      [{ envelope: ENVELOPE }, 'payload'],
      [{ envelope: { ...ENVELOPE, msg_id: 'a' }, message }, 'msg_id'],
      [{ envelope: { ...ENVELOPE, flags: '18446744073709551616' }, message }, 'flags'],
      [{ envelope: ENVELOPE, message: { ...message, task_id: 'zz' } }, 'task_id'],
      [{ envelope: ENVELOPE, message: { type: 'other' } }, 'type'],
    ] as const) {
      expect(() => encodeFrame(wrong as never)).toThrow(words);
    }
  });
});

describe('#swp-limits #swp-order what is refused, and in which order', () => {
  const message: SwpMessageForm = { type: 'task', task_id: 'aa', kind: 'k', input: '' };
  const good = encodeFrame({ envelope: ENVELOPE, message });

  test.each([
    ['a short length', '0000', 'INVALID_FRAME', undefined],
    ['length 0', '00000000', 'INVALID_FRAME', undefined],
    ['a length beyond the limit', '00800001', 'INVALID_FRAME', 'ERR_FRAME_TOO_LARGE'],
    ['a body that is cut', '0000000a010203', 'INVALID_FRAME', undefined],
    [
      'eleven octets of a number',
      '0000000b' + '80'.repeat(11),
      'INVALID_FRAME',
      'ERR_INVALID_UVARINT',
    ],
    [
      'a number of 65 bits',
      '0000000b' + 'ff'.repeat(9) + '0200',
      'INVALID_FRAME',
      'ERR_INVALID_UVARINT',
    ],
    ['another version before anything else', '0000000202ff', 'UNSUPPORTED_VERSION', undefined],
    ['version 0', '0000000100', 'UNSUPPORTED_VERSION', undefined],
  ])('%s', (_name, octets, code, detail) => {
    const [frame, ...others] = decodeStream(Buffer.from(octets, 'hex'));
    expect(others).toEqual([]);
    expect(frame).toEqual({
      outcome: 'reject',
      code,
      error: `ERR_${code}`,
      ...(detail !== undefined && { detail }),
    });
  });

  test('an overlong number that fits is read', () => {
    expect(codeOf(framed(`810002020080d095ffbc3110${ENVELOPE.msg_id}0005120312016b`))).toBe(
      'INVALID_PROFILE_PAYLOAD',
    );
    const overlong = `818080808080808080000202000010${ENVELOPE.msg_id}00`;
    expect(codeOf(framed(`${overlong}0812060a01aa12016b`))).toBe('OK');
  });

  test('the size of extensions before what is in them, and both before the payload', () => {
    const start = `010202000010${ENVELOPE.msg_id}`;
    const large = framed(`${start}${uvarint(4097n)}${'ff'.repeat(4097)}00`);
    expect(decodeStream(large)[0]).toEqual({
      outcome: 'reject',
      code: 'INVALID_ENVELOPE',
      error: 'ERR_INVALID_ENVELOPE',
      detail: 'ERR_EXT_TOO_LARGE',
    });
    expect(codeOf(framed(`${start}02ff0000`))).toBe('INVALID_FRAME');
    // A length that is not there is refused before it is compared with a limit.
    expect(codeOf(framed(`${start}${uvarint(5000n)}ff`))).toBe('INVALID_FRAME');
    expect(codeOf(framed(`${start}00${uvarint(2n ** 64n - 1n)}ff`))).toBe('INVALID_FRAME');
  });

  test('octets after the payload close, and the envelope was read', () => {
    const trailing = Buffer.from(good);
    const more = Buffer.concat([trailing, Buffer.from([0])]);
    more.writeUInt32BE(more.length - 4);
    expect(decodeStream(more)[0]).toMatchObject({
      code: 'INVALID_FRAME',
      envelope: { version: '1' },
    });
  });

  test('the frame and the payload may be as large as the limit, and no larger', () => {
    const size = good.length - 4;
    expect(codeOf(good, { maxFrameBytes: size })).toBe('OK');
    expect(decodeStream(good, { maxFrameBytes: size - 1 })[0]!.detail).toBe('ERR_FRAME_TOO_LARGE');
    const { length } = Buffer.from(decodeStream(good)[0]!.envelope!.payload, 'hex');
    expect(codeOf(good, { maxPayloadBytes: length })).toBe('OK');
    expect(decodeStream(good, { maxPayloadBytes: length - 1 })[0]).toEqual({
      outcome: 'reject',
      code: 'INVALID_ENVELOPE',
      error: 'ERR_INVALID_ENVELOPE',
      detail: 'ERR_PAYLOAD_TOO_LARGE',
    });
  });

  test('profile before type before msg_id before time before the message', () => {
    const base = { ...ENVELOPE, msg_id: 'aa', profile_id: '7', msg_type: '0', payload: '' };
    const options = { skewMs: 1, nowMs: 0 };
    const codes: (string | undefined)[] = [];
    for (const change of [
      {},
      { profile_id: '2' },
      { profile_id: '2', msg_type: '99' },
      { profile_id: '2', msg_type: '99', msg_id: ENVELOPE.msg_id },
      { profile_id: '2', msg_type: '99', msg_id: ENVELOPE.msg_id, ts_unix_ms: '1' },
      { profile_id: '2', msg_type: '2', msg_id: ENVELOPE.msg_id, ts_unix_ms: '0' },
    ]) {
      const [frame] = decodeStream(encodeFrame({ envelope: { ...base, ...change } }), options);
      codes.push(frame!.detail ?? frame!.code);
      expect(frame!.envelope).toBeDefined();
    }
    expect(codes).toEqual([
      'UNKNOWN_PROFILE',
      'INVALID_ENVELOPE',
      'ERR_MSG_ID_INVALID',
      'INVALID_ENVELOPE',
      'UNSUPPORTED_MSG_TYPE',
      'INVALID_PROFILE_PAYLOAD',
    ]);
  });

  test('#swp-refusals a stream goes on after a message that is refused, and ends with what closes', () => {
    const bad = encodeFrame({ envelope: { ...ENVELOPE, msg_id: 'aa' }, message });
    const other = encodeFrame({
      envelope: { ...ENVELOPE, profile_id: '3', msg_type: '1', payload: '' },
    });
    const stream = Buffer.concat([good, bad, good, other, good]);
    expect(decodeStream(stream).map(({ code }) => code)).toEqual([
      'OK',
      'INVALID_ENVELOPE',
      'OK',
      'UNKNOWN_PROFILE',
    ]);
    expect(decodeStream(stream.subarray(0, good.length + 7)).map(({ code }) => code)).toEqual([
      'OK',
      'INVALID_FRAME',
    ]);
    expect(decodeStream(new Uint8Array(0))).toEqual([]);
  });
});

describe('#swp-freshness times', () => {
  const at = (ts: bigint, options: object): string =>
    codeOf(
      encodeFrame({
        envelope: { ...ENVELOPE, ts_unix_ms: String(ts) },
        message: { type: 'handshake', agent_id: 'a', capabilities: [] },
      }),
      options,
    );

  test('are judged where that is asked for, to the millisecond', () => {
    const nowMs = 1_700_000_000_000;
    const now = BigInt(nowMs);
    for (const ts of [0n, 1n, 2n ** 63n, 2n ** 64n - 1n]) expect(at(ts, { nowMs })).toBe('OK');
    for (const skew of [300_000n, 0n, 5n]) {
      const options = { nowMs, skewMs: skew };
      expect([at(now - skew, options), at(now + skew, options)]).toEqual(['OK', 'OK']);
      expect(at(now - skew - 1n, options)).toBe('INVALID_ENVELOPE');
      expect(at(now + skew + 1n, options)).toBe('INVALID_ENVELOPE');
      for (const ts of [13_000_000_000_000n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n]) {
        expect(at(ts, options)).toBe('INVALID_ENVELOPE');
      }
      expect(at(0n, options)).toBe('OK');
    }
    expect(at(0n, { nowMs, requireTs: true })).toBe('INVALID_ENVELOPE');
    expect(at(now - 300_000n, { nowMs, requireTs: true })).toBe('OK');
    expect(at(now - 300_001n, { nowMs, requireTs: true })).toBe('INVALID_ENVELOPE');
    expect(at(now - 300_001n, { nowMs, requireTs: true, skewMs: 400_000 })).toBe('OK');
  });
});

describe('#swp-payload #swp-messages what a payload must be', () => {
  const TASK = `${field(1, 'aa')}${field(2, hex('k'))}`;

  test.each([
    ['no member', 2, ''],
    ['another member', 2, field(1, field(1, hex('a')))],
    ['two members', 2, field(2, TASK) + field(3, field(1, 'aa') + field(2, hex('m')))],
    ['the same member twice', 2, field(2, TASK) + field(2, TASK)],
    ['a member as a number', 2, '1001'],
    ['a member as a number before it', 2, '1001' + field(2, TASK)],
    ['garbage after the member', 2, field(2, TASK) + 'ffffff'],
    ['a group', 2, field(2, TASK) + '2b2c'],
    ['wire type 6', 2, field(2, `${TASK}2e`)],
    ['wire type 7', 2, field(2, `${TASK}2f`)],
    ['field 0', 2, field(2, `${TASK}0000`)],
    ['field 2^29', 2, field(2, `${TASK}${uvarint(2n ** 32n)}00`)],
    ['a known field of another wire type', 2, field(2, `${TASK}1801`)],
    ['text that is not UTF-8', 2, field(2, field(1, 'aa') + field(2, 'c328'))],
    [
      'text that is not UTF-8 before text that is',
      2,
      field(2, field(1, 'aa') + field(2, 'ff') + field(2, hex('k'))),
    ],
    ['a length of 2^64-1', 2, '12ffffffffffffffffff01'],
    ['a length of 2^63 inside', 2, field(2, '0a80808080808080808001')],
    ['no task_id', 2, field(2, field(2, hex('k')))],
    ['no kind', 2, field(2, field(1, 'aa'))],
    ['a blank kind', 2, field(2, field(1, 'aa') + field(2, hex('\u0085\u00a0\u3000 \t')))],
    ['a long task_id', 2, field(2, field(1, 'aa'.repeat(257)) + field(2, hex('k')))],
    ['a long kind', 2, field(2, field(1, 'aa') + field(2, hex('k'.repeat(1025))))],
    ['a blank agent_id', 1, field(1, field(1, hex(' ')))],
    ['a long capability', 1, field(1, field(1, hex('a')) + field(2, hex('c'.repeat(1025))))],
    ['1025 capabilities', 1, field(1, field(1, hex('a')) + field(2, '').repeat(1025))],
    ['an Event that says nothing', 3, field(3, field(1, 'aa') + field(2, hex(' ')))],
    ['a failure without a reason', 4, field(4, field(1, 'aa'))],
    ['a failure with a blank reason', 4, field(4, field(1, 'aa') + field(4, hex('\u0085')))],
    ['an overflowing ok', 4, field(4, `${field(1, 'aa')}10${'ff'.repeat(9)}02`)],
  ])('%s is refused', (_name, type, payload) => {
    expect(payloadCode(type, payload)).toBe('INVALID_PROFILE_PAYLOAD');
  });

  test.each([
    [
      'unknown fields of four wire types',
      2,
      '2801' + field(2, `${TASK}280131${'00'.repeat(8)}${field(5, 'aabb')}3d00000000`),
    ],
    ['an overlong key and length', 2, `92008600${TASK}`],
    ['a byte order mark as kind', 2, field(2, field(1, 'aa') + field(2, 'efbbbf'))],
    ['a space of no width as kind', 2, field(2, field(1, 'aa') + field(2, hex('\u200b')))],
    ['256 octets of task_id', 2, field(2, field(1, 'aa'.repeat(256)) + field(2, hex('k')))],
    [
      '1024 capabilities, empty ones too',
      1,
      field(1, field(1, hex('a')) + field(2, '').repeat(1024)),
    ],
    ['an Event with octets alone', 3, field(3, field(1, 'aa') + field(3, '00'))],
    ['success without output', 4, field(4, `${field(1, 'aa')}1001`)],
  ])('%s is read', (_name, type, payload) => {
    expect(payloadCode(type, payload)).toBe('OK');
  });

  test('the last of a repeated field counts, defaults are told, and a mark stays', () => {
    const [frame] = decodeStream(
      withPayload(
        2,
        field(
          2,
          field(1, 'aa') + field(2, hex('k'.repeat(2_000))) + field(2, 'efbbbf') + field(1, 'bb'),
        ),
      ),
    );
    expect(frame!.message).toEqual({ type: 'task', task_id: 'bb', kind: '\ufeff', input: '' });
    const [again] = decodeStream(
      withPayload(4, field(4, `${field(1, 'aa')}1000${field(4, hex('x'))}1002`)),
    );
    expect(again!.message).toEqual({
      type: 'result',
      task_id: 'aa',
      ok: true,
      output: '',
      error_message: 'x',
    });
  });

  test('types outside 1 to 4 are refused before the payload is looked at', () => {
    for (const type of [5, 99]) expect(payloadCode(type, 'ff')).toBe('UNSUPPORTED_MSG_TYPE');
  });
});
