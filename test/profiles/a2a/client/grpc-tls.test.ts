// Proves that gRPC of our client keeps to TLS: whom it trusts, what it shows, and what it says when that fails; and that
// sealed exchanges go through it whole.

import { X509Certificate, createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { connectA2a } from '../../../../profiles/a2a/client/connect.ts';
import type { A2aClientOptions } from '../../../../profiles/a2a/client/options.ts';
import { V1_WIRE } from '../../../../profiles/a2a/wires/v1/wire.ts';
import { createCallers } from '../../../../profiles/auth/index.ts';
import type { MessageContent } from '../../../../src/door/index.ts';
import { TlsError } from '../../../../transports/net/tls-failure.ts';
import { grpcAgentFor } from '../../../support/a2a/agent.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import { cardFor } from '../../../support/a2a/grpc/scripted.ts';
import { answerJson, scriptedAgent } from '../../../support/a2a/scripted-agent.ts';
import type { Shape } from '../../../support/a2a/sealed.ts';
import {
  SECRET,
  newSides,
  opened,
  saying,
  sealFor,
  sealedGrpcAgentFor,
  textIn,
} from '../../../support/sealed-face/user.ts';
import { certificates } from '../../../support/swp/secure.ts';

const made = certificates();
if (made === undefined) console.log('there is no openssl: gRPC over TLS is not tried');

describe.skipIf(made === undefined)('#a2a-client-secrets gRPC over TLS', () => {
  const { server, client } = made!;

  const send = async (address: string, options: A2aClientOptions = {}): Promise<unknown> => {
    const agent = await connectA2a((await cardFor(address)).origin, { retries: 0, ...options });
    const sent = await agent.send({ message: message('hello') });
    return 'task' in sent && sent.task.status.state;
  };

  test('trusts who is vouched for, and names what is wrong with others', async () => {
    const { key, cert } = server;
    const { grpc } = await grpcAgentFor({ face: { grpc: { port: 0, tls: { key, cert } } } });
    expect(await send(`https://${grpc}`, { ca: cert })).toBe('completed');
    await expect(send(`https://${grpc}`)).rejects.toMatchObject({ problem: 'untrusted' });
    await expect(send(`http://${grpc}`)).rejects.toMatchObject({ fault: 'unreachable' });
    const plain = await grpcAgentFor();
    await expect(send(`https://${plain.grpc}`, { ca: cert })).rejects.toBeInstanceOf(TlsError);
  });

  test('shows a certificate at its origin alone', async () => {
    const { key, cert } = server;
    const tls = { key, cert, ca: client.cert, requireClientCert: true };
    const sha256 = createHash('sha256').update(new X509Certificate(client.cert).raw).digest('hex');
    const proof = { scheme: 'certificate', certificate: { sha256 } } as const;
    const callers = createCallers({ entries: [{ name: 'bob', proof }], anonymous: [] });
    const { grpc } = await grpcAgentFor({
      face: { grpc: { port: 0, tls } },
      runtime: { callers },
    });
    const shown = (origin: string) =>
      send(`https://${grpc}`, {
        ca: cert,
        credentials: [{ origin, scheme: 'certificate', ...client }],
      });
    expect(await shown(`https://${grpc}`)).toBe('completed');
    await expect(shown('https://127.0.0.1')).rejects.toThrow();
  });
});

test('#a2a-client-secrets a token that is refused over gRPC is renewed once', async () => {
  let tokens = 0;
  const issuer = await scriptedAgent({
    handle: (_request, response) => {
      tokens += 1;
      const token = tokens === 1 ? 'stale' : 'the-token-of-the-user-1';
      answerJson(response, { access_token: token, token_type: 'Bearer', expires_in: 3_600 });
    },
  });
  const { grpc, origin } = await grpcAgentFor({ isOpen: false });
  const agent = await connectA2a(origin, {
    prefer: { binding: 'GRPC' },
    credentials: [
      {
        origin: `http://${grpc}`,
        scheme: 'oauth2',
        tokenUrl: `${issuer.origin}/token`,
        clientId: 'me',
        clientSecret: 'x',
      },
    ],
  });
  const sent = await agent.send({ message: message('hello') });
  expect(['task' in sent && sent.task.status.state, tokens]).toEqual(['completed', 2]);
});

describe.each(['1.0', '0.3'] as const)(
  '#sealed-tasks through our client over gRPC %s',
  (version) => {
    test('a question and its answer', async () => {
      const side = await newSides();
      const { origin, grpc } = await sealedGrpcAgentFor(side);
      const token = 'the-token-of-the-user-1';
      const agent = await connectA2a(origin, {
        prefer: { binding: 'GRPC', version },
        credentials: [{ origin: `http://${grpc}`, scheme: 'bearer', token }],
      });
      const give = async (sealed: Shape, taskId?: string) => {
        const { messageId, role: _role, ...rest } = sealed;
        const content = { ...rest, id: messageId, role: 'user' } as unknown as MessageContent;
        const place = taskId === undefined ? {} : { taskId };
        const sent = await agent.send({ message: content, ...place });
        if (!('task' in sent)) throw new Error('it was answered without a task');
        expect(JSON.stringify(sent)).not.toContain(SECRET);
        return { id: sent.task.id, task: V1_WIRE.writeTask(sent.task as never, undefined) as Json };
      };
      const asking = await sealFor(side, saying('ask'));
      const asked = await give(asking);
      expect(textIn((await opened(side, asked.task, asking)).messages)).toContain('which?');
      const reply = await sealFor(side, saying(SECRET));
      const told = await give(reply, asked.id);
      const { artifacts } = await opened(side, told.task, [asking, reply]);
      expect(textIn(artifacts)).toContain(`told ${SECRET}`);
    });
  },
);
