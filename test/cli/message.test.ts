// The commands `sign` and `encrypt`: what they print is what a receiver accepts.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { EXAMPLES, completePayload } from '../../cli/send/complete-payload.ts';
import { homeAt } from '../../cli/home/home.ts';
import { KeyDirectory } from '../../keys/directory.ts';
import type { StoredIdentity } from '../../keys/directory.ts';
import { exportPublicKey, exportSecretKey } from '../../keys/format.ts';
import { SecretKey } from '../../src/security/identity/secret-key.ts';
import { readCbor } from '../../src/codec/cbor/read.ts';
import { readJson } from '../../src/codec/json/read.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { checkShape } from '../../src/envelope/shape.ts';
import type { Envelope } from '../../src/envelope/types.ts';
import { checkBind } from '../../src/security/message/bind.ts';
import { verifyKeyBundle } from '../../src/security/identity/key-bundle.ts';
import { decryptPayload } from '../../src/security/message/encrypt-payload.ts';
import { verifyEnvelope } from '../../src/security/message/sign.ts';
import { thumbprint } from '../../src/security/identity/thumbprint.ts';
import { CLI_NOW, initHome, newFile, newFolder, runCli } from '../support/agents/cli.ts';
import { registry, taskPayload } from '../support/wire/envelopes.ts';
import { parse } from '../support/wire/bytes.ts';

const crypto = chooseProvider();
const PAYLOAD = JSON.stringify(taskPayload);

function load(home: string, name: string): Promise<StoredIdentity> {
  return new KeyDirectory(homeAt(home).keys, { crypto }).load(name);
}

function read(text: string): Envelope {
  return checkShape(parse(text), registry);
}

async function verified(envelope: Envelope, publicKey: Uint8Array): Promise<Envelope> {
  const value = envelope as unknown as JsonObject;
  return (await verifyEnvelope(value, { publicKey, crypto })).envelope as unknown as Envelope;
}

const sigKeyOf = ({ keys }: StoredIdentity): Uint8Array =>
  keys.find(({ use }) => use === 'sig')!.key.publicKey;

