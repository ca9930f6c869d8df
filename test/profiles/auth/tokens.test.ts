// Proves which tokens of an issuer hold, how its keys are had, and what their scopes allow.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { CallerEntry, Callers, CallersOptions } from '../../../profiles/auth/index.ts';
import { assertTokenSupport, createCallers } from '../../../profiles/auth/index.ts';
import { NOW, attempt, bearer, codeOf } from '../../support/auth/attempts.ts';
import type { Issuer, Json } from '../../support/auth/issuer.ts';
import { hmacToken, jwkOf, makeKey, signToken, startIssuer } from '../../support/auth/issuer.ts';
import { WRONG_TOKENS, issuerKeys } from '../../support/auth/wrong-tokens.ts';

const AUDIENCE = 'https://agent.example';
const key = makeKey('k1');
let issuer: Issuer;
let now = NOW;

beforeEach(async () => {
  now = NOW;
  issuer = await startIssuer();
  issuer.keys = [jwkOf(key)];
});
afterEach(() => issuer.stop());

function entry(members: Partial<CallerEntry> = {}, proof: Json = {}): CallerEntry {
  const { url, jwksUrl } = issuer;
  return {
    name: 'sso',
    proof: { scheme: 'jwt', issuer: url, audience: AUDIENCE, jwksUrl, ...proof },
    ...members,
  };
}

function callersOf(
  entries: readonly CallerEntry[] = [entry()],
  options: Partial<CallersOptions> = {},
): Callers {
  return createCallers({
    entries,
    now: () => now,
    attempts: { maxFailures: 1_000 },
    ...options,
  });
}

function claims(members: Json = {}): Json {
  const at = Math.floor(now / 1_000);
  return { iss: issuer.url, aud: AUDIENCE, sub: 'alice', iat: at, exp: at + 300, ...members };
}

describe('#callers-jwt a token that holds', () => {
  test('is its issuer and subject, until it ends', async () => {
    const callers = callersOf();
    const { principal, ceiling } = await attempt(callers, bearer(signToken(key, claims())));
    expect(principal).toEqual({
      id: `~jwt:${issuer.url}|alice`,
      tenant: '',
      scheme: 'jwt',
      caller: 'sso',
      expiresAt: NOW + 300_000,
    });
    expect(ceiling).toBeUndefined();
    expect(callers.of(principal)).toMatchObject({ share: 'known' });
    now += 300_000;
    expect(callers.of(principal)).toBeUndefined();
  });

  test('may name several audiences, and begin a few seconds ahead of our clock', async () => {
    const callers = callersOf();
    const aud = ['https://other.example', AUDIENCE];
    expect(await codeOf(callers, bearer(signToken(key, claims({ aud }))))).toBe('let in');
    const nbf = NOW / 1_000 + 4;
    expect(await codeOf(callers, bearer(signToken(key, claims({ nbf }))))).toBe('let in');
  });

  test('of a subject with an entry of its own is that caller, also where that is revoked', async () => {
    const all = entry();
    const bob = entry({ name: 'bob', revoked: true }, { subject: 'bob' });
    const callers = callersOf([all, bob]);
    expect(await codeOf(callers, bearer(signToken(key, claims())))).toBe('let in');
    const ofBob = bearer(signToken(key, claims({ sub: 'bob' })));
    expect(await codeOf(callers, ofBob)).toBe('UNAUTHENTICATED');
    const open = callersOf([all, { ...bob, revoked: false }]);
    expect((await attempt(open, ofBob)).principal.caller).toBe('bob');
  });

  test('with the entry for one subject alone is refused for every other', async () => {
    const callers = callersOf([entry({}, { subject: 'bob' })]);
    expect(await codeOf(callers, bearer(signToken(key, claims())))).toBe('UNAUTHENTICATED');
  });
});

describe('#callers-jwt a token that does not hold', () => {
  test.each(Object.keys(WRONG_TOKENS))('is one %s', async (name) => {
    const parts = {
      key,
      second: makeKey('k2'),
      encrypting: makeKey('k3'),
      claims,
      audience: AUDIENCE,
      nowS: NOW / 1_000,
      trap: issuer.jwksUrl,
    };
    issuer.keys = issuerKeys(parts);
    const callers = callersOf();
    // The keys are there and would do.
    expect(await codeOf(callers, bearer(signToken(key, claims())))).toBe('let in');
    expect(await codeOf(callers, bearer(signToken(parts.second, claims())))).toBe('let in');
    expect(await codeOf(callers, bearer(WRONG_TOKENS[name]!(parts)))).toBe('UNAUTHENTICATED');
  });

  test('is one by a symmetric key, although the issuer tells of it', async () => {
    const secret = Buffer.from('everybody can read this key of the issuer');
    issuer.keys = [{ kty: 'oct', kid: 'h1', alg: 'HS256', k: secret.toString('base64url') }];
    const token = hmacToken(secret, claims(), { kid: 'h1' });
    expect(await codeOf(callersOf(), bearer(token))).toBe('UNAUTHENTICATED');
  });

  test('is one by a key that is for encryption', async () => {
    issuer.keys = [{ ...jwkOf(key), use: 'enc' }];
    expect(await codeOf(callersOf(), bearer(signToken(key, claims())))).toBe('UNAUTHENTICATED');
  });
});

