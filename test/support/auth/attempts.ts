// Owns attempts of callers in tests: what comes of one, and everything that an error of it says.

import { inspect } from 'node:util';

import type { Authenticated, Callers, Shown } from '../../../profiles/auth/index.ts';
import { SdlError } from '../../../src/errors.ts';

export const NOW: number = Date.parse('2026-11-18T12:00:00Z');
export const TOKEN = 'a-token-of-the-ci-machine';

type Credentials = Omit<Shown, 'face' | 'address'> & Partial<Shown>;

export function attempt(callers: Callers, shown: Credentials): Promise<Authenticated> {
  return callers.authenticate({ face: 'test', address: '192.0.2.1', ...shown });
}

export const bearer = (token: string): Credentials => ({ authorization: `Bearer ${token}` });

export function basic(user: string, password: string): Credentials {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** The code of the refusal, or `let in`. */
export async function codeOf(callers: Callers, shown: Credentials): Promise<string> {
  const thrown = await refusalOf(callers, shown);
  return thrown === undefined ? 'let in' : thrown.code;
}

export async function refusalOf(
  callers: Callers,
  shown: Credentials,
): Promise<SdlError | undefined> {
  try {
    await attempt(callers, shown);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof SdlError) return thrown;
    throw thrown;
  }
}

/** All that can be read of an error, but where it was thrown. */
export function wordsOf(error: SdlError): string {
  const { code, message, reason, details, cause, wireCode, row } = error;
  return inspect({ code, message, reason, details, cause, wireCode, row }, { depth: null });
}
