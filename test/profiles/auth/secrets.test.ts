// Proves that secrets are compared well, read anew, kept as hashes and told to nobody.

import { spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import type { CallerEntry, CallerProblem } from '../../../profiles/auth/index.ts';
import {
  certificateHash,
  createCallers,
  hashOfUser,
  hashPassword,
  hashSecret,
} from '../../../profiles/auth/index.ts';
import { NOW, TOKEN, attempt, basic, bearer, codeOf } from '../../support/auth/attempts.ts';
import { makeCertificate } from '../../support/wire/certificates.ts';

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'secrets-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const sha256 = hashSecret(TOKEN);

describe('#callers-secrets how secrets are compared', () => {
  test('every entry of the scheme is compared in constant time, by hashes of one length', async () => {
    const compare = vi.spyOn(crypto, 'timingSafeEqual');
    const entries = ['first', 'second', 'third'].map((name): CallerEntry => ({
      name,
      proof: { scheme: 'bearer', secret: { sha256: name === 'first' ? sha256 : hashSecret(name) } },
    }));
    syncBuiltinESMExports();
    try {
      const callers = createCallers({ entries, now: () => NOW });
      expect(await codeOf(callers, bearer(TOKEN))).toBe('let in');
      expect(compare).toHaveBeenCalledTimes(3);
      expect(await codeOf(callers, bearer('short'))).toBe('UNAUTHENTICATED');
      expect(compare).toHaveBeenCalledTimes(6);
      for (const sides of compare.mock.calls) {
        expect(sides.map((side) => side.byteLength)).toEqual([64, 64]);
      }
    } finally {
      compare.mockRestore();
      syncBuiltinESMExports();
    }
  });

  test('a user that is not known costs the work of a password', async () => {
    const derive = vi.spyOn(crypto, 'scrypt');
    syncBuiltinESMExports();
    try {
      const hash = await hashPassword('the password of bob');
      const callers = createCallers({
        entries: [{ name: 'bob', proof: { scheme: 'basic', user: 'bob', password: { hash } } }],
        now: () => NOW,
      });
      derive.mockClear();
      await codeOf(callers, basic('bob', 'wrong'));
      await codeOf(callers, basic('nobody', 'wrong'));
      await codeOf(createCallers({ entries: [] }), basic('nobody', 'wrong'));
      const costs = derive.mock.calls.map(([, , length, options]) => [length, options]);
      expect(costs).toHaveLength(3);
      expect(new Set(costs.map((cost) => JSON.stringify(cost))).size).toBe(1);
      // What was right once is not derived again.
      expect(await codeOf(callers, basic('bob', 'the password of bob'))).toBe('let in');
      expect(await codeOf(callers, basic('bob', 'the password of bob'))).toBe('let in');
      expect(derive).toHaveBeenCalledTimes(4);
    } finally {
      derive.mockRestore();
      syncBuiltinESMExports();
    }
  });
});

describe('#callers-secrets files', () => {
  test('a token of a file changes with it, and the old one is worth nothing', async () => {
    const file = join(folder, 'token.txt');
    writeFileSync(file, `${TOKEN}\n`);
    const callers = createCallers({
      entries: [{ name: 'ci', proof: { scheme: 'bearer', secret: { file } } }],
      now: () => NOW,
    });
    expect(await codeOf(callers, bearer(TOKEN))).toBe('let in');
    writeFileSync(file, 'another-token-of-the-machine');
    expect(await codeOf(callers, bearer(TOKEN))).toBe('UNAUTHENTICATED');
    expect(await codeOf(callers, bearer('another-token-of-the-machine'))).toBe('let in');
  });

  test('a file of passwords has a line for each user', async () => {
    const file = join(folder, 'passwords.txt');
    const lines = [`bob:${await hashPassword('of bob')}`, `eve:${await hashPassword('of eve')}`];
    writeFileSync(file, lines.join('\n'));
    const callers = createCallers({
      entries: [{ name: 'b', proof: { scheme: 'basic', user: 'bob', password: { file } } }],
      now: () => NOW,
    });
    expect(await codeOf(callers, basic('bob', 'of bob'))).toBe('let in');
    expect(await codeOf(callers, basic('bob', 'of eve'))).toBe('UNAUTHENTICATED');
    expect(await codeOf(callers, basic('eve', 'of eve'))).toBe('UNAUTHENTICATED');
    writeFileSync(file, lines[1]!);
    expect(await codeOf(callers, basic('bob', 'of bob'))).toBe('UNAUTHENTICATED');
    expect(hashOfUser('bobby:x\nbob:y', 'bob')).toBe('y');
  });

  test('a certificate may be given as its file', async ({ skip }) => {
    const made = makeCertificate('robot.example');
    skip(made === undefined, 'openssl is missing');
    if (made === undefined) return;
    const file = join(folder, 'robot.pem');
    writeFileSync(file, made.cert);
    const openssl = spawnSync('openssl', [
      'x509',
      '-in',
      file,
      '-noout',
      '-fingerprint',
      '-sha256',
    ]);
    const fingerprint = String(openssl.stdout)
      .split('=')[1]!
      .trim()
      .replaceAll(':', '')
      .toLowerCase();
    expect(certificateHash(made.cert)).toBe(fingerprint);
    const callers = createCallers({
      entries: [{ name: 'robot', proof: { scheme: 'certificate', certificate: { file } } }],
      now: () => NOW,
    });
    const { principal } = await attempt(callers, { certificate: fingerprint });
    expect(principal.id).toBe(`~x509:${fingerprint}`);
    expect(callers.of(principal)).toBeDefined();
  });

  test.each([
    ['is missing', undefined, 'ENOENT'],
    ['is too short', 'only-15-letters', 'at least 16 characters'],
    ['holds blanks', 'a token of several words', 'no blanks'],
  ])(
    'one that %s lets nobody in, and its operator is told once, without it',
    async (_what, text, words) => {
      const file = join(folder, `wrong-${text?.length ?? 0}.txt`);
      if (text !== undefined) writeFileSync(file, text);
      const problems: CallerProblem[] = [];
      const callers = createCallers({
        entries: [{ name: 'ci', proof: { scheme: 'bearer', secret: { file } } }],
        now: () => NOW,
        onProblem: (problem) => problems.push(problem),
      });
      const shown = { authorization: `Bearer ${text?.replaceAll(' ', '') ?? 'x'}` };
      expect(await codeOf(callers, shown)).toBe('UNAUTHENTICATED');
      expect(await codeOf(callers, shown)).toBe('UNAUTHENTICATED');
      expect(problems).toHaveLength(1);
      const told = inspect(problems, { depth: null });
      expect(told).toContain(words);
      if (text !== undefined) expect(told).not.toContain(text);
    },
  );
});

describe('#callers-secrets hashes of passwords', () => {
  test('are salted, and cost what they say', async () => {
    const [one, other] = [await hashPassword('same'), await hashPassword('same')];
    expect(one).toMatch(/^scrypt\$32768\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(one).not.toBe(other);
  });

  test.each([
    'the password itself',
    'scrypt$3$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    'scrypt$4194304$32$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    'scrypt$32768$8$1$short$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  ])('%s is no hash to keep', (hash) => {
    const entries: CallerEntry[] = [
      { name: 'bob', proof: { scheme: 'basic', user: 'bob', password: { hash } } },
    ];
    expect(() => createCallers({ entries })).toThrow('hashed by scrypt');
    expect(() => createCallers({ entries })).not.toThrow(hash);
  });
});