describe('#callers-jwt the keys of an issuer', () => {
  test('are asked for once, and again when they are old', async () => {
    const callers = callersOf();
    const shown = (): Promise<string> => codeOf(callers, bearer(signToken(key, claims())));
    await Promise.all([shown(), shown(), shown()]);
    expect(issuer.asked()).toBe(1);
    now += 599_999;
    expect(await shown()).toBe('let in');
    expect(issuer.asked()).toBe(1);
    now += 1;
    expect(await shown()).toBe('let in');
    expect(issuer.asked()).toBe(2);
  });

  test('rotate: a new key is found at once, an old one ends with the next look', async () => {
    const callers = callersOf();
    const next = makeKey('k2');
    expect(await codeOf(callers, bearer(signToken(key, claims())))).toBe('let in');
    issuer.keys = [jwkOf(next)];
    now += 10_000;
    expect(await codeOf(callers, bearer(signToken(next, claims())))).toBe('let in');
    expect(await codeOf(callers, bearer(signToken(key, claims())))).toBe('UNAUTHENTICATED');
  });

  test('are not asked for by everybody who makes up the id of a key', async () => {
    const callers = callersOf();
    const made = (at: number): string => signToken(makeKey(`made-up-${at}`), claims());
    await codeOf(callers, bearer(signToken(key, claims())));
    now += 10_000;
    for (let at = 0; at < 20; at += 1) {
      expect(await codeOf(callers, bearer(made(at)))).toBe('UNAUTHENTICATED');
    }
    expect(issuer.asked()).toBe(2);
    now += 10_000;
    await codeOf(callers, bearer(made(20)));
    expect(issuer.asked()).toBe(3);
  });

  test('are used on while the issuer does not answer, for an hour', async () => {
    const problems: string[] = [];
    const onProblem: CallersOptions['onProblem'] = ({ caller, cause }) =>
      problems.push(`${caller}: ${(cause as Error).message}`);
    const callers = callersOf([entry()], { onProblem });
    const shown = (): Promise<string> => codeOf(callers, bearer(signToken(key, claims())));
    expect(await shown()).toBe('let in');
    issuer.isAway = true;
    now += 3_599_999;
    expect(await shown()).toBe('let in');
    expect(problems).toEqual(['sso: the issuer answered with status 503']);
    now += 1;
    expect(await shown()).toBe('UNAVAILABLE');
    issuer.isAway = false;
    now += 10_000;
    expect(await shown()).toBe('let in');
  });

  test('that were never there are no failure of the caller', async () => {
    issuer.isAway = true;
    const callers = callersOf([entry()], { attempts: { maxFailures: 1 } });
    const shown = (): Promise<string> => codeOf(callers, bearer(signToken(key, claims())));
    expect([await shown(), await shown(), await shown()]).toEqual(
      Array.from({ length: 3 }, () => 'UNAVAILABLE'),
    );
    expect(issuer.asked()).toBe(1);
  });

  test('are found by the document of the issuer, at its own host', async () => {
    const callers = callersOf([entry({}, { jwksUrl: undefined })]);
    expect(await codeOf(callers, bearer(signToken(key, claims())))).toBe('let in');
  });

  test.each<[string, (from: Issuer) => void, RegExp]>([
    [
      'lead to another host of the network',
      (from) => (from.jwksUri = from.jwksUri.replace('127.0.0.1', '127.0.0.2')),
      /not allowed|not on the public network/,
    ],
    ['are of another issuer', (from) => (from.name = 'https://other.example'), /another name/],
  ])('are not taken where they %s', async (_what, change, words) => {
    const problems: string[] = [];
    change(issuer);
    const callers = callersOf([entry({}, { jwksUrl: undefined })], {
      onProblem: ({ cause }) => problems.push((cause as Error).message),
    });
    expect(await codeOf(callers, bearer(signToken(key, claims())))).toBe('UNAVAILABLE');
    expect(problems).toEqual([expect.stringMatching(words)]);
    expect(issuer.asked()).toBe(0);
  });
});

describe('#callers-scopes what a token allows', () => {
  test.each<[string, Json, Json | undefined]>([
    [
      'text',
      { scope: 'openid ct:task.v1 tool:math.add tool:sys.ping' },
      { ct: ['task.v1'], tools: ['math.add', 'sys.ping'] },
    ],
    ['a list', { scp: ['tool:*'] }, { ct: [], tools: ['*'] }],
    ['both', { scope: 'ct:*', scp: 'tool:a' }, { ct: ['*'], tools: ['a'] }],
    ['of other forms', { scope: 'openid profile', scp: [7, null] }, undefined],
    ['missing', {}, undefined],
  ])('scopes that are %s', async (_what, members, allow) => {
    const token = signToken(key, claims(members));
    const { ceiling } = await attempt(callersOf(), bearer(token));
    expect(ceiling).toEqual(allow && { allow, notAfterMs: NOW + 300_000 });
  });
});

describe('#callers-jwt without the package that verifies', () => {
  const loadJose = (): Promise<never> => Promise.reject(new Error('ERR_MODULE_NOT_FOUND'));

  test('the operator is told what to install', async () => {
    await expect(assertTokenSupport([entry()], loadJose)).rejects.toThrow('npm install jose');
    await expect(assertTokenSupport([], loadJose)).resolves.toBeUndefined();
    await expect(assertTokenSupport([entry()])).resolves.toBeUndefined();
  });

  test('a token cannot be judged, and the callers of other schemes come in', async () => {
    const problems: unknown[] = [];
    const onProblem: CallersOptions['onProblem'] = ({ cause }) => problems.push(cause);
    const callers = callersOf([entry()], { loadJose, onProblem });
    expect(await codeOf(callers, bearer(signToken(key, claims())))).toBe('UNAVAILABLE');
    expect(String(problems[0])).toContain('npm install jose');
    expect(await codeOf(callers, { isLocalOwner: true })).toBe('let in');
  });
});
