// `peers add` of a server whose certificate is vouched for by an authority of one's own.

import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { createIdentity } from '../../../src/security/identity/identity.ts';
import { writeJson } from '../../../src/codec/json/write.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import { signAgentDocument } from '../../../src/security/identity/agent-document.ts';
import type { Certificate } from '../../support/wire/certificates.ts';
import { makeCertificate } from '../../support/wire/certificates.ts';
import type { CliRun } from '../../support/agents/cli.ts';
import { CLI_NOW, initHome, newFile, runCli } from '../../support/agents/cli.ts';

const crypto = chooseProvider();
const server = makeCertificate('agent.example');
const client = makeCertificate('client.example');
if (server === undefined) {
  if (process.env['CI'] === 'true') throw new Error('CI needs openssl for the https tests');
  console.log('openssl is missing: the https tests of "peers add" are skipped');
}

/** Publishes an agent; with `authority` it speaks only to clients that this one vouches for. */
async function publish({ cert, key }: Certificate, authority?: Certificate): Promise<string> {
  const identity = await createIdentity({ crypto, nowMs: CLI_NOW });
  const content = {
    name: 'frog',
    bundle: identity.bundle,
    endpoints: ['https://agent.example/a2a'],
    contentTypes: ['task.v1'],
    tools: [],
    limits: { maxBytes: 1, maxDepth: 1, maxArrayLength: 1, maxHops: 1 },
    x: ['re'],
    expMs: CLI_NOW + 86_400_000,
  };
  const { document } = await signAgentDocument(content, identity.root.reveal(), crypto);
  const asksClients = authority && { ca: authority.cert, requestCert: true };
  const listening = createServer({ cert, key, ...asksClients }, (_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(writeJson(document));
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void listening.close());
  return `https://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

async function add(url: string, ...args: string[]): Promise<CliRun> {
  return runCli(['peers', 'add', url, '--yes', ...args, '--home', await initHome()]);
}

describe.skipIf(server === undefined)('#agent-document peers add over https', () => {
  test('trusts the authority that --tls-ca names, and no other', async () => {
    const url = await publish(server!);
    const { code, stderr } = await add(url, '--tls-ca', newFile('ca.pem', server!.cert));
    expect([code, stderr]).toEqual([0, '']);
    expect((await add(url)).code).toBe(1);
    expect((await add(url, '--tls-ca', newFile('ca.pem', client!.cert))).code).toBe(1);
  });

  test('shows the certificate that --tls-cert and --tls-key name', async () => {
    const url = await publish(server!, client);
    const trusting = ['--tls-ca', newFile('ca.pem', server!.cert)];
    const cert = ['--tls-cert', newFile('c.pem', client!.cert)];
    const key = ['--tls-key', newFile('k.pem', client!.key)];
    const { code, stderr } = await add(url, ...trusting, ...cert, ...key);
    expect([code, stderr]).toEqual([0, '']);
    expect((await add(url, ...trusting)).code).toBe(1);
    const half = await add(url, ...trusting, ...cert);
    expect([half.code, half.stderr]).toEqual([2, expect.stringContaining('go together')]);
  });

  test('a file that is no certificate is named', async () => {
    const file = newFile('ca.txt', 'hello');
    const { code, stderr } = await add(await publish(server!), '--tls-ca', file);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${file} is not PEM`)]);
  });
});
