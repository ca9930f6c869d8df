// Proves who is let in by what, as whom, and with which rights.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import type { CallerEntry, CallersOptions, Principal } from '../../../profiles/auth/index.ts';
import { createCallers, hashPassword, hashSecret } from '../../../profiles/auth/index.ts';
import {
  NOW,
  TOKEN,
  attempt,
  basic,
  bearer,
  codeOf,
  refusalOf,
  wordsOf,
} from '../../support/auth/attempts.ts';

const FINGERPRINT = 'ab'.repeat(32);
const sha256 = hashSecret(TOKEN);
const ENTRY: CallerEntry = { name: 'ci', proof: { scheme: 'bearer', secret: { sha256 } } };

function callersOf(entries: readonly CallerEntry[], options: Partial<CallersOptions> = {}) {
  return createCallers({ entries, now: () => NOW, ...options });
}

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'callers-'))));
afterAll(() => rmSync(folder, { recursive: true }));

describe('#callers who somebody is', () => {
  test('each scheme has owners of its own, also where the texts are the same', async () => {
    const callers = callersOf([
      { name: 'a', proof: { scheme: 'bearer', secret: { sha256 } } },
      { name: 'b', proof: { scheme: 'api-key', secret: { sha256 } } },
      {
        name: 'c',
        proof: { scheme: 'basic', user: 'a', password: { hash: await hashPassword(TOKEN) } },
      },
      { name: 'd', proof: { scheme: 'certificate', certificate: { sha256: FINGERPRINT } } },
    ]);
    const principals = [
      await attempt(callers, bearer(TOKEN)),
      await attempt(callers, { apiKey: TOKEN }),
      await attempt(callers, basic('a', TOKEN)),
      await attempt(callers, { certificate: FINGERPRINT }),
      await attempt(callers, { isLocalOwner: true }),
    ].map(({ principal }) => principal);
    expect(principals).toEqual([
      { id: '~bearer:a', tenant: '', scheme: 'bearer', caller: 'a' },
      { id: '~key:b', tenant: '', scheme: 'api-key', caller: 'b' },
      { id: '~basic:c', tenant: '', scheme: 'basic', caller: 'c' },
      { id: `~x509:${FINGERPRINT}`, tenant: '', scheme: 'certificate', caller: 'd' },
      { id: '~local:operator', tenant: '', scheme: 'local' },
    ]);
    expect(principals.map((principal) => callers.of(principal)?.share)).toEqual([
      ...Array.from({ length: 4 }, () => 'known'),
      'operator',
    ]);
    expect(principals.map((principal) => callers.of(principal)?.isAdmin)).toEqual([
      ...Array.from({ length: 4 }, () => false),
      true,
    ]);
  });

  test('what is shown for the request decides; what is wrong does not fall back to the connection', async () => {
    const callers = callersOf([ENTRY], { anonymous: ['test'] });
    const wrong = { authorization: 'Bearer not-the-token-at-all', isLocalOwner: true };
    expect(await codeOf(callers, wrong)).toBe('UNAUTHENTICATED');
    const right = await attempt(callers, { ...bearer(TOKEN), certificate: FINGERPRINT });
    expect(right.principal.id).toBe('~bearer:ci');
  });

  test('the scheme of a header is read in any case; a bearer token is no API key', async () => {
    const callers = callersOf([ENTRY]);
    expect(await codeOf(callers, { authorization: `bEARER  ${TOKEN}` })).toBe('let in');
    expect(await codeOf(callers, { apiKey: TOKEN })).toBe('UNAUTHENTICATED');
  });

  test('nobody without a proof comes in, except on a face that is open, as its own stranger', async () => {
    const callers = callersOf([ENTRY], { anonymous: ['open', 'other'] });
    expect(await codeOf(callers, {})).toBe('UNAUTHENTICATED');
    const { principal } = await attempt(callers, { face: 'open' });
    expect(principal).toEqual({ id: '~none:open', tenant: '', scheme: 'none' });
    expect(callers.of(principal)).toMatchObject({ share: 'stranger', isAdmin: false });
    expect(callers.of({ ...principal, id: '~none:test' })).toBeUndefined();
    expect((await attempt(callers, { face: 'other' })).principal.id).toBe('~none:other');
  });

  test('tenant and limits come from the entry', async () => {
    const callers = callersOf([
      { ...ENTRY, tenant: 'acme', tools: ['math.add'], contentTypes: ['task.v1'] },
    ]);
    const { principal } = await attempt(callers, bearer(TOKEN));
    expect(principal.tenant).toBe('acme');
    const standing = callers.of(principal)!;
    const wishes = [{ ct: 'task.v1' }, { ct: 'state.v1' }, { tool: 'math.add' }, { tool: 'x' }];
    expect(wishes.map((wish) => standing.allows(wish))).toEqual([true, false, true, false]);
  });

  test('a caller that is a peer owns its tasks, within the limits of both', async () => {
    const may = vi.fn((tool: string) => tool !== 'b');
    const callers = callersOf([{ ...ENTRY, peer: 'did:key:bob', tools: ['a', 'b'] }], {
      peer: (agentId) =>
        agentId === 'did:key:bob'
          ? { share: 'known', isAdmin: true, allows: (wish) => 'tool' in wish && may(wish.tool) }
          : undefined,
    });
    const { principal } = await attempt(callers, bearer(TOKEN));
    expect(principal).toMatchObject({ id: 'did:key:bob', scheme: 'bearer', caller: 'ci' });
    const standing = callers.of(principal)!;
    expect(['a', 'b', 'c'].map((tool) => standing.allows({ tool }))).toEqual([true, false, false]);
    expect(standing.isAdmin).toBe(false);
  });

  test('a caller of a peer that is not known any more is nobody', async () => {
    const callers = callersOf([{ ...ENTRY, peer: 'did:key:bob' }], { peer: () => undefined });
    expect(await codeOf(callers, bearer(TOKEN))).toBe('UNAUTHENTICATED');
  });
});

