// The folder of keys: who may touch it, what is in it, how it changes.

import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';

import { describe, expect, test } from 'vitest';

import { assertPrivate } from '../../keys/private-files.ts';
import type { FileFacts } from '../../keys/private-files.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { bundleKeys, verifyKeyBundle } from '../../src/security/identity/key-bundle.ts';
import { DAY_MS, NOW, newHome, openHome } from '../support/trust/key-home.ts';

const crypto = chooseProvider();
const CHEAP = { n: 2 ** 14, r: 8, p: 1 };
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('a new identity', () => {
  test('is kept in a folder of mode 700 and a file of mode 600, whatever the umask (W50)', async () => {
    const home = newHome();
    const before = process.umask(0);
    try {
      await openHome(home).create('agent');
    } finally {
      process.umask(before);
    }
    expect(modeOf(home)).toBe('700');
    expect(modeOf(join(home, 'agent.json'))).toBe('600');
    expect(readdirSync(home)).toEqual(['agent.json']);
  });

  test('has a did:key, one signing key and one encryption key, and a bundle that peers accept', async () => {
    const identity = await openHome(newHome()).create('agent');
    const bundle = await verifyKeyBundle(identity.bundle.document, { crypto, nowMs: NOW });
    expect(bundle.agentId).toBe(identity.agentId);
    expect(bundle.rootKey).toEqual(identity.root.publicKey);
    expect(bundle.seq).toBe(1);
    expect(bundle.keys.map((key) => key.use)).toEqual(['sig', 'enc']);
    expect(bundle.notAfterMs).toBe(NOW + 365 * DAY_MS);
    expect(identity.keys.map(({ kid, key }) => [kid, key.publicKey])).toEqual(
      bundle.keys.map(({ kid, publicKey }) => [kid, publicKey]),
    );
  });

  test('is loaded as it was made', async () => {
    const home = newHome();
    const made = await openHome(home).create('agent');
    const loaded = await openHome(home).load('agent');
    expect(loaded).toEqual(made);
    expect(loaded.root.reveal()).toEqual(made.root.reveal());
    expect(loaded.keys.map((key) => key.key.reveal())).toEqual(
      made.keys.map((key) => key.key.reveal()),
    );
  });

  test('shows no secret when it is printed', async () => {
    const identity = await openHome(newHome()).create('agent');
    const secret = Buffer.from(identity.root.reveal());
    const shown = `${inspect(identity, { depth: 9, maxArrayLength: null })}${JSON.stringify(identity)}`;
    expect(shown).not.toContain([...secret.subarray(0, 6)].join(', '));
    expect(shown).not.toContain(secret.toString('base64url'));
  });

  test('stands beside others, and its name is taken only once', async () => {
    const directory = openHome(newHome());
    expect(await directory.list()).toEqual([]);
    const agent = await directory.create('agent');
    const operator = await directory.create('operator');
    expect(operator.agentId).not.toBe(agent.agentId);
    expect(await directory.list()).toEqual(['agent', 'operator']);
    await expect(directory.create('agent')).rejects.toThrow('an identity "agent" already');
    expect((await directory.load('agent')).agentId).toBe(agent.agentId);
  });

  test('lives as long as is asked for', async () => {
    const identity = await openHome(newHome()).create('agent', { lifetimeMs: DAY_MS });
    expect(bundleKeys(identity.bundle, 'sig', NOW + DAY_MS)).toHaveLength(1);
    expect(bundleKeys(identity.bundle, 'sig', NOW + DAY_MS + 1)).toHaveLength(0);
    const eternal = openHome(newHome()).create('agent', { lifetimeMs: Number.POSITIVE_INFINITY });
    await expect(eternal).rejects.toThrow('"lifetimeMs"');
  });

  test.each(['', 'Agent', '../agent', 'a/b', '.lock', 'a.json', '-a', 'a'.repeat(64), 'é', 'a\0'])(
    'cannot have the name "%s"',
    async (name) => {
      const directory = openHome(newHome());
      await expect(directory.create(name)).rejects.toThrow('"name"');
      await expect(directory.load(name)).rejects.toThrow('"name"');
    },
  );

  test('that is not there is said to be missing', async () => {
    const home = newHome();
    await expect(openHome(home).load('agent')).rejects.toThrow('no identity "agent"');
    await expect(openHome(home).rotate('agent')).rejects.toThrow('no folder');
    await openHome(home).create('operator');
    await expect(openHome(home).load('agent')).rejects.toThrow('no identity "agent"');
    await expect(openHome(home).rotate('agent')).rejects.toThrow('no identity "agent"');
  });
});

