// The command `audit` on the log that a daemon keeps, and on what others have kept of it.

import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { homeAt } from '../../cli/home/home.ts';
import { exportPublicKey } from '../../keys/format.ts';
import { SecretKey } from '../../src/security/identity/secret-key.ts';
import { logNames } from '../../src/audit/stored-tree.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { AuditNode, elsewhere } from '../support/trust/audit-node.ts';
import { parse, textOf, utf8 } from '../support/wire/bytes.ts';
import { initHome, newFile, newFolder, runCli } from '../support/agents/cli.ts';
import { driver } from '../support/stores/sqlite.ts';

const crypto = chooseProvider();

describe.skipIf(driver === undefined)('#audit audit verify', () => {
  test('reads the whole log beside the daemon, and writes nothing to it', async () => {
    const node = await AuditNode.start();
    for (let count = 0; count < 3; count += 1) await node.exchange();
    const { entries, heads } = logNames(node.agentId, crypto.sha256);
    const before = [await node.store.length(entries), await node.store.length(heads)];
    const run = await node.cli(['audit', 'verify', '--json']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.json()).toMatchObject({
      ok: true,
      node: node.agentId,
      size: 6,
      unanswered: 0,
      problems: [],
    });
    expect([await node.store.length(entries), await node.store.length(heads)]).toEqual(before);
    expect((await node.cli(['audit', 'verify'])).stdout).toContain('the log is whole');
  });

  test('shows the last head, and every problem', async () => {
    const node = await AuditNode.start();
    await node.exchange();
    const head = await node.cli(['audit', 'head']);
    const shown = await node.cli(['audit', 'verify', '--json']);
    expect((shown.json() as JsonObject)['head']).toEqual((head.json() as JsonObject)['head']);
    await node.store.append(logNames(node.agentId, crypto.sha256).entries, [utf8('{}')]);
    const run = await node.cli(['audit', 'verify', '--json']);
    expect(run.code).toBe(1);
    expect(run.json()).toMatchObject({ ok: false, size: 3, problems: [{ seq: 2 }] });
    const { stdout } = await node.cli(['audit', 'verify']);
    expect(stdout).toContain('the log is not what was signed');
    expect(stdout).toContain('at 2: ');
  });

  test('a log that was begun anew agrees with itself, and not with a witness', async () => {
    const home = await initHome();
    const first = await AuditNode.start(home);
    const { reply } = await first.exchange();
    const head = newFile('head.json', (await first.cli(['audit', 'head'])).stdout);
    await first.exchange();
    const kept = await first.cli(['audit', 'verify', '--witness', head]);
    expect([kept.code, kept.stdout]).toEqual([0, expect.stringMatching(/witnesses +1/)]);
    const { store } = homeAt(home);
    for (const part of ['', '-wal', '-shm']) rmSync(store + part, { force: true });
    const second = await AuditNode.start(home);
    await second.exchange();
    expect((await second.cli(['audit', 'verify'])).code).toBe(0);
    for (const witness of [head, newFile('reply.json', reply)]) {
      const run = await second.cli(['audit', 'verify', '--witness', witness]);
      expect([run.code, run.stdout]).toEqual([1, expect.stringContaining('another root')]);
    }
  });

  test('heads of a key that is gone hold by the bundle that listed it', async () => {
    const node = await AuditNode.start();
    await node.exchange();
    expect((await node.cli(['audit', 'head'])).code).toBe(0);
    expect((await node.cli(['keys', 'rotate', '--overlap-days', '0'])).code).toBe(0);
    const verified = await node.cli(['audit', 'verify']);
    expect([verified.code, verified.stderr]).toEqual([0, '']);
  });

  test('a home without a log says what begins it', async () => {
    const home = await initHome();
    const { code, stderr } = await runCli(['audit', 'verify', '--home', home]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('a2a-sdl serve')]);
    expect((await elsewhere(['audit', 'head'])).stderr).toContain('a2a-sdl init');
  });
});

