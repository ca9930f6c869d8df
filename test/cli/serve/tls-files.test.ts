// Proves that the daemon names the option and the file of TLS that is wrong, before it makes anything.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { readTlsFiles } from '../../../cli/serve/tls-files.ts';
import { newCliHome, newFolder, runCli } from '../../support/agents/cli.ts';
import { makeCertificate } from '../../support/wire/certificates.ts';

const [one, other] = [makeCertificate('one.example'), makeCertificate('other.example')];
const DAY_MS = 86_400_000;
const NOBODY = 65_534;

describe.skipIf(one === undefined)('the TLS files of serve', () => {
  const folder = (): ((name: string, text: string) => string) => {
    const place = newFolder();
    return (name, text) => {
      const path = join(place, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    };
  };

  async function refusal(
    files: { cert: string; key: string; ca?: string },
    nowMs = Date.now(),
  ): Promise<{ message: string; next: string; exitCode: number }> {
    const thrown: unknown = await readTlsFiles({ ...files, requireClientCert: false }, nowMs).then(
      () => new Error('they were taken'),
      (cause: unknown) => cause,
    );
    return thrown as { message: string; next: string; exitCode: number };
  }

  test('are taken when they fit, with all authorities, and both in one file too', async () => {
    const write = folder();
    const both = write('both.pem', one!.key + one!.cert);
    const ca = write('ca.pem', one!.cert + other!.cert);
    const read = await readTlsFiles(
      { cert: both, key: both, ca, requireClientCert: true },
      Date.now(),
    );
    expect(read.texts).toEqual({
      cert: one!.key + one!.cert,
      key: one!.key + one!.cert,
      ca: one!.cert + other!.cert,
      requireClientCert: true,
    });
    expect(read.untilMs - Date.now()).toBeGreaterThan(DAY_MS);
  });

  test('that are swapped are told so, with the line that works', async () => {
    const write = folder();
    const [cert, key] = [write('c.pem', one!.cert), write('k.pem', one!.key)];
    const run = await runCli([
      'serve',
      '--home',
      join(newFolder(), 'home'),
      '--tls-cert',
      key,
      '--tls-key',
      cert,
    ]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`--tls-cert: ${key} holds a private key, and --tls-key: ${cert}`);
    expect(run.stderr).toContain(`--tls-cert ${cert} --tls-key ${key}`);
    expect(run.stderr).not.toContain('fault of a2a-sdl');
  });

  test('make nothing when they are wrong', async () => {
    const home = newCliHome();
    const args = ['serve', '--home', home, '--tls-cert', '/nowhere', '--tls-key', '/nowhere'];
    const run = await runCli(args);
    expect([run.code, run.stderr]).toEqual([
      2,
      expect.stringContaining('--tls-cert: /nowhere: there is no such file') as string,
    ]);
    expect(existsSync(join(home, 'keys'))).toBe(false);
  });

  test('are refused by option and file, each for its own fault', async () => {
    const write = folder();
    const cert = write('cert.pem', one!.cert);
    const key = write('key.pem', one!.key);
    const broken = (text: string): string =>
      text.replace(/\n[^\n-]+\n-----END/, '\nAAAA\n-----END');
    const place = newFolder();
    mkdirSync(join(place, 'folder'));
    const cases: [{ cert: string; key: string; ca?: string }, string][] = [
      [{ cert: join(place, 'folder'), key }, `--tls-cert: ${place}/folder: it is a folder`],
      [{ cert: write('x.pem', 'hello'), key }, 'x.pem is not PEM'],
      [{ cert, key: write('y.pem', 'hello') }, '--tls-key: '],
      [{ cert: key, key }, `--tls-cert: ${key} holds a private key, and no certificate`],
      [{ cert, key: cert }, `--tls-key: ${cert} holds a certificate, and no private key`],
      [{ cert, key: write('other.pem', other!.key) }, 'other.pem is not the key of'],
      [{ cert: write('b.pem', broken(one!.cert)), key }, 'certificate that cannot be read'],
      [{ cert, key: write('bk.pem', broken(one!.key)) }, 'private key that cannot be read'],
      [{ cert, key, ca: key }, `--tls-ca: ${key} holds a private key, and no certificate`],
      [{ cert, key, ca: '/nowhere' }, '--tls-ca: /nowhere: there is no such file'],
    ];
    for (const [files, words] of cases) {
      const { message, next, exitCode } = await refusal(files);
      expect(message).toContain(words);
      expect(exitCode).toBe(2);
      expect(next.length).toBeGreaterThan(10);
    }
    const late = await refusal({ cert, key }, Date.now() + 3 * DAY_MS);
    expect(late.message).toMatch(/^--tls-cert: the certificate in \S+cert\.pem ended on \d{4}-/);
  });

  test('a key with a passphrase is told how to write it without one', async () => {
    const write = folder();
    const cert = write('cert.pem', one!.cert);
    const plain = write('key.pem', one!.key);
    const key = plain.replace('key.pem', 'sealed.pem');
    const words = `pkcs8 -topk8 -in ${plain} -passout pass:hush -out ${key}`.split(' ');
    expect(spawnSync('openssl', words).status).toBe(0);
    const { message, next } = await refusal({ cert, key });
    expect(message).toContain(`--tls-key: ${key} is protected by a passphrase`);
    expect(next).toContain('openssl pkey');
  });

  test('that may not be read are told so', async () => {
    const write = folder();
    const cert = write('cert.pem', one!.cert);
    const key = write('key.pem', one!.key);
    chmodSync(key, 0);
    // Nothing is kept from root.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      expect((await refusal({ cert, key })).message).toContain('this user may not read it');
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});
