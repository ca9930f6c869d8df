// The command `inspect`: the report of all checks by given keys and as a home judges, and why a signature fails.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { homeAt } from '../../cli/home/home.ts';
import { KeyDirectory } from '../../keys/directory.ts';
import { exportPublicKey, exportSecretKey } from '../../keys/format.ts';
import { PeerBook } from '../../keys/peer-book.ts';
import { SecretKey } from '../../src/security/identity/secret-key.ts';
import { writeCbor } from '../../src/codec/cbor/write.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonArray, JsonObject } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import type { SigningForm } from '../../src/envelope/types.ts';
import { STAGES } from '../../src/pipeline/stages.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { signEnvelope } from '../../src/security/message/sign.ts';
import type { Store } from '../../src/stores/store.ts';
import type { Reply } from '../../src/transport.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { inboundOf, repliesOf } from '../support/agents/agents.ts';
import { parse, textOf, utf8 } from '../support/wire/bytes.ts';
import { CLI_NOW, initHome, newFile, newFolder, runCli } from '../support/agents/cli.ts';
import type { CliRun } from '../support/agents/cli.ts';
import { taskPayload, taskRequest, wireCopy } from '../support/wire/envelopes.ts';
import { driver } from '../support/stores/sqlite.ts';

const crypto = chooseProvider();
const PAYLOAD = JSON.stringify(taskPayload);
const STAGE_NAMES = [...STAGES.map(({ name }) => name), 'route'];

function alone(args: readonly string[], input = ''): Promise<CliRun> {
  return runCli([...args, '--home', join(newFolder(), 'none')], { input });
}

/** By the name of the check. */
function checksOf(run: CliRun): Record<string, { status: string; reason: string | null }> {
  const checks = (run.json() as JsonObject)['checks'] as JsonArray as unknown as {
    stage: string;
    status: string;
    reason: string | null;
  }[];
  expect(checks.map(({ stage }) => stage)).toEqual(STAGE_NAMES);
  return Object.fromEntries(checks.map(({ stage, ...rest }) => [stage, rest]));
}

function withStatus(run: CliRun, status: string): string[] {
  return STAGE_NAMES.filter((name) => checksOf(run)[name]!.status === status);
}

