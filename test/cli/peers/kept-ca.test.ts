// Daemons with a certificate of their own, and a second home that gets to know them, by TLS and by Unix socket.

import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { readPeerBook } from '../../../keys/peer-document.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { CliRun } from '../../support/agents/cli.ts';
import { runCli } from '../../support/agents/cli.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import { makeCertificate } from '../../support/wire/certificates.ts';

const certificate = makeCertificate('agent.example');
const other = makeCertificate('other.example');
if (certificate === undefined && process.env['CI'] === 'true') {
  throw new Error('CI needs openssl for the https tests');
}

let daemon: RunningDaemon;
let ca: string;
beforeAll(async () => {
  if (certificate === undefined) return;
  ca = daemonFile('ca.pem', certificate.cert);
  const tls = ['--tls-cert', ca, '--tls-key', daemonFile('key.pem', certificate.key)];
  daemon = await startDaemon(join(daemonFolder(), 'h'), [...tls, '--open']);
}, 60_000);
afterAll(stopDaemons);

type Cli = (...args: string[]) => Promise<CliRun>;

async function newHome(): Promise<Cli> {
  const home = join(daemonFolder(), 'h');
  const cli: Cli = (...args) => runCli([...args, '--home', home], { nowMs: Date.now() });
  await cli('init');
  return cli;
}

const origin = (): string => new URL(daemon.urls.http).origin;

describe.skipIf(certificate === undefined)('the certificate of a peer', () => {
  test('that nobody vouches for is refused with the option that mends it', async () => {
    const cli = await newHome();
    const { code, stderr } = await cli('peers', 'add', origin(), '--yes');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: .*certificate\nnext: .*--tls-ca FILE/);
  }, 30_000);

  test('is kept with the peer: later commands need no option, and a URL of it neither', async () => {
    const cli = await newHome();
    const added = await cli('peers', 'add', origin(), '--yes', '--name', 'bob', '--tls-ca', ca);
    expect([added.code, added.stderr]).toEqual([0, '']);
    for (const target of ['bob', daemon.urls.http, daemon.urls.ws, origin()]) {
      const sent = await cli('send', target, 'sum 1 2');
      expect([target, sent.code, sent.stdout]).toEqual([target, 0, '{"sum":3.0}\n']);
    }
    const shown = (await cli('peers', 'show', 'bob', '--json')).json() as JsonObject;
    expect(shown['tls_ca']).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    const again = await cli('peers', 'add', origin(), '--tls-ca', ca);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('tls ca')]);
  }, 60_000);

  test('can be changed and taken back, and the error says what to do then', async () => {
    const cli = await newHome();
    await cli('peers', 'add', origin(), '--yes', '--name', 'bob', '--tls-ca', ca);
    expect((await cli('peers', 'set', 'bob', '--no-tls-ca')).code).toBe(0);
    const refused = await cli('send', 'bob', 'sum 1 2');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--tls-ca FILE')]);
    const wrong = daemonFile('other.pem', other!.cert);
    await cli('peers', 'set', 'bob', '--tls-ca', wrong);
    expect((await cli('send', 'bob', 'sum 1 2')).code).toBe(1);
    expect((await cli('send', 'bob', 'sum 1 2', '--tls-ca', ca)).code).toBe(0);
    const both = await cli('peers', 'set', 'bob', '--tls-ca', ca, '--no-tls-ca');
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('contradict')]);
    const text = await cli('peers', 'set', 'bob', '--tls-ca', daemonFile('a.txt', 'hello'));
    expect([text.code, text.stderr]).toEqual([1, expect.stringContaining('is not PEM')]);
  }, 60_000);

  test('and http:// to its port: try https://', async () => {
    const cli = await newHome();
    const { code, stderr } = await cli('peers', 'add', origin().replace('https', 'http'), '--yes');
    expect([code, stderr]).toEqual([1, expect.stringContaining('try https://')]);
  }, 30_000);

  test('a book without authorities, as earlier versions wrote it, opens', () => {
    const book =
      '{"format":"a2a-sdl/peers/v1","peers":[{"agent_id":"did:key:a","keys":[],"endpoints":[],"revoked":false,"switches":[],"may_grant":false}]}';
    const [entry] = readPeerBook(new TextEncoder().encode(book));
    expect([entry!.agentId, entry!.tlsCa]).toEqual(['did:key:a', undefined]);
  });
});

describe.skipIf(certificate === undefined)('#key-bundle a peer at a Unix socket', () => {
  test('tells its keys itself, is added, and is spoken to', async () => {
    const cli = await newHome();
    const asked = await cli('peers', 'add', daemon.urls.ipc, '--name', 'bob');
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining(daemon.agentId)]);
    const args = ['--name', 'bob', '--expect', daemon.agentId];
    const added = await cli('peers', 'add', daemon.urls.ipc, ...args);
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect((await cli('send', 'bob', 'sum 1 2')).stdout).toBe('{"sum":3.0}\n');
  }, 60_000);

  test('and at a WebSocket; another agent than the expected one is refused', async () => {
    const cli = await newHome();
    const added = await cli('peers', 'add', daemon.urls.ws, '--yes', '--tls-ca', ca);
    expect([added.code, added.stderr]).toEqual([0, '']);
    const wrong = await cli('peers', 'add', daemon.urls.ipc, '--expect', 'did:key:other');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('not accepted')]);
  }, 60_000);
});
