// Owns the shape of the security block: which members its mode calls for. SPEC.md section 6 (#sec-shape).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import { malformed, requireObject, requireText, requireTimestamp } from './fields.ts';

const MAX_RECIPIENTS = 64;
const MAX_BINARY_LENGTH = Number.MAX_SAFE_INTEGER; // the message's own limit is the limit

export function checkSec(value: JsonValue, payload: JsonValue, mayBeLax: () => boolean): void {
  const sec = requireObject(value, '/sec');
  const { mode } = sec;
  if (mode !== 'none' && mode !== 'sig' && mode !== 'enc' && mode !== 'enc+sig') {
    throw unsupported('/sec/mode');
  }
  const isSigned = mode === 'sig' || mode === 'enc+sig';
  const isEncrypted = mode === 'enc' || mode === 'enc+sig';
  requireExactly(sec, 'sig', isSigned);
  requireExactly(sec, 'enc', isEncrypted);
  if (isSigned) {
    requireText(sec['kid'], 256, '/sec/kid');
    checkSig(requireObject(sec['sig'], '/sec/sig'));
  } else if (sec['kid'] !== undefined) {
    requireText(sec['kid'], 256, '/sec/kid');
  }
  if (isEncrypted) {
    checkEnc(requireObject(sec['enc'], '/sec/enc'));
    if (payload !== null) throw malformed('/payload', 'must be null when it is encrypted');
  }
  if (sec['replay'] !== undefined)
    checkReplay(requireObject(sec['replay'], '/sec/replay'), mayBeLax);
  if (sec['session'] !== undefined) requireObject(sec['session'], '/sec/session');
  if (sec['x'] !== undefined) requireObject(sec['x'], '/sec/x');
}

/** A block that the mode does not call for would be a claim that nobody checks. */
function requireExactly(sec: JsonObject, name: 'sig' | 'enc', wanted: boolean): void {
  const isThere = sec[name] !== undefined;
  if (isThere !== wanted) {
    throw malformed(`/sec/${name}`, wanted ? 'is missing in this mode' : 'does not fit the mode');
  }
}

function checkSig(sig: JsonObject): void {
  if (sig['alg'] !== 'ed25519') throw unsupported('/sec/sig/alg');
  requireText(sig['value'], MAX_BINARY_LENGTH, '/sec/sig/value');
  const { canon } = sig;
  if (canon !== undefined && canon !== 'jcs' && canon !== 'python' && canon !== 'cbor') {
    throw unsupported('/sec/sig/canon');
  }
}

function checkEnc(enc: JsonObject): void {
  if (enc['alg'] !== 'x25519-chacha20poly1305') throw unsupported('/sec/enc/alg');
  requireText(enc['nonce'], MAX_BINARY_LENGTH, '/sec/enc/nonce');
  requireText(enc['ciphertext'], MAX_BINARY_LENGTH, '/sec/enc/ciphertext');
  const { recipients } = enc;
  const path = '/sec/enc/recipients';
  if (!Array.isArray(recipients) || recipients.length === 0) {
    throw malformed(path, 'must be a list with at least one recipient');
  }
  if (recipients.length > MAX_RECIPIENTS) {
    throw new SdlError('LIMIT_ARRAY', `${path} has more than ${MAX_RECIPIENTS} entries`, {
      details: { path, limit: MAX_RECIPIENTS },
    });
  }
  for (const [index, entry] of (recipients as JsonValue[]).entries()) {
    const recipient = requireObject(entry, `${path}/${index}`);
    requireText(recipient['kid'], 256, `${path}/${index}/kid`);
    for (const name of ['eph', 'wn', 'ek']) {
      requireText(recipient[name], MAX_BINARY_LENGTH, `${path}/${index}/${name}`);
    }
  }
}

function checkReplay(replay: JsonObject, mayBeLax: () => boolean): void {
  requireText(replay['nonce'], 256, '/sec/replay/nonce');
  requireTimestamp(replay['exp'], '/sec/replay/exp', mayBeLax);
}

function unsupported(path: string): SdlError {
  return new SdlError('MODE_REFUSED', `${path} is not supported`);
}
