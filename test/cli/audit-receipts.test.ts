// The receipts that the command line and a daemon keep, and evidence that goes from one machine to another.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { parseWords } from '../../cli/kit/arguments.ts';
import type { Daemon } from '../../cli/daemon/daemon.ts';
import { startDaemon } from '../../cli/daemon/daemon.ts';
import { homeAt } from '../../cli/home/home.ts';
import { OptionValues } from '../../cli/kit/option-values.ts';
import { readDaemonConfig } from '../../cli/serve/config.ts';
import { SERVE_OPTIONS } from '../../cli/serve/options.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { crypto } from '../support/agents/agents.ts';
import { AuditNode, elsewhere } from '../support/trust/audit-node.ts';
import { parse, textOf } from '../support/wire/bytes.ts';
import type { CliRun } from '../support/agents/cli.ts';
import { CLI_NOW, newFile, newFolder, runCli } from '../support/agents/cli.ts';
import { openNode, schemaAt, server } from '../support/stores/postgres.ts';
import { driver } from '../support/stores/sqlite.ts';
import { quietLog } from '../support/agents/quiet-log.ts';

let folder: string;
let bob: Daemon;

/** Two machines: Alice's only asks, Bob's has a daemon. */
const home = (name: string): string => join(folder, name);

function at(name: string, ...args: string[]): Promise<CliRun> {
  return runCli([...args, '--home', home(name)], { nowMs: Date.now() });
}

async function serve(name: string, ...args: string[]): Promise<Daemon> {
  const paths = homeAt(home(name));
  const { given } = parseWords(['--http', '127.0.0.1:0', ...args], SERVE_OPTIONS);
  const options = new OptionValues(Object.keys(SERVE_OPTIONS), given);
  return startDaemon({
    config: await readDaemonConfig(options, paths),
    home: paths,
    crypto,
    now: Date.now,
    log: quietLog(),
  });
}

/** One document a line. */
const linesOf = ({ stdout }: CliRun): JsonObject[] =>
  stdout.split('\n').flatMap((line) => (line === '' ? [] : [parse(line) as JsonObject]));

async function send(goal: string): Promise<string> {
  const run = await at('alice', 'send', 'bob', goal, '--json');
  expect([run.code, run.stderr]).toEqual([0, '']);
  return (run.json() as JsonObject)['message_id'] as string;
}