describe('a folder or file that others could touch is refused with the command that mends it', () => {
  test.each([0o640, 0o604, 0o620, 0o602, 0o644, 0o610])('a file of mode %o', async (mode) => {
    const home = newHome();
    const directory = openHome(home);
    await directory.create('agent');
    const file = join(home, 'agent.json');
    chmodSync(file, mode);
    await expect(directory.load('agent')).rejects.toThrow(`chmod 600 '${file}'`);
    await expect(directory.rotate('agent')).rejects.toThrow(`chmod 600 '${file}'`);
    chmodSync(file, 0o600);
    expect((await directory.load('agent')).name).toBe('agent');
  });

  test.each([0o750, 0o705, 0o720, 0o777])('a folder of mode %o', async (mode) => {
    const home = newHome();
    const directory = openHome(home);
    await directory.create('agent');
    chmodSync(home, mode);
    const mend = `chmod 700 '${home}'`;
    await expect(directory.load('agent')).rejects.toThrow(mend);
    await expect(directory.list()).rejects.toThrow(mend);
    await expect(directory.create('operator')).rejects.toThrow(mend);
    await expect(directory.rotate('agent')).rejects.toThrow(mend);
  });

  test('a link in place of a file, even to a file of ours', async () => {
    const home = newHome();
    const directory = openHome(home);
    await directory.create('agent');
    const file = join(home, 'agent.json');
    renameSync(file, join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), file);
    await expect(directory.load('agent')).rejects.toThrow('symbolic link');
    await expect(directory.create('agent')).rejects.toThrow('already');
  });

  test('a link in place of the folder, with and without a slash behind it', async () => {
    const home = newHome();
    await openHome(home).create('agent');
    symlinkSync(home, `${home}-link`);
    for (const path of [`${home}-link`, `${home}-link/`]) {
      await expect(openHome(path).load('agent')).rejects.toThrow('symbolic link');
      await expect(openHome(path).create('operator')).rejects.toThrow('symbolic link');
    }
  });

  test('a link that leads nowhere in place of the folder', async () => {
    const home = newHome();
    symlinkSync(`${home}-gone`, home);
    await expect(openHome(home).create('agent')).rejects.toThrow(/could not be made|symbolic link/);
    await expect(openHome(home).list()).rejects.toThrow('symbolic link');
  });

  test('a folder in place of a file', async () => {
    const home = newHome();
    await openHome(home).create('operator');
    mkdirSync(join(home, 'agent.json'), { mode: 0o700 });
    await expect(openHome(home).load('agent')).rejects.toThrow('is not a file');
  });

  const facts: FileFacts = { kind: 'file', mode: 0o600, uid: 1_000 };
  test('a file of another user, also for the superuser', () => {
    expect(() => assertPrivate("/k/it's", facts, 'file', 1_000)).not.toThrow();
    expect(() => assertPrivate("/k/it's", facts, 'file', 0)).toThrow(
      String.raw`chown 0 '/k/it'\''s'`,
    );
    expect(() => assertPrivate('/k/a', { ...facts, uid: 0 }, 'file', 1_000)).toThrow(
      "chown 1000 '/k/a'",
    );
  });

  test('where there are no user ids only the kind of file counts', () => {
    const open = { ...facts, mode: 0o666 };
    expect(() => assertPrivate('/k/a', open, 'file', undefined)).not.toThrow();
    expect(() => assertPrivate('/k/a', { ...open, kind: 'link' }, 'file', undefined)).toThrow();
    expect(() => assertPrivate('/k/a', { ...open, kind: 'other' }, 'file', undefined)).toThrow();
  });
});

