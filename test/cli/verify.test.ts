// The commands `verify` and `decrypt`, on the envelopes of the Python reference and on our own.

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { SecretKey } from '../../src/security/identity/secret-key.ts';
import { exportPublicKey, exportSecretKey } from '../../keys/format.ts';
import { encodeBase64url } from '../../src/codec/base64url.ts';
import { writePythonJson } from '../../src/codec/canonical-python.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { encryptPayload } from '../../src/security/message/encrypt-payload.ts';
import { signEnvelope } from '../../src/security/message/sign.ts';
import { parse, textOf, utf8 } from '../support/wire/bytes.ts';
import { initHome, newFile, newFolder, runCli } from '../support/agents/cli.ts';
import type { CliRun } from '../support/agents/cli.ts';
import { taskPayload, taskRequest, wireCopy } from '../support/wire/envelopes.ts';
import { goldenBytes, goldenCases, goldenKey } from '../support/wire/golden.ts';
import type { GoldenCase } from '../support/wire/golden.ts';
import { hasVectors } from '../support/repository/vectors.ts';

const crypto = chooseProvider();
const PUBLIC_KEY = exportPublicKey(SecretKey.generate('ed25519', crypto), 'raw');
const PAYLOAD = JSON.stringify(taskPayload);

/** Without a home: only what is given counts. */
function alone(args: readonly string[], input = ''): Promise<CliRun> {
  return runCli([...args, '--home', join(newFolder(), 'none')], { input });
}

function goldenFile(one: GoldenCase): string {
  const file = join(newFolder(), 'message');
  writeFileSync(file, goldenBytes(one));
  return file;
}

function rawKey(kid: string, member: string): string {
  return `${kid}=${encodeBase64url(goldenKey(kid, member))}`;
}

function signKey(): string[] {
  return ['--sign-key', rawKey('sig-1', 'ed25519_public_b64url')];
}

function decryptKey(): string[] {
  return ['--decrypt-key', rawKey('enc-1', 'x25519_private_b64url')];
}

describe.skipIf(!hasVectors)('#v1-sends the golden envelopes, judged by the keys given', () => {
  test('there are 84', () => expect(goldenCases).toHaveLength(84));

  test.each(goldenCases)('$name', async (one) => {
    const file = goldenFile(one);
    const isSigned = one.verifies === true;
    const verified = await alone(['verify', file, ...signKey(), '--json']);
    expect([verified.code, verified.stderr]).toEqual([isSigned ? 0 : 1, '']);
    expect(verified.json()).toMatchObject(
      isSigned
        ? {
            ok: true,
            signer: 'did:key:sender',
            kid: 'sig-1',
            canon: one.signing_canon === 'cbor' ? 'cbor' : 'python',
          }
        : { ok: false, signer: null, canon: null, stage: 'verify' },
    );

    const isSealed = one.name.startsWith('enc+sig');
    const opened = await alone(['decrypt', file, ...signKey(), ...decryptKey()]);
    expect(opened.code).toBe(isSealed ? 0 : 1);
    expect(opened.stdout).toBe(isSealed ? one.payload_canonical : '');

    const inspected = await alone(['inspect', file, ...signKey(), ...decryptKey(), '--json']);
    expect(inspected.code).toBe(one.name.startsWith('bad/') ? 1 : 0);
  });
});

