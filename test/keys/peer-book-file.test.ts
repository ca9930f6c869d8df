// The file of the peer book: private, whole, no lost changes, and snapshots that stand still.

import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { withFolderLock } from '../../keys/folder-lock.ts';
import { PeerBook } from '../../keys/peer-book.ts';
import type { PeerDraft } from '../../keys/peer-document.ts';
import { FILE_STEPS } from '../../keys/private-files.ts';
import { bob, bookWith, newPath, whole } from '../support/trust/peer-books.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('#key-files the file of the peer book', () => {
  test('has mode 600 in a folder of mode 700, and leaves nothing beside it', async () => {
    const { path } = await bookWith(bob, whole);
    expect(modeOf(path)).toBe('600');
    expect(modeOf(dirname(path))).toBe('700');
    expect(readdirSync(dirname(path))).toEqual(['peers.json']);
  });

  test('is made by the first change only', async () => {
    const book = await PeerBook.open(newPath());
    expect(book.list()).toEqual([]);
    expect(await book.reloadIfChanged()).toBe(false);
    expect(existsSync(dirname(book.path))).toBe(false);
  });

  test('is refused when others could touch it or its folder', async () => {
    const { path } = await bookWith(bob);
    chmodSync(path, 0o644);
    await expect(PeerBook.open(path)).rejects.toThrow('chmod 600');
    chmodSync(path, 0o600);
    chmodSync(dirname(path), 0o755);
    await expect(PeerBook.open(path)).rejects.toThrow('chmod 700');
    chmodSync(dirname(path), 0o700);
    const link = join(dirname(path), 'link.json');
    symlinkSync(path, link);
    await expect(PeerBook.open(link)).rejects.toThrow('symbolic link');
  });

  test('stays as it was when a write fails half-way, and what a crash left is in nobody’s way', async () => {
    const book = await bookWith(bob);
    const before = readFileSync(book.path, 'utf8');
    const steps = { ...FILE_STEPS, rename: () => Promise.reject(new Error('power cut')) };
    const broken = await PeerBook.open(book.path, { steps });
    await expect(broken.add(whole)).rejects.toThrow('could not be written');
    expect(readFileSync(book.path, 'utf8')).toBe(before);
    expect(broken.list()).toHaveLength(1);
    writeFileSync(join(dirname(book.path), '.peers.json.tmp'), 'half', { mode: 0o600 });
    await book.add(whole);
    expect(readdirSync(dirname(book.path))).toEqual(['peers.json']);
  });

  test('never grows beyond what can be read back', async () => {
    const book = await bookWith(bob);
    const large = (count: number): PeerDraft => ({
      agentId: 'x',
      tools: Array.from({ length: count }, (_, index) => `${index}`.padStart(255, 't')),
    });
    await expect(book.add(large(1_100))).rejects.toThrow('larger than 262144 bytes');
    expect(book.list()).toHaveLength(1);
    await book.add(large(1_000));
    expect((await PeerBook.open(book.path)).get('x')?.tools).toHaveLength(1_000);
  });
});

describe('#policy-snapshot W52 a snapshot of the peer book', () => {
  test('answers the same, whatever becomes of the book', async () => {
    const book = await bookWith(bob);
    const before = book.snapshot();
    const entry = before.find('did:key:bob');
    await book.revoke('bob');
    await book.add(whole);
    expect(before.find('did:key:bob')).toBe(entry);
    expect(before.find('did:key:bob')?.revoked).toBe(false);
    expect(before.find('did:key:alice')).toBeUndefined();
    expect(book.snapshot().find('did:key:bob')?.revoked).toBe(true);
    expect(Object.isFrozen(before)).toBe(true);
  });

  test('is of what another wrote, once that was taken in', async () => {
    const daemon = await bookWith(bob);
    const operator = await PeerBook.open(daemon.path);
    expect(await daemon.reloadIfChanged()).toBe(false);
    await operator.revoke('bob');
    expect(daemon.snapshot().find('did:key:bob')?.revoked).toBe(false);
    expect(await daemon.reloadIfChanged()).toBe(true);
    expect(daemon.snapshot().find('did:key:bob')?.revoked).toBe(true);
    expect(await daemon.reloadIfChanged()).toBe(false);
  });

  test('stays when what another wrote does not hold', async () => {
    const book = await bookWith(bob);
    writeFileSync(book.path, '{}');
    await expect(book.reloadIfChanged()).rejects.toThrow('does not hold');
    expect(book.snapshot().find('did:key:bob')).toBeDefined();
  });
});

describe('two writers of one peer book', () => {
  test('keep each other’s changes, also without taking them in first', async () => {
    const one = await bookWith(bob);
    const two = await PeerBook.open(one.path);
    await one.add(whole);
    await two.revoke('bob');
    expect(two.get('alice')).toBeDefined();
    await one.reloadIfChanged();
    expect(one.get('bob')?.revoked).toBe(true);
    expect(one.get('alice')).toBeDefined();
  });

  test('wait for each other within a process, and a failure holds nobody up', async () => {
    const book = await bookWith(bob);
    const drafts = Array.from({ length: 8 }, (_, index) => ({ agentId: `agent-${index}` }));
    const failing = book.add(bob);
    const adding = drafts.map((draft) => book.add(draft));
    await expect(failing).rejects.toThrow('already');
    await Promise.all(adding);
    expect((await PeerBook.open(book.path)).list()).toHaveLength(9);
  });

  test('are told when another holds the folder', async () => {
    const book = await bookWith(bob);
    await withFolderLock(dirname(book.path), async () => {
      await expect(book.revoke('bob')).rejects.toThrow('try again');
    });
    expect((await book.revoke('bob')).revoked).toBe(true);
  });
});