describe('a file whose content does not hold is refused', () => {
  interface Secrets {
    readonly root: string;
    readonly keys: readonly { readonly kid: string; readonly key: string }[];
  }
  const secretsOf = (document: JsonObject): Secrets => document['secrets'] as unknown as Secrets;
  const edits: [string, (document: JsonObject, other: JsonObject) => unknown][] = [
    ['not JSON', () => undefined],
    ['no object', () => []],
    ['another format', (document) => ({ ...document, format: 'x' })],
    ['no bundle', (document) => ({ ...document, bundle: undefined })],
    [
      'the bundle of another agent',
      (document, other) => ({ ...document, bundle: other['bundle'] }),
    ],
    [
      'the secrets of another agent',
      (document, other) => ({ ...document, secrets: other['secrets'] }),
    ],
    ['no secrets', (document) => ({ ...document, secrets: undefined })],
    ['secrets in two forms', (document) => ({ ...document, sealed: {} })],
    [
      'another root secret',
      (document, other) => ({
        ...document,
        secrets: { ...secretsOf(document), root: secretsOf(other).root },
      }),
    ],
    [
      'a secret that is not of its key',
      (document, other) => {
        const [first, second] = secretsOf(document).keys;
        const swapped = { ...first, key: secretsOf(other).keys[0]!.key };
        return { ...document, secrets: { ...secretsOf(document), keys: [swapped, second] } };
      },
    ],
    [
      'a secret less',
      (document) => ({
        ...document,
        secrets: { ...secretsOf(document), keys: [] },
      }),
    ],
    [
      'a bundle that was changed',
      (document) => ({ ...document, bundle: { ...(document['bundle'] as JsonObject), seq: 9 } }),
    ],
  ];
  test.each(edits)('%s', async (_, edit) => {
    const home = newHome();
    const directory = openHome(home);
    await directory.create('agent');
    await directory.create('other');
    const read = (name: string): JsonObject =>
      JSON.parse(readFileSync(join(home, `${name}.json`), 'utf8')) as JsonObject;
    const edited = JSON.stringify(edit(read('agent'), read('other'))) ?? '{"format":';
    writeFileSync(join(home, 'agent.json'), edited);
    const error: unknown = await directory.load('agent').catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/is damaged|does not hold/);
    expect(String(error)).not.toContain(secretsOf(read('other')).root);
  });

  test('a file of a megabyte is not even read', async () => {
    const home = newHome();
    await openHome(home).create('agent');
    writeFileSync(join(home, 'agent.json'), ' '.repeat(1_000_000));
    await expect(openHome(home).load('agent')).rejects.toThrow('too large');
  });
});

describe('a passphrase', () => {
  test('hides the secrets, and a wrong one is one clear error', async () => {
    const home = newHome();
    const directory = openHome(home, { scryptCost: CHEAP });
    const made = await directory.create('agent', { passphrase: 'right' });
    const text = readFileSync(join(home, 'agent.json'), 'utf8');
    expect(text).not.toContain(Buffer.from(made.root.reveal()).toString('base64url'));
    expect(await directory.load('agent', { passphrase: 'right' })).toEqual(made);
    await expect(directory.load('agent', { passphrase: 'wrong' })).rejects.toMatchObject({
      code: 'DECRYPT_FAILED',
      message: 'DECRYPT_FAILED: the passphrase is wrong, or the key file was changed',
    });
    await expect(directory.load('agent')).rejects.toThrow('give its passphrase');
  });

  test('is needed to rotate, and protects the new keys too', async () => {
    const directory = openHome(newHome(), { scryptCost: CHEAP });
    await directory.create('agent', { passphrase: 'right' });
    await expect(directory.rotate('agent')).rejects.toThrow('give its passphrase');
    await expect(directory.rotate('agent', { passphrase: 'x' })).rejects.toThrow('is wrong');
    const rotated = await directory.rotate('agent', { passphrase: 'right' });
    expect(rotated.bundle.seq).toBe(2);
    await expect(directory.load('agent')).rejects.toThrow('give its passphrase');
    expect(await directory.load('agent', { passphrase: 'right' })).toEqual(rotated);
  });
});
