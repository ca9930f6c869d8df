// The commands `callers`: what they write down, what they refuse, and that no secret is shown or kept.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { CallerBook } from '../../../cli/callers/book.ts';
import { homeAt } from '../../../cli/home/home.ts';
import type { Principal } from '../../../profiles/auth/index.ts';
import { createCallers } from '../../../profiles/auth/index.ts';
import { TOKEN, attempt, basic, bearer, codeOf } from '../../support/auth/attempts.ts';
import type { CliRun } from '../../support/agents/cli.ts';
import { CLI_NOW, initHome, newFile, runCli } from '../../support/agents/cli.ts';
import { makeCertificate } from '../../support/wire/certificates.ts';

const PASSWORD = 'the password of bob';

async function start(): Promise<{
  readonly home: string;
  readonly run: (...args: string[]) => Promise<CliRun>;
}> {
  const home = await initHome();
  return { home, run: (...args) => runCli(['callers', ...args, '--home', home]) };
}

const secretFile = (text: string): string => `@${newFile('secret.txt', `${text}\n`)}`;

async function callersOf(home: string): Promise<ReturnType<typeof createCallers>> {
  const book = await CallerBook.open(homeAt(home));
  return createCallers({ entries: book.list(), now: () => CLI_NOW });
}

async function principalOf(home: string, shown: object): Promise<Principal> {
  return (await attempt(await callersOf(home), shown)).principal;
}

describe('callers add', () => {
  test('lets in by a token and a key, with the limits that were said', async () => {
    const { home, run } = await start();
    const limits =
      '--tools math.add,sys.ping --ct task.v1 --tenant acme --expires 2026-12-31'.split(' ');
    const added = await run('add', 'ci', '--bearer', secretFile(TOKEN), ...limits, '--json');
    expect([added.code, added.json()]).toEqual([
      0,
      {
        name: 'ci',
        state: 'let in',
        scheme: 'bearer',
        tools: ['math.add', 'sys.ping'],
        ct: ['task.v1'],
        tenant: 'acme',
        expires: '2026-12-31T00:00:00Z',
      },
    ]);
    expect((await run('add', 'web', '--api-key', secretFile(TOKEN))).code).toBe(0);
    expect(await principalOf(home, bearer(TOKEN))).toEqual({
      id: '~bearer:ci',
      tenant: 'acme',
      scheme: 'bearer',
      caller: 'ci',
      expiresAt: Date.UTC(2026, 11, 31),
    });
    expect((await principalOf(home, { apiKey: TOKEN })).id).toBe('~key:web');
  });

  test('lets in by a password, given itself or hashed', async () => {
    const { home, run } = await start();
    expect((await run('add', 'bob', '--basic', 'bob', secretFile(PASSWORD))).code).toBe(0);
    const line = (await run('hash', 'eve', secretFile('of eve'))).stdout;
    expect(line).toMatch(/^eve:scrypt\$/);
    expect((await run('add', 'eve', '--basic', 'eve', secretFile(line))).code).toBe(0);
    const callers = await callersOf(home);
    expect(await codeOf(callers, basic('bob', PASSWORD))).toBe('let in');
    expect(await codeOf(callers, basic('eve', 'of eve'))).toBe('let in');
    expect(await codeOf(callers, basic('eve', PASSWORD))).toBe('UNAUTHENTICATED');
  });

  test('lets in by a certificate, as a peer', async ({ skip }) => {
    const made = makeCertificate('robot.example');
    skip(made === undefined, 'openssl is missing');
    if (made === undefined) return;
    const { home, run } = await start();
    const file = newFile('robot.pem', made.cert);
    const added = await run('add', 'robot', '--certificate', file, '--peer', 'operator', '--json');
    const { certificate, peer } = added.json() as { certificate: string; peer: string };
    expect(certificate).toMatch(/^[0-9a-f]{64}$/);
    expect(await principalOf(home, { certificate })).toMatchObject({
      id: peer,
      caller: 'robot',
    });
  });

  test('keeps what a token of an issuer must be', async () => {
    const { run } = await start();
    const words =
      'add staff --jwt https://login.example --audience https://agent.example ' +
      '--jwks https://login.example/keys --subject alice --json';
    const added = await run(...words.split(' '));
    expect(added.json()).toMatchObject({
      scheme: 'jwt',
      issuer: 'https://login.example',
      audience: 'https://agent.example',
      jwks: 'https://login.example/keys',
      subject: 'alice',
    });
  });

  test.each<[string, (at: string) => readonly string[], string]>([
    ['a token of 15 characters', () => ['--bearer', secretFile('x'.repeat(15))], '16 characters'],
    ['a token on the command line', () => ['--bearer', TOKEN], '@FILE'],
    ['a password on the command line', () => ['--basic', 'bob', PASSWORD], '@FILE'],
    ['no proof', () => [], '--bearer'],
    ['two proofs', () => ['--bearer', '@a', '--api-key', '@b'], 'give one of'],
    ['a token without audience', () => ['--jwt', 'https://login.example'], '--audience'],
    ['an audience of a key', () => ['--api-key', '@a', '--audience', 'x'], 'is for --jwt'],
    ['a pattern of tools', () => ['--bearer', secretFile(TOKEN), '--tools', 'math.*'], '--tools'],
    [
      'an end in the past',
      () => ['--bearer', secretFile(TOKEN), '--expires', '2026-01-01'],
      'past',
    ],
    [
      'an end that is no date',
      () => ['--bearer', secretFile(TOKEN), '--expires', 'soon'],
      '--expires',
    ],
    [
      'a peer that is not known',
      () => ['--bearer', secretFile(TOKEN), '--peer', 'nobody'],
      'no peer',
    ],
    ['no certificate', () => ['--certificate', newFile('x.pem', 'x')], 'PEM'],
  ])('refuses %s, and repeats no secret', async (_what, args, words) => {
    const { home, run } = await start();
    const { code, stdout, stderr } = await run('add', 'ci', ...args(home));
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(words);
    for (const secret of [TOKEN, PASSWORD, 'x'.repeat(15)])
      expect(stdout + stderr).not.toContain(secret);
    expect((await run('list', '--json')).json()).toEqual([]);
  });

  test('refuses a second caller of one name or one secret', async () => {
    const { run } = await start();
    await run('add', 'ci', '--bearer', secretFile(TOKEN));
    const again = await run('add', 'ci', '--bearer', secretFile(`${TOKEN}-2`));
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already')]);
    const same = await run('add', 'other', '--bearer', secretFile(TOKEN));
    expect(same.stderr).toContain('prove themselves by the same');
    expect(same.stderr).not.toContain(TOKEN);
  });
});