describe.skipIf(driver === undefined)('#audit audit prove and audit check', () => {
  test('a proof goes into a file and holds at home', async () => {
    const node = await AuditNode.start();
    await node.exchange();
    const { id } = await node.exchange();
    const file = join(newFolder(), 'proof.json');
    const made = await node.cli(['audit', 'prove', id, '--out', file]);
    expect([made.code, made.stdout]).toEqual([0, '']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').endsWith('}\n')).toBe(true);
    const run = await node.cli(['audit', 'check', file, '--json']);
    expect(run.json()).toMatchObject({
      ok: true,
      kind: 'proof',
      node: node.agentId,
      id,
      head: { size: 4 },
      entries: [
        { seq: 2, kind: 'request', id, ct: 'task.v1' },
        { seq: 3, kind: 'reply', re: id, verdict: 'ok' },
      ],
    });
    const { stdout } = await node.cli(['audit', 'check', file]);
    expect(stdout).toContain(`proven: the log of ${node.agentId} holds this`);
    expect(stdout).toContain('signed by');
  });

  test('without the bundle it takes the key of the node elsewhere', async () => {
    const node = await AuditNode.start();
    const { id } = await node.exchange();
    const { proof: bare } = (await node.cli(['audit', 'prove', id])).json() as JsonObject;
    const proof = textOf(writeJson(bare!));
    const { head } = bare as { head: JsonObject };
    const refused = await elsewhere(['audit', 'check', '-'], proof);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('not known')]);
    const raw = (await node.cli(['keys', 'export'])).stdout.trim();
    const given = ['--sign-key', `${head['kid'] as string}=${raw}`];
    expect((await elsewhere(['audit', 'check', '-', ...given], proof)).code).toBe(0);
    const forged = proof.replace('"verdict":"ok"', '"verdict":"INTERNAL"');
    expect(forged).not.toBe(proof);
    const wrong = await elsewhere(['audit', 'check', '-', ...given, '--json'], forged);
    expect([wrong.code, wrong.stdout]).toEqual([1, '']);
    expect(wrong.error()).toMatchObject({ code: 'SIGNATURE_INVALID' });
    const other = exportPublicKey(SecretKey.generate('ed25519', crypto), 'raw');
    const foreign = ['--sign-key', `${head['kid'] as string}=${other}`];
    expect((await elsewhere(['audit', 'check', '-', ...foreign], proof)).code).toBe(1);
  });

  test('a node in the book that is revoked proves nothing', async () => {
    const node = await AuditNode.start();
    const { id } = await node.exchange();
    const proof = (await node.cli(['audit', 'prove', id])).stdout;
    await node.cli(['peers', 'revoke', 'agent', '--as', 'operator']);
    const { code, stderr } = await node.cli(['audit', 'check', '-'], proof);
    expect([code, stderr]).toEqual([1, expect.stringContaining('revoked')]);
  });

  test('there is no proof of what was not recorded', async () => {
    const node = await AuditNode.start();
    await node.exchange();
    const { code, stdout, stderr } = await node.cli(['audit', 'prove', 'no-such-id']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('nothing on a message of this id');
  });

  test('a head is signed for whoever keeps it', async () => {
    const node = await AuditNode.start();
    await node.exchange();
    const head = await node.cli(['audit', 'head']);
    const run = await node.cli(['audit', 'check', '-', '--json'], head.stdout);
    expect(run.json()).toMatchObject({ ok: true, kind: 'head', head: { size: 2 } });
    const forged = head.stdout.replace('"size":2', '"size":1');
    expect((await node.cli(['audit', 'check', '-'], forged)).code).toBe(1);
  });
});

describe.skipIf(driver === undefined)('#audit receipts in audit check', () => {
  test('a reply is compared with the receipt that it carries, by the keys that came with it', async () => {
    const { reply } = await (await AuditNode.start()).exchange();
    const run = await elsewhere(['audit', 'check', '-', '--json'], reply);
    expect(run.json()).toMatchObject({
      ok: true,
      kind: 'receipt',
      seq: 1,
      verdict: 'ok',
      compared: ['sender', 'request', 'payload'],
    });
    const { stdout } = await elsewhere(['audit', 'check', '-'], reply);
    expect(stdout).toContain('the messages agree with it: sender, request, payload');
  });

  test('the receipt alone leaves the comparison to its holder', async () => {
    const node = await AuditNode.start();
    const { reply } = await node.exchange();
    const { audit } = (parse(reply) as JsonObject)['trace'] as JsonObject;
    const receipt = textOf(writeJson(audit!));
    const { code, stdout, stderr } = await node.cli(['audit', 'check', '-'], receipt);
    expect([code, stderr]).toEqual([0, expect.stringContaining('for you to compare')]);
    expect(stdout).toContain(`proven: ${node.agentId} has logged this answer`);
    const forged = await node.cli(['audit', 'check', '-'], receipt.replace('"ok"', '"INTERNAL"'));
    expect(forged.code).toBe(1);
  });

  test('a receipt in another reply is refused', async () => {
    const node = await AuditNode.start();
    const [one, two] = [await node.exchange(), await node.exchange()];
    const [first, second] = [parse(one.reply) as JsonObject, parse(two.reply) as JsonObject];
    const swapped = { ...second, trace: first['trace']! };
    const run = await node.cli(['audit', 'check', '-', '--json'], textOf(writeJson(swapped)));
    expect(run.error()).toMatchObject({ code: 'RECEIPT_MISMATCH' });
  });

  test('an encrypted reply is compared as it is', async () => {
    const node = await AuditNode.start();
    const { reply } = await node.exchange('encrypt');
    const run = await node.cli(['audit', 'check', '-', '--json'], reply);
    expect(run.json()).toMatchObject({ ok: true, compared: ['sender', 'request', 'payload'] });
    const { ciphertext } = ((parse(reply) as JsonObject)['sec'] as JsonObject)['enc'] as JsonObject;
    const other = reply.replace(ciphertext as string, (ciphertext as string).slice(0, -4));
    const wrong = await node.cli(['audit', 'check', '-', '--json'], other);
    expect(wrong.error()).toMatchObject({ code: 'RECEIPT_MISMATCH' });
  });

  test.each([
    ['{"payload":{}}', 'no receipt'],
    ['{"hello":1}', 'neither a proof'],
    ['{"root":"x"}', '/node is missing'],
    ['[]', 'neither a proof'],
    ['nonsense', 'at character'],
  ])('%s is nothing to check', async (input, words) => {
    const { code, stdout, stderr } = await elsewhere(['audit', 'check', '-'], input);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(words)]);
  });
});