describe('#sec-canon verify', () => {
  /** A label that signs the very text which it sends. */
  async function signedText(
    key: SecretKey,
    write: (envelope: JsonObject) => string = (envelope) => JSON.stringify(envelope, undefined, 1),
  ): Promise<string> {
    const sec = { mode: 'sig', kid: 'k1', sig: { alg: 'ed25519', value: '' } } as const;
    const text = write(wireCopy({ ...taskRequest(), sec }));
    const value = encodeBase64url(await crypto.sign(utf8(text), key.reveal()));
    return text.replace(/("value": ?)""/, `$1"${value}"`);
  }

  test('says that the very text was signed, whatever line end the file has', async () => {
    const key = SecretKey.generate('ed25519', crypto);
    const pem = newFile('k1.pem', exportPublicKey(key, 'pem'));
    const message = await signedText(key);
    const args = ['verify', '-', '--sign-key', `k1=${pem}`];
    const { code, stdout } = await alone(args, `${message}\n\n`);
    expect(code).toBe(0);
    expect(stdout).toContain('the text of the message as it is');
    expect((await alone([...args, '--json'], message)).json()).toMatchObject({ canon: 'text' });
  });

  test('says of a text in Python-JSON that it is both', async () => {
    const key = SecretKey.generate('ed25519', crypto);
    const message = await signedText(key, (envelope) => textOf(writePythonJson(envelope)));
    const args = ['verify', '-', '--sign-key', `k1=${exportPublicKey(key, 'raw')}`];
    const { code, stdout } = await alone(args, message);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Python-JSON, which is the text/)]);
    const spaced = await alone(args, message.replace('{', '{ '));
    expect([spaced.code, spaced.stdout]).toEqual([0, expect.stringMatching(/Python-JSON$/m)]);
  });

  test('takes the keys of a did:key sender from the message itself (#sec-kid-bound)', async () => {
    const home = await initHome();
    const args = ['sign', '-', '--ct', 'task.v1', '--to', 'agent', '--home', home];
    const { stdout } = await runCli(args, { input: PAYLOAD });
    const verified = await alone(['verify', '-', '--json'], stdout);
    expect(verified.json()).toMatchObject({ ok: true, canon: 'jcs' });
    const other = SecretKey.generate('ed25519', crypto);
    const given = ['--sign-key', `x=${exportPublicKey(other, 'raw')}`];
    const refused = await alone(['verify', '-', ...given], stdout);
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringContaining('and the given are "x"'),
    ]);
  });

  test('a bundle that its root key did not sign proves no key', async () => {
    const home = await initHome();
    const args = ['sign', '-', '--ct', 'task.v1', '--to', 'agent', '--home', home];
    const { stdout } = await runCli(args, { input: PAYLOAD });
    const { code, stdout: words } = await alone(
      ['verify', '-'],
      stdout.replace('"seq":1', '"seq":2'),
    );
    expect([code, words]).toEqual([1, expect.stringContaining('not verified (verify)')]);
    expect(words).not.toContain('--sign-key');
  });

  test('names the key that is wanted when none is given', async () => {
    const key = SecretKey.generate('ed25519', crypto);
    const { code, stdout } = await alone(['verify', '-'], await signedText(key));
    expect(code).toBe(1);
    expect(stdout).toContain('the key "k1" is wanted');
    expect(stdout).toContain('--sign-key');
  });

  test('an unsigned message does not verify', async () => {
    const message = textOf(writeJson(wireCopy(taskRequest())));
    const { code, stdout } = await alone(['verify', '-'], message);
    expect([code, stdout]).toEqual([1, 'not verified (verify): the message is not signed\n']);
  });

  test('knows the peers of a home, asks for no passphrase, and refuses the revoked', async () => {
    const passphrase = newFile('passphrase', 'correct horse');
    const home = join(newFolder(), 'home');
    await runCli(['init', '--home', home, '--passphrase-file', passphrase]);
    const key = SecretKey.generate('ed25519', crypto);
    const message = await signedText(key);
    const verify = ['verify', '-', '--home', home];
    const stranger = await runCli(verify, { input: message });
    expect([stranger.code, stranger.stdout]).toEqual([
      1,
      expect.stringContaining('not known here'),
    ]);
    const add = [
      'peers',
      'add',
      'did:key:alice',
      '--sign-key',
      `k1=${exportPublicKey(key, 'raw')}`,
    ];
    expect((await runCli([...add, '--compat', 'label-id', '--home', home])).stderr).toBe('');
    expect(await runCli(verify, { input: message })).toMatchObject({ code: 0, stderr: '' });
    await runCli(['peers', 'revoke', 'did:key:alice', '--home', home]);
    const revoked = await runCli(verify, { input: message });
    expect([revoked.code, revoked.stdout]).toEqual([1, expect.stringContaining('revoked')]);
  });

  test.each([
    [['--sign-key', 'k1='], 2, 'KID=KEY'],
    [['--sign-key', 'k1=/no/such/file'], 1, 'no such file'],
    [['--encoding', 'xml'], 2, 'json, cbor'],
    [['--sign-key', `k=${'A'.repeat(43)}`], 1, 'not an ed25519 public key'],
    [['--as', 'agent', '--sign-key', `k=${PUBLIC_KEY}`], 2, '--as is for the keys of a home'],
    [['--as', 'nobody'], 2, 'agent, operator'],
    [['--as', 'agent'], 1, 'a2a-sdl init'],
  ])('%j is refused', async (args, code, words) => {
    const run = await alone(['verify', '-', ...args], '{}');
    expect([run.code, run.stdout, run.stderr]).toEqual([code, '', expect.stringContaining(words)]);
  });
});

