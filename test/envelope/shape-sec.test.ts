// The check `shape` on the security block: which members each mode calls for.

import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { checkShape } from '../../src/envelope/shape.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { codeOf, errorOf } from '../support/wire/bytes.ts';
import { ENC, RECIPIENT, SIG, patched, put, registry } from '../support/wire/envelopes.ts';

const check = (value: JsonValue): unknown => checkShape(value, registry);

describe('#sec-shape #sec-payload-null #sec-recipients the security block', () => {
  const secured = (sec: JsonObject, payload: JsonValue = null): JsonValue =>
    patched(put('/sec', sec), put('/payload', payload));
  test.each<[string, JsonValue]>([
    ['none', secured({ mode: 'none' }, {})],
    ['sig', secured({ mode: 'sig', kid: 'k', sig: SIG }, {})],
    ['sig with its form', secured({ mode: 'sig', kid: 'k', sig: { ...SIG, canon: 'jcs' } }, {})],
    ['enc', secured({ mode: 'enc', enc: ENC })],
    ['enc+sig', secured({ mode: 'enc+sig', kid: 'k', sig: SIG, enc: ENC, x: {}, other: 1 })],
    [
      'replay and session',
      secured(
        { mode: 'none', replay: { nonce: 'n', exp: '2026-01-01T00:00:00Z' }, session: {} },
        {},
      ),
    ],
  ])('%s is accepted', (_name, value) => {
    expect(codeOf(() => check(value))).toBeUndefined();
  });

  test.each<[string, JsonObject, ErrorCode, string?]>([
    ['no mode', {}, 'MODE_REFUSED'],
    ['an unknown mode', { mode: 'SIG' }, 'MODE_REFUSED'],
    [
      'an unknown signature',
      { mode: 'sig', kid: 'k', sig: { ...SIG, alg: 'none' } },
      'MODE_REFUSED',
    ],
    ['an unknown form', { mode: 'sig', kid: 'k', sig: { ...SIG, canon: 'x' } }, 'MODE_REFUSED'],
    ['an unknown cipher', { mode: 'enc', enc: { ...ENC, alg: 'rot13' } }, 'MODE_REFUSED'],
    ['no kid', { mode: 'sig', sig: SIG }, 'ENVELOPE_INVALID', '/sec/kid'],
    ['an empty kid', { mode: 'none', kid: '' }, 'ENVELOPE_INVALID', '/sec/kid'],
    ['no signature', { mode: 'sig', kid: 'k' }, 'ENVELOPE_INVALID', '/sec/sig'],
    [
      'an empty signature',
      { mode: 'sig', kid: 'k', sig: { ...SIG, value: '' } },
      'ENVELOPE_INVALID',
      '/sec/sig/value',
    ],
    [
      'a signature that nobody checks',
      { mode: 'enc', enc: ENC, sig: SIG },
      'ENVELOPE_INVALID',
      '/sec/sig',
    ],
    [
      'a ciphertext that nobody opens',
      { mode: 'sig', kid: 'k', sig: SIG, enc: ENC },
      'ENVELOPE_INVALID',
      '/sec/enc',
    ],
    ['W9 an empty encryption block', { mode: 'enc', enc: {} }, 'MODE_REFUSED'],
    [
      'no recipients',
      { mode: 'enc', enc: { ...ENC, recipients: [] } },
      'ENVELOPE_INVALID',
      '/sec/enc/recipients',
    ],
    [
      'a recipient without key',
      { mode: 'enc', enc: { ...ENC, recipients: [RECIPIENT, { kid: 'k' }] } },
      'ENVELOPE_INVALID',
      '/sec/enc/recipients/1/eph',
    ],
    [
      'W43 65 recipients',
      { mode: 'enc', enc: { ...ENC, recipients: Array.from({ length: 65 }, () => RECIPIENT) } },
      'LIMIT_ARRAY',
      '/sec/enc/recipients',
    ],
    [
      'a replay block without end',
      { mode: 'none', replay: { nonce: 'n' } },
      'ENVELOPE_INVALID',
      '/sec/replay/exp',
    ],
    [
      'an empty nonce',
      { mode: 'none', replay: { nonce: '', exp: '2026-01-01T00:00:00Z' } },
      'ENVELOPE_INVALID',
      '/sec/replay/nonce',
    ],
    ['a session that is text', { mode: 'none', session: 's' }, 'ENVELOPE_INVALID', '/sec/session'],
    ['additions that are text', { mode: 'none', x: 's' }, 'ENVELOPE_INVALID', '/sec/x'],
  ])('%s is refused', (_name, sec, code, path) => {
    const error = errorOf(() => check(secured(sec)));
    expect(error?.code).toBe(code);
    if (path !== undefined) expect(error?.details['path']).toBe(path);
  });

  test('W9 a plaintext payload beside an encryption block is refused', () => {
    const error = errorOf(() => check(secured({ mode: 'enc', enc: ENC }, {})));
    expect(error?.code).toBe('ENVELOPE_INVALID');
    expect(error?.details['path']).toBe('/payload');
  });
});