async function signed(home: string, ...args: readonly string[]): Promise<string> {
  const command = ['sign', '-', '--ct', 'task.v1', '--to', 'agent', ...args, '--home', home];
  const { code, stdout, stderr } = await runCli(command, { input: PAYLOAD });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** A message of a label, signed over one form, whatever it announces. */
async function signedOver(
  key: SecretKey,
  form: SigningForm,
  canon?: SigningForm,
  text = '{}',
): Promise<string> {
  const request = wireCopy(taskRequest());
  const blank = {
    ...request,
    payload: { ...taskPayload, inputs: parse(text) },
    sec: {
      mode: 'sig',
      kid: 'k1',
      sig: { alg: 'ed25519', value: '', ...(canon && { canon }) },
      replay: { nonce: 'n1', exp: '2026-06-01T00:05:00Z' },
    },
  };
  const { envelope } = await signEnvelope(blank, form, key.reveal(), crypto);
  return textOf(writeJson(envelope));
}

describe('#checks inspect with keys that are given', () => {
  test('judges what can be judged without a receiver, and tells why of the rest', async () => {
    const home = await initHome();
    const run = await alone(['inspect', '-', '--json'], await signed(home));
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const { agentId } = await new KeyDirectory(homeAt(home).keys, { crypto }).load('operator');
    expect(run.json()).toMatchObject({
      ok: true,
      mode: 'sig',
      signer: agentId,
      canon: 'jcs',
      payload: taskPayload,
    });
    expect(withStatus(run, 'pass')).toEqual(['decode', 'shape', 'verify', 'schema']);
    expect(withStatus(run, 'fail')).toEqual([]);
    for (const [name, { status, reason }] of Object.entries(checksOf(run))) {
      expect([name, reason !== null]).toEqual([name, status === 'skip']);
    }
  });

  test('opens with a raw key, a PEM file and a JWK file, and judges the binding', async () => {
    const home = await initHome();
    const key = SecretKey.generate('x25519', crypto);
    const enc = ['--enc-key', `e1=${exportPublicKey(key, 'raw')}`];
    const args = ['encrypt', '-', '--ct', 'task.v1', '--to', 'agent', ...enc, '--home', home];
    const { stdout } = await runCli(args, { input: PAYLOAD });
    for (const given of [
      exportSecretKey(key, 'raw'),
      newFile('key.pem', exportSecretKey(key, 'pem')),
      newFile('key.jwk', exportSecretKey(key, 'jwk')),
    ]) {
      const run = await alone(['inspect', '-', '--json', '--decrypt-key', `e1=${given}`], stdout);
      expect(run.json()).toMatchObject({ ok: true, mode: 'enc+sig', payload: taskPayload });
      const passed = ['decode', 'shape', 'verify', 'decrypt', 'bind', 'schema'];
      expect(withStatus(run, 'pass')).toEqual(passed);
    }
    const without = await alone(['inspect', '-', '--json'], stdout);
    expect(without.code).toBe(1);
    expect(without.json()).toMatchObject({ ok: false, payload: null });
    expect(checksOf(without)['decrypt']).toMatchObject({
      status: 'fail',
      reason: expect.stringContaining('it takes the key "e1"') as string,
    });
    expect(checksOf(without)['schema']).toEqual({ status: 'skip', reason: 'not reached' });
  });

  test('reads CBOR by its first byte, or as it is told', async () => {
    const file = join(newFolder(), 'message.cbor');
    writeFileSync(file, writeCbor(wireCopy(taskRequest())));
    const run = await alone(['inspect', file, '--json']);
    expect(run.json()).toMatchObject({ ok: true, mode: 'none', signer: null, canon: null });
    expect(checksOf(run)['verify']).toEqual({
      status: 'skip',
      reason: 'the message is not signed',
    });
    const wrong = await alone(['inspect', file, '--encoding', 'json', '--json']);
    expect(wrong.code).toBe(1);
    expect(withStatus(wrong, 'fail')).toEqual(['decode']);
  });

  test.each([
    ['decode', '{"v":1,"v":1}', 'ENCODING_INVALID'],
    ['decode', 'hello', 'ENCODING_INVALID'],
    ['decode', '', 'ENCODING_INVALID'],
    ['shape', '{"v":1}', 'ENVELOPE_INVALID'],
    ['version', '{"v":2,"anything":true}', 'VERSION_UNSUPPORTED'],
  ])('fails at %s for %j', async (stage, input, code) => {
    const run = await alone(['inspect', '-', '--json'], input);
    expect(run.code).toBe(1);
    expect(withStatus(run, 'fail')).toEqual([stage]);
    expect(checksOf(run)[stage]!.reason).toContain(code);
    expect(run.json()).toMatchObject({ ok: false, mode: null, signer: null, payload: null });
    expect((await alone(['inspect', '-'], input)).stdout).toMatch(new RegExp(`failed +${stage}`));
  });

  test('a payload that does not fit fails at schema', async () => {
    const request = { ...wireCopy(taskRequest()), payload: { goal: 1 } };
    const run = await alone(['inspect', '-', '--json'], textOf(writeJson(request)));
    expect([run.code, withStatus(run, 'fail')]).toEqual([1, ['schema']]);
  });

  test('shows people the checks, the message and the payload, and obeys nothing in them', async () => {
    const request = { ...wireCopy(taskRequest()), id: '\u001B[2J', payload: taskPayload };
    const { code, stdout } = await alone(['inspect', '-'], textOf(writeJson(request)));
    expect(code).toBe(0);
    expect(stdout).toMatch(/passed +decode/);
    expect(stdout).toMatch(/not judged +address +left to the receiver/);
    expect(stdout).toContain('did:key:alice (not proven)');
    expect(stdout).toContain('"goal": "Return short status"');
    expect(stdout).not.toContain('\u001B');
  });
});

describe('#explain #sec-canon why a signature does not hold', () => {
  const key = SecretKey.generate('ed25519', crypto);
  const other = SecretKey.generate('ed25519', crypto);
  const keys = Object.entries({ k1: key, k2: other }).flatMap(([kid, each]) => [
    '--sign-key',
    `${kid}=${exportPublicKey(each, 'raw')}`,
  ]);

  async function explain(message: string): Promise<JsonObject> {
    const run = await alone(['inspect', '-', '--json', ...keys], message);
    expect([run.code, withStatus(run, 'fail')]).toEqual([1, ['verify']]);
    return (run.json() as JsonObject)['explanation'] as JsonObject;
  }

  test('another form than the announced one was signed', async () => {
    const message = await signedOver(key, 'python', 'jcs', '{"n":1.0,"m":2}');
    const { forms, places, meaning } = await explain(message);
    expect(forms).toMatchObject([
      { form: 'text' },
      { form: 'python', held_by: 'k1' },
      { form: 'jcs' },
      { form: 'cbor' },
    ]);
    expect((forms as JsonArray)[2]).not.toHaveProperty('held_by');
    expect(places).toContainEqual(
      expect.objectContaining({ left: 'wire', right: 'jcs', path: '/payload/inputs/n' }),
    );
    expect(meaning).toEqual([
      expect.stringMatching(/announces jcs, but was signed over Python-JSON/),
    ]);
    const { stdout } = await alone(['inspect', '-', ...keys], message);
    expect(stdout).toMatch(/Python-JSON .*holds under "k1"/);
    expect(stdout).toContain('wire and jcs: float 1.0 becomes 1 in jcs at /payload/inputs/n');
  });

  test('JCS was signed and not announced', async () => {
    const { meaning } = await explain(await signedOver(key, 'jcs', undefined, '{"n":1.0}'));
    expect(meaning).toEqual([expect.stringMatching(/announces no form, .* JCS/)]);
  });

  test('a number that JCS cannot write was signed as JCS', async () => {
    const message = await signedOver(key, 'python', 'jcs', '{"n":9007199254740993}');
    const run = await alone(['inspect', '-', '--json', ...keys], message);
    expect(checksOf(run)['verify']!.reason).toContain('NUMBER_INEXACT');
    const { forms } = await explain(message);
    expect((forms as JsonArray)[2]).toMatchObject({ refusal: expect.any(String) as string });
  });

  test('another key signed than the message names', async () => {
    const { meaning } = await explain(await signedOver(other, 'jcs', 'jcs'));
    expect(meaning).toEqual([expect.stringMatching(/is of the key "k2" .*names "k1"/)]);
  });

  test('something was changed after it was signed', async () => {
    const message = (await signedOver(key, 'jcs', 'jcs')).replace('short', 'long');
    const { meaning, places } = await explain(message);
    expect(places).toEqual([]);
    expect(meaning).toEqual([
      expect.stringContaining('no form holds'),
      expect.stringContaining('the form is not the reason'),
    ]);
    const verified = await alone(['verify', '-', ...keys], message);
    expect([verified.code, verified.stdout]).toEqual([1, expect.stringContaining('no form holds')]);
  });

  test('forms that sort names differently are told apart', async () => {
    const message = await signedOver(key, 'jcs', 'jcs', '{"\u{1F600}":1,"\uFF61":2.50}');
    const { meaning, places } = await explain(message.replace('short', 'long'));
    expect(places).toEqual([
      expect.objectContaining({ left: 'wire', right: 'python', path: '/payload/inputs/\uFF61' }),
      expect.objectContaining({ left: 'wire', right: 'jcs', path: '/payload/inputs/\uFF61' }),
      expect.objectContaining({ left: 'python', right: 'jcs', path: '/payload/inputs' }),
    ]);
    expect(meaning).toContainEqual(expect.stringContaining('differ at the places'));
  });

  test('of a key that is not known there is nothing to explain', async () => {
    const message = (await signedOver(key, 'jcs', 'jcs')).replace('"k1"', '"k3"');
    const run = await alone(['inspect', '-', '--json', ...keys], message);
    expect(run.json()).not.toHaveProperty('explanation');
    expect(checksOf(run)['verify']!.reason).toContain('the given are "k1", "k2"');
  });
});

describe('#checks inspect as the agent of a home', () => {
  test('judges all but what would be written, and may be asked again', async () => {
    const home = await initHome();
    const message = await signed(home);
    for (let time = 0; time < 2; time += 1) {
      const run = await runCli(['inspect', '-', '--json', '--home', home], { input: message });
      expect(run).toMatchObject({ code: 0, stderr: '' });
      const skipped = ['admit', 'replay', 'contact', 'decrypt', 'bind', 'audit', 'route'];
      expect(withStatus(run, 'skip')).toEqual(skipped);
      expect(run.json()).toMatchObject({ ok: true, payload: taskPayload });
      expect(checksOf(run)['replay']!.reason).toContain('not recorded');
      expect(checksOf(run)['contact']!.reason).toContain('nothing is remembered');
    }
    expect(existsSync(homeAt(home).store)).toBe(false);
  });

  test('opens what is for the agent', async () => {
    const home = await initHome();
    const args = ['encrypt', '-', '--ct', 'task.v1', '--to', 'agent', '--home', home];
    const { stdout } = await runCli(args, { input: PAYLOAD });
    const run = await runCli(['inspect', '-', '--json', '--home', home], { input: stdout });
    expect(run.json()).toMatchObject({ ok: true, mode: 'enc+sig', payload: taskPayload });
    expect(withStatus(run, 'pass')).toContain('bind');
  });

  test('a message for the agent is not for the operator', async () => {
    const home = await initHome();
    const args = ['inspect', '-', '--json', '--as', 'operator', '--home', home];
    const run = await runCli(args, { input: await signed(home) });
    expect([run.code, withStatus(run, 'fail')]).toEqual([1, ['address']]);
  });

  test('the clock is that of now', async () => {
    const home = await initHome();
    const run = await runCli(['inspect', '-', '--json', '--home', home], {
      input: await signed(home),
      nowMs: CLI_NOW + 3_600_000,
    });
    expect([run.code, withStatus(run, 'fail')]).toEqual([1, ['freshness']]);
  });

  test('a stranger fails at policy, and the payload stays hidden', async () => {
    const [home, elsewhere] = [await initHome(), await initHome()];
    const { agentId } = await new KeyDirectory(homeAt(home).keys, { crypto }).load('agent');
    const args = ['sign', '-', '--ct', 'task.v1', '--to', agentId, '--home', elsewhere];
    const { stdout } = await runCli(args, { input: PAYLOAD });
    const run = await runCli(['inspect', '-', '--json', '--home', home], { input: stdout });
    expect([run.code, withStatus(run, 'fail')]).toEqual([1, ['policy']]);
    expect(run.json()).toMatchObject({ signer: null, payload: null });
  });

  /** What the daemon of the home answers. */
  async function deliver(home: string, message: string, store?: Store): Promise<Reply> {
    const paths = homeAt(home);
    const runtime = createRuntime({
      identity: await new KeyDirectory(paths.keys, { crypto }).load('agent'),
      peers: await PeerBook.open(paths.peers.agent),
      onTask: () => Promise.resolve(undefined),
      now: () => CLI_NOW,
      timeouts: { joinMs: 0 },
      ...(store && { store }),
    });
    const [reply] = await repliesOf(runtime, inboundOf(utf8(message)));
    await runtime.close();
    return reply!;
  }

  test.skipIf(driver === undefined)('knows what the daemon has learned of a peer', async () => {
    const [home, elsewhere] = [await initHome(), await initHome()];
    const agent = await new KeyDirectory(homeAt(home).keys, { crypto }).load('agent');
    const sender = await new KeyDirectory(homeAt(elsewhere).keys, { crypto }).load('operator');
    expect((await runCli(['peers', 'add', sender.agentId, '--home', home])).code).toBe(0);
    const args = ['sign', '-', '--ct', 'task.v1', '--to', agent.agentId, '--home', elsewhere];
    const introduction = (await runCli(args, { input: PAYLOAD })).stdout;
    const { cap, ...rest } = parse((await runCli(args, { input: PAYLOAD })).stdout) as JsonObject;
    const { bundle: _bundle, ...own } = (cap as JsonObject)['a2a_sdl'] as JsonObject;
    const blank = { ...rest, cap: { ...(cap as JsonObject), a2a_sdl: own } };
    const { key } = sender.keys.find(({ use }) => use === 'sig')!;
    const { envelope } = await signEnvelope(blank, 'jcs', key.reveal(), crypto);
    const message = textOf(writeJson(envelope));
    const inspect = ['inspect', '-', '--json', '--home', home];
    const before = await runCli(inspect, { input: message });
    expect([before.code, withStatus(before, 'fail')]).toEqual([1, ['policy']]);
    const store = await openSqliteStore({ path: homeAt(home).store, now: () => CLI_NOW });
    onTestFinished(() => store.close());
    await deliver(home, introduction, store);
    const after = await runCli(inspect, { input: message });
    expect([after.code, withStatus(after, 'fail')]).toEqual([0, []]);
    expect((await runCli(['verify', '-', '--home', home], { input: message })).code).toBe(0);
    expect(textOf((await deliver(home, message, store)).bytes)).toContain('"state.v1"');
  });

  test('an answer is judged without its request', async () => {
    const home = await initHome();
    const reply = await deliver(home, await signed(home));
    const args = ['inspect', '-', '--json', '--as', 'operator', '--home', home];
    const run = await runCli(args, { input: textOf(reply.bytes) });
    expect(run.json()).toMatchObject({ ok: true, mode: 'sig', canon: 'jcs' });
    expect(checksOf(run)['replay']!.reason).toContain('the request that it answers');
    const late = await runCli(args, { input: textOf(reply.bytes), nowMs: CLI_NOW + 3_600_000 });
    expect(late.code).toBe(0);
  });

  test('a protected home asks for its passphrase', async () => {
    const passphrase = newFile('passphrase', 'correct horse');
    const home = join(newFolder(), 'home');
    const init = ['init', '--home', home, '--passphrase-file', passphrase];
    expect((await runCli(init)).code).toBe(0);
    const protectedBy = ['--passphrase-file', passphrase];
    const message = await signed(home, ...protectedBy);
    const locked = await runCli(['inspect', '-', '--home', home], { input: message });
    expect([locked.code, locked.stderr]).toEqual([1, expect.stringContaining('--passphrase-file')]);
    const args = ['inspect', '-', '--home', home, ...protectedBy];
    expect((await runCli(args, { input: message })).code).toBe(0);
  });

  test('the help shows how', async () => {
    const { code, stdout } = await runCli(['inspect', '--help']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('--decrypt-key [KID=]KEY')]);
  });

  test('a file that is not there is said', async () => {
    const { code, stderr } = await alone(['inspect', '/no/such/message.json']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('no such file')]);
  });
});