describe('#sec-encrypt #sec-order decrypt', () => {
  interface Sealed {
    readonly message: string;
    readonly key: string;
    readonly secret: SecretKey;
  }

  async function seal(): Promise<Sealed> {
    const home = await initHome();
    const secret = SecretKey.generate('x25519', crypto);
    const enc = ['--enc-key', `e1=${exportPublicKey(secret, 'raw')}`];
    const args = ['encrypt', '-', '--ct', 'task.v1', '--to', 'did:key:it', ...enc, '--home', home];
    const { stdout } = await runCli(args, { input: PAYLOAD });
    return { message: stdout, key: `e1=${exportSecretKey(secret, 'raw')}`, secret };
  }

  test('writes the bytes that were sealed and nothing else, verified by the sender’s own keys', async () => {
    const { message, secret } = await seal();
    const file = newFile('e1.jwk', exportSecretKey(secret, 'jwk'));
    const { code, stdout, stderr } = await alone(
      ['decrypt', '-', '--decrypt-key', `e1=${file}`],
      message,
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(parse(stdout)).toEqual(taskPayload);
    expect(stdout.endsWith('}')).toBe(true);
    const json = await alone(['decrypt', '-', '--decrypt-key', `e1=${file}`, '--json'], message);
    expect(json.json()).toEqual({ payload: parse(stdout) });
  });

  test('with --json what was sealed is a value with its own numbers, and bytes where it is no JSON', async () => {
    const secret = SecretKey.generate('x25519', crypto);
    const key = `e1=${newFile('e1.jwk', exportSecretKey(secret, 'jwk'))}`;
    const decrypted = async (plaintext: string): Promise<string> => {
      const recipients = [{ kid: 'e1', publicKey: secret.publicKey }];
      const { enc } = encryptPayload(utf8(plaintext), recipients, crypto);
      const message = { ...wireCopy(taskRequest()), payload: null, sec: { mode: 'enc', enc } };
      const args = ['decrypt', '-', '--decrypt-key', key, '--json'];
      return (await alone(args, textOf(writeJson(message as unknown as JsonObject)))).stdout;
    };
    expect(await decrypted('{"n":1.0,"big":9007199254740993}')).toBe(
      '{"payload":{"n":1.0,"big":9007199254740993}}\n',
    );
    expect(await decrypted('\u00A1cbor?')).toBe(
      `{"bytes":"${encodeBase64url(utf8('\u00A1cbor?'))}"}\n`,
    );
  });

  test('takes a raw secret key, and warns of it', async () => {
    const { message, key } = await seal();
    const { code, stderr } = await alone(['decrypt', '-', '--decrypt-key', key], message);
    expect([code, stderr]).toEqual([0, expect.stringContaining('prefer a file')]);
  });

  test('writes a file for its owner alone, and never over another', async () => {
    const { message, key } = await seal();
    const out = join(newFolder(), 'payload.json');
    const args = ['decrypt', '-', '--decrypt-key', key, '--out', out];
    expect(await alone(args, message)).toMatchObject({ code: 0, stdout: '' });
    expect(parse(readFileSync(out, 'utf8'))).toEqual(taskPayload);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const again = await alone(args, message);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('there already')]);
  });

  test('gives nothing out when the signature does not hold', async () => {
    const { message, key } = await seal();
    const out = join(newFolder(), 'payload.json');
    const args = ['decrypt', '-', '--decrypt-key', key, '--out', out];
    const { code, stdout, stderr } = await alone(args, message.replace('"operator"', '"somebody"'));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('SIGNATURE_INVALID');
    expect(existsSync(out)).toBe(false);
  });

  test('gives nothing out when the ciphertext is bound to another header (#x-bind)', async () => {
    const { message, key } = await seal();
    const value = parse(message) as JsonObject;
    const signer = SecretKey.generate('ed25519', crypto);
    const sec = value['sec'] as JsonObject;
    const blank = {
      ...value,
      sec: { ...sec, kid: 'thief', sig: { alg: 'ed25519', canon: 'jcs', value: '' } },
    };
    const { envelope } = await signEnvelope(blank, 'jcs', signer.reveal(), crypto);
    const args = ['decrypt', '-', '--decrypt-key', key];
    const given = ['--sign-key', `thief=${exportPublicKey(signer, 'raw')}`];
    const { code, stdout, stderr } = await alone([...args, ...given], textOf(writeJson(envelope)));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('BINDING_INVALID');
  });

  test('says so when nothing proves who sealed it', async () => {
    const { message, key } = await seal();
    const value = parse(message) as JsonObject;
    const signer = SecretKey.generate('ed25519', crypto);
    const { x: _x, ...sec } = value['sec'] as JsonObject;
    const blank = {
      ...value,
      from: { ...(value['from'] as JsonObject), agent_id: 'did:key:label' },
      sec: { ...sec, kid: 'k1', sig: { alg: 'ed25519', canon: 'jcs', value: '' } },
    };
    const { envelope } = await signEnvelope(blank, 'jcs', signer.reveal(), crypto);
    const input = textOf(writeJson(envelope));
    const { code, stderr } = await alone(['decrypt', '-', '--decrypt-key', key], input);
    expect([code, stderr]).toEqual([0, expect.stringContaining('not verified')]);
  });

  test('opens with the keys of a home', async () => {
    const home = await initHome();
    const args = ['encrypt', '-', '--ct', 'task.v1', '--to', 'agent', '--home', home];
    const { stdout } = await runCli(args, { input: PAYLOAD });
    const opened = await runCli(['decrypt', '-', '--home', home], { input: stdout });
    expect([opened.code, opened.stderr, parse(opened.stdout)]).toEqual([0, '', taskPayload]);
    const other = ['decrypt', '-', '--as', 'operator', '--home', home];
    const refused = await runCli(other, { input: stdout });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('it takes the key'),
    ]);
  });

  test('names the keys that it takes, and a message in clear', async () => {
    const { message } = await seal();
    const missing = await alone(['decrypt', '-'], message);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining('it takes the key "e1"'),
    ]);
    const plain = await alone(['decrypt', '-'], textOf(writeJson(wireCopy(taskRequest()))));
    expect([plain.code, plain.stderr]).toEqual([1, expect.stringContaining('not encrypted')]);
  });
});