describe('#callers-live what is taken away', () => {
  interface Change {
    readonly name: string;
    readonly next: readonly CallerEntry[];
  }
  const changes: readonly Change[] = [
    { name: 'revoked', next: [{ ...ENTRY, revoked: true }] },
    { name: 'removed', next: [] },
    { name: 'ended', next: [{ ...ENTRY, expiresAt: NOW }] },
    { name: 'given to a peer', next: [{ ...ENTRY, peer: 'did:key:bob' }] },
    { name: 'moved to a tenant', next: [{ ...ENTRY, tenant: 'acme' }] },
    {
      name: 'of another scheme',
      next: [{ ...ENTRY, proof: { scheme: 'api-key', secret: { sha256 } } }],
    },
  ];
  test.each(changes)('an entry that was $name counts at the next use', async ({ next }) => {
    let list: readonly CallerEntry[] = [ENTRY];
    const callers = createCallers({ entries: () => list, now: () => NOW });
    const { principal } = await attempt(callers, bearer(TOKEN));
    expect(callers.of(principal)).toBeDefined();
    list = next;
    expect(callers.of(principal)).toBeUndefined();
  });

  test('a narrowed list of tools counts at the next use', async () => {
    let list: readonly CallerEntry[] = [ENTRY];
    const callers = createCallers({ entries: () => list, now: () => NOW });
    const { principal } = await attempt(callers, bearer(TOKEN));
    expect(callers.of(principal)!.allows({ tool: 'pay' })).toBe(true);
    list = [{ ...ENTRY, tools: ['math.add'] }];
    expect(callers.of(principal)!.allows({ tool: 'pay' })).toBe(false);
  });

  test('an entry ends at its time, and its principal says when', async () => {
    let now = NOW;
    const callers = createCallers({
      entries: [{ ...ENTRY, expiresAt: NOW + 1_000 }],
      now: () => now,
    });
    const { principal } = await attempt(callers, bearer(TOKEN));
    expect(principal.expiresAt).toBe(NOW + 1_000);
    now += 1_000;
    expect(callers.of(principal)).toBeUndefined();
    expect(await codeOf(callers, bearer(TOKEN))).toBe('UNAUTHENTICATED');
  });

  test('an entry that is revoked while its proof is looked at lets nobody in', async () => {
    const file = join(folder, 'held.txt');
    writeFileSync(file, TOKEN);
    let list: readonly CallerEntry[] = [
      { name: 'ci', proof: { scheme: 'bearer', secret: { file } } },
    ];
    const callers = createCallers({ entries: () => list, now: () => NOW });
    const asked = attempt(callers, bearer(TOKEN));
    list = [{ ...list[0]!, revoked: true }];
    await expect(asked).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('nobody is made up: a principal without its entry has no rights', () => {
    const callers = callersOf([ENTRY]);
    const made: Principal[] = [
      { id: '~bearer:ci', tenant: '', scheme: 'bearer' },
      { id: '~bearer:other', tenant: '', scheme: 'bearer', caller: 'ci' },
      { id: 'did:key:bob', tenant: '', scheme: 'bearer', caller: 'ci' },
      { id: '~bearer:ci', tenant: '', scheme: 'sdl', caller: 'ci' },
      { id: '~local:somebody', tenant: '', scheme: 'local' },
      { id: '~none:test', tenant: '', scheme: 'none' },
    ];
    expect(made.map((principal) => callers.of(principal))).toEqual(made.map(() => undefined));
  });
});

describe('#callers-answer what a refusal tells', () => {
  test('unknown, wrong, revoked, expired and unreadable get the same bytes', async () => {
    const hash = await hashPassword('the password of bob');
    const callers = callersOf(
      [
        { ...ENTRY, revoked: true },
        { name: 'late', expiresAt: NOW, proof: { scheme: 'api-key', secret: { sha256 } } },
        { name: 'bob', proof: { scheme: 'basic', user: 'bob', password: { hash } } },
      ],
      { attempts: { maxFailures: 100 } },
    );
    const shown = [
      {},
      bearer('an-unknown-token-of-nobody'),
      bearer(TOKEN),
      { apiKey: TOKEN },
      basic('bob', 'wrong'),
      basic('nobody', 'wrong'),
      { authorization: 'Basic %%%' },
      { authorization: 'Digest x' },
      { authorization: '' },
      bearer('a.b.c'),
      bearer('x'.repeat(20_000)),
      { certificate: FINGERPRINT },
    ];
    const words = new Set<string>();
    for (const each of shown) words.add(wordsOf((await refusalOf(callers, each))!));
    expect([...words]).toHaveLength(1);
    expect([...words][0]).toContain('UNAUTHENTICATED');
  });

  test('an address that is often wrong waits, also with what is right, and then may again', async () => {
    let now = NOW;
    const callers = createCallers({
      entries: [ENTRY],
      now: () => now,
      attempts: { maxFailures: 3 },
    });
    const guess = (): Promise<string> => codeOf(callers, bearer('a-guess-of-somebody-else'));
    expect([await guess(), await guess(), await guess(), await guess()]).toEqual([
      ...Array.from({ length: 3 }, () => 'UNAUTHENTICATED'),
      'LIMIT_RATE',
    ]);
    expect(await codeOf(callers, bearer(TOKEN))).toBe('LIMIT_RATE');
    expect(await codeOf(callers, { ...bearer(TOKEN), address: '192.0.2.2' })).toBe('let in');
    expect(await codeOf(callers, { isLocalOwner: true })).toBe('let in');
    now += 60_000;
    expect(await codeOf(callers, bearer(TOKEN))).toBe('let in');
  });

  test('an IPv6 network counts as one address', async () => {
    const callers = callersOf([ENTRY], { attempts: { maxFailures: 2 } });
    const from = (address: string): Promise<string> =>
      codeOf(callers, { ...bearer('a-guess-of-somebody-else'), address });
    const seen = [
      await from('2001:db8:1:2::1'),
      await from('2001:db8:1:2:ffff::9'),
      await from('2001:0db8:1:2::77'),
      await from('2001:db8:1:3::1'),
      await from('::1'),
      await from('::ffff:192.0.2.9'),
    ];
    expect(seen).toEqual([
      'UNAUTHENTICATED',
      'UNAUTHENTICATED',
      'LIMIT_RATE',
      ...Array.from({ length: 3 }, () => 'UNAUTHENTICATED'),
    ]);
  });

  test('many guesses of a password at once count like many in a row', async () => {
    const hash = await hashPassword('the password of bob');
    const callers = callersOf(
      [{ name: 'bob', proof: { scheme: 'basic', user: 'bob', password: { hash } } }],
      { attempts: { maxFailures: 3 } },
    );
    const guesses = Array.from({ length: 12 }, (_, at) =>
      codeOf(callers, basic('bob', `guess ${at}`)),
    );
    const codes = await Promise.all(guesses);
    expect(codes.filter((code) => code === 'UNAUTHENTICATED')).toHaveLength(3);
    expect(codes.filter((code) => code === 'LIMIT_RATE')).toHaveLength(9);
  });
});