describe.skipIf(driver === undefined)('#receipt-kept #evidence on two machines', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'r-'));
    bob = await serve('bob', '--open');
    await at('alice', 'init');
    const added = await at('alice', 'peers', 'add', bob.urls.http, '--name', 'bob', '--yes');
    expect([added.code, added.stderr]).toEqual([0, expect.any(String)]);
  });

  afterAll(async () => {
    await bob.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('what was sent is listed, by agent too', async () => {
    const [first, second] = [await send('sum 1 2'), await send('ping hello')];
    const run = await at('alice', 'audit', 'receipts', '--json');
    expect(linesOf(run).map((line) => line['message_id'])).toEqual([second, first]);
    expect(linesOf(run)[0]).toMatchObject({
      ct: 'task.v1',
      verdict: 'ok',
      peer: bob.home.identities.agent.agentId,
    });
    const { stdout } = await at('alice', 'audit', 'receipts', '--peer', 'bob');
    expect(stdout).toMatch(/^TIME +VERDICT +CONTENT +PEER +MESSAGE ID\n/);
    expect(stdout).toContain(`bob   ${second}`);
    const page = await at('alice', 'audit', 'receipts', '--limit', '1', '--json');
    const [, { next } = {}] = linesOf(page);
    const rest = await at('alice', 'audit', 'receipts', '--after', next as string, '--json');
    expect(linesOf(rest).map((line) => line['message_id'])).toEqual([first]);
    for (const args of [
      ['--peer', 'did:key:nobody'],
      ['--as', 'agent'],
    ]) {
      const none = await at('alice', 'audit', 'receipts', ...args);
      expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'there are no receipts\n']);
    }
  });

  test('the receipt is evidence that holds where nothing is known of anybody', async () => {
    const id = await send('sum 1 2 3');
    const file = join(newFolder(), 'evidence.json');
    const made = await at('alice', 'audit', 'prove', id, '--out', file);
    expect([made.code, made.stdout]).toEqual([0, '']);
    expect(made.stderr).toContain('checked: this receipt holds by itself');
    const text = readFileSync(file, 'utf8');
    const run = await elsewhere(['audit', 'check', '-', '--json'], text);
    const { agentId } = bob.home.identities.agent;
    expect(run.json()).toMatchObject({ ok: true, kind: 'receipt', node: agentId, verdict: 'ok' });
    const forged = text.replace('"verdict":"ok"', '"verdict":"INTERNAL"');
    expect(forged).not.toBe(text);
    const refused = await elsewhere(['audit', 'check', '-', '--json'], forged);
    expect([refused.code, refused.error()]).toEqual([
      1,
      expect.objectContaining({ code: 'SIGNATURE_INVALID' }),
    ]);
  });

  test('it says what the log of the other side says', async () => {
    const id = await send('sum 4 5');
    const [kept] = linesOf(await at('alice', 'audit', 'receipts', '--limit', '1', '--json'));
    const proof = await at('bob', 'audit', 'prove', id);
    expect(proof.stderr).toContain('checked: this proof holds by itself');
    const run = await elsewhere(['audit', 'check', '-', '--json'], proof.stdout);
    const { entries } = run.json() as { entries: JsonObject[] };
    const { req, res, verdict } = kept!;
    expect(entries.at(-1)).toMatchObject({ kind: 'reply', re: id, req, res, verdict });
  });

  test('the beginning of an id is enough where it is that of one message', async () => {
    const id = await send('sum 1 8');
    // The first part of an id is its time.
    const short = id.slice(0, -4);
    for (const name of ['alice', 'bob']) {
      const { code, stdout } = await at(name, 'audit', 'prove', short);
      expect([name, code]).toEqual([name, 0]);
      expect(stdout).toContain(name === 'bob' ? id : '"receipt"');
    }
    const many = await at('alice', 'audit', 'prove', id.slice(0, 4));
    expect([many.code, many.stderr]).toEqual([1, expect.stringContaining('messages begin with')]);
  });

  test('it holds after the other side has changed its keys', async () => {
    const id = await send('sum 6 7');
    expect((await at('bob', 'keys', 'rotate', '--overlap-days', '0')).code).toBe(0);
    const { code, stdout } = await at('alice', 'audit', 'prove', id);
    expect(code).toBe(0);
    expect((await elsewhere(['audit', 'check', '-'], stdout)).code).toBe(0);
  });

  test('a kept receipt that was changed is not handed out', async () => {
    const id = await send('sum 8 9');
    const store = await openSqliteStore({ path: homeAt(home('alice')).operatorStore });
    const { entries } = await store.list('receipt', { index: { request: id } });
    const [{ key, value, index } = { key: '', value: new Uint8Array(), index: {} }] = entries;
    const changed = textOf(value).replace('"verdict":"ok"', '"verdict":"INTERNAL"');
    await store.put('receipt', key, new TextEncoder().encode(changed), { index });
    await store.close();
    const run = await at('alice', 'audit', 'prove', id, '--json');
    expect([run.code, run.stdout]).toEqual([1, '']);
    expect(run.error()).toMatchObject({ code: 'SIGNATURE_INVALID' });
  });

  test('who asked its own agent has both, and says which', async () => {
    const sent = await at('bob', 'send', 'agent', 'ping me', '--json');
    const id = (sent.json() as JsonObject)['message_id'] as string;
    const kindOf = async (...args: string[]): Promise<string[]> =>
      Object.keys((await at('bob', 'audit', 'prove', id, ...args)).json() as JsonObject);
    expect(await kindOf()).toEqual(['proof', 'bundle']);
    expect(await kindOf('--as', 'agent')).toEqual(['proof', 'bundle']);
    expect(await kindOf('--as', 'operator')).toEqual(['receipt', 'bundle']);
  });

  test('what is neither in the log nor among the receipts is told so', async () => {
    for (const name of ['alice', 'bob']) {
      const { code, stdout, stderr } = await at(name, 'audit', 'prove', 'no-such-id');
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('nothing on a message of this id');
    }
  });

  test('--store is where the daemon keeps its own', async () => {
    const args = ['--store', `sqlite:${homeAt(home('bob')).store}`];
    expect((await at('bob', 'audit', 'receipts', ...args)).code).toBe(0);
    const run = await at('bob', 'audit', 'receipts', '--as', 'operator', ...args);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('--store')]);
  });
});

