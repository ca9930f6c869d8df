// The clients of `@a2a-js/sdk`, in both generations and over every binding, as users of an agent of ours.

import { SendMessageRequest } from '@a2a-js/sdk';
import {
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
  createAuthenticatingFetchWithRetry,
} from '@a2a-js/sdk/client';
import { describe, expect, test } from 'vitest';

import { TOKENS, agentFor } from '../../support/a2a/agent.ts';

import { MOUNTS } from '../../support/a2a/homes.ts';
import { MEMORY, sqlite } from '../../support/dialect/stores.ts';
import { jsV03 } from './drivers/js-v03.ts';
import { jsV1 } from './drivers/js-v1.ts';
import { describeClient } from './matrix.ts';

const BINDINGS = ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const;

describe.each(BINDINGS)('@a2a-js/sdk over %s #a2a-clients #a2a-03', (binding) => {
  describeClient(jsV1(binding), { kind: MEMORY });
  describeClient(jsV1(binding), { kind: sqlite() });
  describeClient(jsV03(binding), { kind: MEMORY });
  // gRPC has a port of its own in any case.
  const homes = binding === 'GRPC' ? [] : MOUNTS;
  for (const home of homes) describeClient(jsV1(binding), { kind: MEMORY, home });
});

test.each([
  ['JSONRPC', JsonRpcTransportFactory],
  ['HTTP+JSON', RestTransportFactory],
])(
  '@a2a-js/sdk over %s shows its token when it is asked for it #a2a-callers',
  async (_, Factory) => {
    const { origin } = await agentFor({ isOpen: false });
    const asked: string[] = [];
    let headers = {};
    const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
      headers: async () => headers,
      shouldRetryWithHeaders: async (_request, { status, headers: told }) => {
        if (status !== 401) return undefined;
        asked.push(told.get('www-authenticate') ?? '');
        return { Authorization: `Bearer ${TOKENS['user']}` };
      },
      onSuccessfulRetry: async (worked) => void (headers = worked),
    });
    const factory = new ClientFactory({ transports: [new Factory({ fetchImpl })] });
    const client = await factory.createFromUrl(origin);
    const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
    for (let time = 0; time < 2; time += 1) {
      const answer = await client.sendMessage(SendMessageRequest.fromJSON({ message }));
      expect(JSON.stringify(answer)).toContain('done hello');
    }
    expect(asked).toEqual(['Bearer realm="a2a"']);
  },
);