describe('#sec-signing-input sign', () => {
  test('makes of a payload a message of the operator that its receiver can verify', async () => {
    const home = await initHome();
    const args = ['sign', '-', '--ct', 'task.v1', '--to', 'agent', '--home', home];
    const { code, stdout, stderr } = await runCli(args, { input: PAYLOAD });
    expect([code, stderr]).toEqual([0, '']);
    const [operator, agent] = [await load(home, 'operator'), await load(home, 'agent')];
    const envelope = await verified(read(stdout), sigKeyOf(operator));
    expect(envelope).toMatchObject({
      type: 'req',
      ct: 'task.v1',
      ts: '2026-06-01T00:00:00Z',
      from: { agent_id: operator.agentId, name: 'operator' },
      to: { agent_id: agent.agentId, name: 'agent' },
      payload: taskPayload,
      sec: { mode: 'sig', sig: { canon: 'jcs' }, replay: { exp: '2026-06-01T00:05:00Z' } },
    });
    const { bundle } = envelope.cap['a2a_sdl'] as JsonObject;
    const carried = await verifyKeyBundle(bundle!, { crypto, nowMs: CLI_NOW });
    expect(carried.agentId).toBe(operator.agentId);
  });

  test('two messages never share a nonce or an id', async () => {
    const home = await initHome();
    const args = ['sign', '-', '--ct', 'task.v1', '--to', 'agent', '--home', home];
    const [one, two] = [
      read((await runCli(args, { input: PAYLOAD })).stdout),
      read((await runCli(args, { input: PAYLOAD })).stdout),
    ];
    expect(one.id).not.toBe(two.id);
    expect(one.sec!.replay!.nonce).not.toBe(two.sec!.replay!.nonce);
  });

  test('signs in the form of the peer, and --canon goes before it', async () => {
    const home = await initHome();
    await runCli(['peers', 'add', 'did:key:old', '--canon', 'python', '--home', home]);
    const args = ['sign', '-', '--ct', 'task.v1', '--to', 'did:key:old', '--home', home];
    const operator = await load(home, 'operator');
    for (const [extra, canon] of [
      [[], 'python'],
      [['--canon', 'cbor'], 'cbor'],
    ] as const) {
      const { stdout } = await runCli([...args, ...extra], { input: PAYLOAD });
      const { sec } = await verified(read(stdout), sigKeyOf(operator));
      expect(sec!.sig!.canon).toBe(canon);
    }
  });

  test('speaks as the agent, in CBOR, as an event, for as long as it is told', async () => {
    const home = await initHome();
    const options = '--to operator --as agent --encoding cbor --type evt --ttl-s 60'.split(' ');
    const args = ['sign', '-', '--ct', 'task.v1', ...options, '--home', home];
    const { stdoutBytes } = await runCli(args, { input: PAYLOAD });
    const envelope = checkShape(readCbor(stdoutBytes), registry);
    const agent = await load(home, 'agent');
    const { from, type, sec } = await verified(envelope, sigKeyOf(agent));
    expect([from.agent_id, type]).toEqual([agent.agentId, 'evt']);
    expect(sec!.replay!.exp).toBe('2026-06-01T00:01:00Z');
    const refused = await runCli(args, { input: PAYLOAD, isTerminal: true });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
  });

  test('signs with a key from a file for an id of its own, without a home', async () => {
    const key = SecretKey.generate('ed25519', crypto);
    const file = newFile('me.pem', exportSecretKey(key, 'pem'));
    const options = `--to did:key:it --home ${newFolder()} --sign-key ${file} --from did:key:me`;
    const args = ['sign', '-', '--ct', 'task.v1', ...options.split(' ')];
    const bare = await runCli(args, { input: PAYLOAD });
    expect(bare.code).toBe(0);
    const envelope = await verified(read(bare.stdout), key.publicKey);
    expect(envelope.sec!.kid).toBe(thumbprint('ed25519', key.publicKey));
    expect([envelope.from.agent_id, envelope.to.agent_id]).toEqual(['did:key:me', 'did:key:it']);
    const named = await runCli([...args, '--kid', 'k1'], { input: PAYLOAD });
    expect(read(named.stdout).sec!.kid).toBe('k1');
  });

  test('signs an envelope anew, if it is from the one who signs', async () => {
    const home = await initHome();
    const make = ['sign', '-', '--ct', 'task.v1', '--to', 'agent', '--home', home];
    const first = await runCli(make, { input: PAYLOAD });
    const again = await runCli(['sign', '-', '--home', home], { input: first.stdout });
    expect(again.code).toBe(0);
    const [one, two] = [read(first.stdout), read(again.stdout)];
    expect(two.id).toBe(one.id);
    expect(two.sec!.replay!.nonce).not.toBe(one.sec!.replay!.nonce);
    await verified(two, sigKeyOf(await load(home, 'operator')));
    const other = await runCli(['sign', '-', '--as', 'agent', '--home', home], {
      input: first.stdout,
    });
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('from another agent');
  });

  test('a number that JCS cannot write is signed as Python-JSON', async () => {
    const home = await initHome();
    const input = PAYLOAD.replace('"inputs":{}', '"inputs":{"n":9007199254740993}');
    const args = ['sign', '-', '--ct', 'task.v1', '--to', 'agent', '--home', home];
    const { stdout } = await runCli(args, { input });
    expect(stdout).toContain('9007199254740993');
    const { sec } = await verified(read(stdout), sigKeyOf(await load(home, 'operator')));
    expect(sec!.sig!.canon).toBe('python');
  });

  test('a goal on stdin is a task for the agent of the home: the rest is filled in, what is given stays', async () => {
    const home = await initHome();
    const input = '{"goal":"x","constraints":{"time_budget_s":5},"note":"n"}';
    const { code, stdout, stderr } = await runCli(['sign', '--ct', 'task.v1', '--home', home], {
      input,
    });
    expect([code, stderr]).toEqual([0, '']);
    const { to, payload } = read(stdout);
    expect(to.agent_id).toBe((await load(home, 'agent')).agentId);
    expect(payload).toEqual({
      ...(parse(input) as JsonObject),
      kind: 'task.v1',
      inputs: {},
      constraints: { time_budget_s: 5, compute_budget: 'low', safety: {} },
      deliverables: [],
      acceptance: [],
      context: {},
    });
  });

  test('all members that are missing are named at once, with an example', async () => {
    const home = await initHome();
    const args = ['sign', '--ct', 'toolresult.v1', '--to', 'agent', '--home', home];
    const { code, stderr } = await runCli(args, { input: '{"ok":true,"logs":[]}' });
    expect(code).toBe(1);
    expect(stderr).toContain('toolresult.v1 lacks call_id, result, metrics');
    expect(stderr).toContain(EXAMPLES['toolresult.v1']);
  });

  test('without FILE a person at a terminal is not kept waiting', async () => {
    const args = ['sign', '--ct', 'task.v1', '--home', await initHome()];
    const { code, stderr } = await runCli(args, { isTerminal: true });
    expect([code, stderr]).toEqual([2, expect.stringContaining('FILE is missing')]);
  });

  test.each([
    [['--ct', 'task.v1', '--as', 'agent'], PAYLOAD, 2, '--to is missing'],
    [['--to', 'agent'], PAYLOAD, 2, 'with --ct'],
    [['--to', 'agent', '--type', 'evt'], PAYLOAD, 2, '--type is for a payload'],
    [['--ct', 'taskv1', '--to', 'agent'], PAYLOAD, 1, 'did you mean task.v1?'],
    [['--ct', 'task.v1', '--to', 'nobody'], PAYLOAD, 1, 'no peer of this name'],
    [['--ct', 'task.v1', '--to', 'agent'], '{"goal":1}', 1, 'does not fit'],
    [['--ct', 'task.v1', '--to', 'agent'], '{"a":1,"a":2}', 1, 'the input is not JSON'],
    [['--ct', 'task.v1', '--to', 'agent', '--ttl-s', '0'], PAYLOAD, 2, '--ttl-s'],
    [['--ct', 'task.v1', '--to', 'agent', '--kid', 'k'], PAYLOAD, 2, 'go with --sign-key'],
    [['--ct', 'task.v1', '--to', 'agent', '--sign-key', 'f'], PAYLOAD, 2, '--from is missing'],
    [
      ['--ct', 'task.v1', '--to', 'agent', '--from', 'x', '--sign-key', 'A'.repeat(43)],
      PAYLOAD,
      2,
      'not given on the command line',
    ],
  ])('%j is refused', async (args, input, expected, words) => {
    const home = await initHome();
    const { code, stdout, stderr } = await runCli(['sign', '-', ...args, '--home', home], {
      input,
    });
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toContain(words);
  });
});