describe('#callers-secrets what the book holds', () => {
  test('is private, and neither it nor any list has a secret; a list has no hash either', async () => {
    const { home, run } = await start();
    await run('add', 'ci', '--bearer', secretFile(TOKEN));
    await run('add', 'bob', '--basic', 'bob', secretFile(PASSWORD));
    const { callers } = homeAt(home);
    expect(statSync(callers).mode & 0o777).toBe(0o600);
    const written = readFileSync(callers, 'utf8');
    const shown = (await run('list')).stdout + (await run('list', '--json')).stdout;
    for (const secret of [TOKEN, PASSWORD]) expect(written + shown).not.toContain(secret);
    expect(shown).not.toMatch(/sha256|scrypt|[0-9a-f]{64}/);
    expect(shown).toContain('bob');
  });

  test('that is open to others, or of another form, is not used', async () => {
    const { home, run } = await start();
    const { callers } = homeAt(home);
    writeFileSync(callers, '{"format":"a2a-sdl/callers/v1","callers":[{"name":"x"}]}', {
      mode: 0o600,
    });
    expect((await run('list')).stderr).toContain('must have one of');
    writeFileSync(join(dirname(callers), 'callers.json'), '{"format":"other"}', { mode: 0o600 });
    expect((await run('list')).stderr).toContain('its format must be');
  });
});

describe('callers revoke', () => {
  test('lets the caller in no more, and its name may be given anew', async () => {
    const { home, run } = await start();
    await run('add', 'ci', '--bearer', secretFile(TOKEN));
    expect((await run('revoke', 'ci')).stdout).toBe('ci is revoked\n');
    expect((await run('list', '--json')).json()).toMatchObject([{ name: 'ci', state: 'revoked' }]);
    expect(await codeOf(await callersOf(home), bearer(TOKEN))).toBe('UNAUTHENTICATED');
    expect((await run('add', 'ci', '--bearer', secretFile(`${TOKEN}-2`))).code).toBe(0);
    expect(await codeOf(await callersOf(home), bearer(`${TOKEN}-2`))).toBe('let in');
  });

  test('says so where there is none', async () => {
    const { run } = await start();
    const { code, stderr } = await run('revoke', 'nobody');
    expect([code, stderr]).toEqual([1, expect.stringContaining('there is no caller "nobody"')]);
  });
});