describe.skipIf(driver === undefined)('#evidence compared with the messages', () => {
  test('a receipt or a proof agrees with its request and its reply, and with no other', async () => {
    const node = await AuditNode.start();
    const [one, two] = [await node.exchange('encrypt'), await node.exchange()];
    const { audit } = (parse(one.reply) as JsonObject)['trace'] as JsonObject;
    const receipt = textOf(writeJson(audit!));
    const proof = (await node.cli(['audit', 'prove', one.id])).stdout;
    const [request, reply] = [newFile('request', one.request), newFile('reply', one.reply)];
    const [otherRequest, otherReply] = [newFile('req', two.request), newFile('res', two.reply)];
    for (const document of [receipt, proof]) {
      const both = ['--request', request, '--reply', reply, '--json'];
      const run = await node.cli(['audit', 'check', '-', ...both], document);
      const compared = ['sender', 'request', 'payload', 'receiver'];
      expect(run.json()).toMatchObject({ ok: true, compared });
      for (const [name, file] of [
        ['request', otherRequest],
        ['reply', otherReply],
      ] as const) {
        const wrong = await node.cli(['audit', 'check', '-', `--${name}`, file], document);
        expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('is another')]);
      }
    }
    const { stdout } = await node.cli(['audit', 'check', '-', '--request', request], proof);
    expect(stdout).toContain('the messages agree with it: receiver, request');
  });

  test('a head speaks of no message', async () => {
    const node = await AuditNode.start();
    const { request } = await node.exchange();
    const head = (await node.cli(['audit', 'head'])).stdout;
    const args = ['audit', 'check', '-', '--request', newFile('request', request)];
    expect((await node.cli(args, head)).code).toBe(2);
    const checked = await elsewhere(['audit', 'check', '-', '--json'], head);
    expect(checked.json()).toMatchObject({ ok: true, kind: 'head', node: node.agentId });
  });

  test('an old reply holds by the keys that came with it', async () => {
    const { reply } = await (await AuditNode.start()).exchange();
    const nowMs = CLI_NOW + 10 * 365 * 86_400_000;
    const args = ['audit', 'check', '-', '--home', join(newFolder(), 'none')];
    expect(await runCli(args, { input: reply, nowMs })).toMatchObject({ code: 0, stderr: '' });
  });
});

describe.skipIf(driver === undefined)('#audit after the stored reply is gone', () => {
  test('the log still proves the answer', async () => {
    const node = await AuditNode.start();
    const { id, reply } = await node.exchange();
    const spaces = async (): Promise<readonly string[]> => node.store.inventory!('spaces');
    expect(await spaces()).toContain('replay');
    const later = await openSqliteStore({
      path: homeAt(node.home).store,
      now: () => CLI_NOW + 400 * 86_400_000,
    });
    expect(await later.purge()).toBeGreaterThan(0);
    await later.close();
    expect(await spaces()).not.toContain('replay');
    const proof = (await node.cli(['audit', 'prove', id])).stdout;
    const run = await elsewhere(
      ['audit', 'check', '-', '--json', '--reply', newFile('reply', reply)],
      proof,
    );
    expect(run.json()).toMatchObject({ ok: true, compared: ['sender', 'request', 'payload'] });
  });
});

describe.skipIf(driver === undefined || server === undefined)('#audit in PostgreSQL', () => {
  test('the commands take the store of the daemon', async () => {
    const place = 'cli-audit';
    const node = await AuditNode.start(undefined, () => openNode(place, { now: () => CLI_NOW }));
    const { id, reply } = await node.exchange();
    const separator = server!.url.includes('?') ? '&' : '?';
    const store = ['--store', `${server!.url}${separator}schema=${schemaAt(place)}`];
    expect((await node.cli(['audit', 'verify'])).stderr).toContain('--store');
    const verified = await node.cli(['audit', 'verify', '--json', ...store]);
    expect(verified.json()).toMatchObject({ ok: true, node: node.agentId, size: 2 });
    const proof = await node.cli(['audit', 'prove', id, ...store]);
    const checked = await elsewhere(['audit', 'check', '-', '--json'], proof.stdout);
    expect(checked.json()).toMatchObject({ ok: true, kind: 'proof', id });
    const head = newFile('head.json', (await node.cli(['audit', 'head', ...store])).stdout);
    const witnessed = ['audit', 'verify', '--witness', head, '--witness', newFile('r', reply)];
    expect(await node.cli([...witnessed, ...store])).toMatchObject({ code: 0, stderr: '' });
    const receipts = await node.cli(['audit', 'receipts', ...store]);
    expect([receipts.code, receipts.stderr]).toEqual([0, 'there are no receipts\n']);
  });
});