describe('#content-types payloads written by hand', () => {
  test('there is an example of each type, and it fits', () => {
    // Those that official A2A carries nobody writes by hand.
    const written = [...registry.contentTypes].filter((ct) => !ct.startsWith('a2a.'));
    expect(Object.keys(EXAMPLES).sort()).toEqual(written.sort());
    for (const [ct, text] of Object.entries(EXAMPLES)) {
      const payload = completePayload(ct, parse(text));
      registry.checkOwn({ ct, payload, descriptor: registry.descriptorFor(ct) });
    }
  });

  test('what is no object, or has no schema here, is left as it is', () => {
    expect(completePayload('task.v1', [1])).toEqual([1]);
    expect(completePayload('weather.v1', {})).toEqual({});
    expect(completePayload('task.v1', { goal: 'g', constraints: 1 })).toMatchObject({
      constraints: 1,
    });
  });
});

describe('#sec-encrypt encrypt', () => {
  test('makes a message that only its receiver can open, bound to its header (#x-bind)', async () => {
    const home = await initHome();
    const file = join(newFolder(), 'payload.json');
    writeFileSync(file, PAYLOAD);
    const args = ['encrypt', file, '--ct', 'task.v1', '--to', 'agent', '--home', home];
    const { code, stdout } = await runCli(args);
    expect(code).toBe(0);
    expect(stdout).not.toContain(taskPayload['goal']);
    const [operator, agent] = [await load(home, 'operator'), await load(home, 'agent')];
    const envelope = await verified(read(stdout), sigKeyOf(operator));
    expect([envelope.sec!.mode, envelope.payload]).toEqual(['enc+sig', null]);
    const secretOf = (kid: string): Uint8Array | undefined =>
      agent.keys.find((key) => key.kid === kid)?.key.reveal();
    const { plaintext, contentKey } = decryptPayload(envelope.sec!.enc!, secretOf, crypto);
    expect(readJson(plaintext)).toEqual(taskPayload);
    checkBind(envelope, contentKey, crypto);
  });

  test('encrypts to a key that is given for somebody who is not in the book', async () => {
    const home = await initHome();
    const key = SecretKey.generate('x25519', crypto);
    const file = newFile('it.jwk', exportPublicKey(key, 'jwk'));
    const args = ['encrypt', '-', '--ct', 'task.v1', '--to', 'did:key:it', '--home', home];
    const { stdout } = await runCli([...args, '--enc-key', `e1=${file}`], { input: PAYLOAD });
    const { enc } = read(stdout).sec!;
    const secretOf = (kid: string): Uint8Array | undefined =>
      kid === 'e1' ? key.reveal() : undefined;
    expect(readJson(decryptPayload(enc!, secretOf, crypto).plaintext)).toEqual(taskPayload);
    const without = await runCli(args, { input: PAYLOAD });
    expect([without.code, without.stdout]).toEqual([1, '']);
    expect(without.stderr).toContain('--enc-key');
  });

  test('a key of the peer that has ended is not encrypted to', async () => {
    const home = await initHome();
    const args = ['encrypt', '-', '--ct', 'task.v1', '--to', 'agent', '--home', home];
    const late = { input: PAYLOAD, nowMs: CLI_NOW + 366 * 86_400_000 };
    const { code, stderr } = await runCli(args, late);
    expect(code).toBe(1);
    expect(stderr).toContain('all have ended');
  });

  test('without identities it says how to make them', async () => {
    const home = await initHome();
    rmSync(homeAt(home).keys, { recursive: true });
    const args = ['encrypt', '-', '--ct', 'task.v1', '--to', 'agent', '--home', home];
    const { code, stderr } = await runCli(args, { input: PAYLOAD });
    expect(code).toBe(1);
    expect(stderr).toContain('a2a-sdl init');
  });
});
