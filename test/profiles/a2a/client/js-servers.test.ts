// Proves that our client uses agents of the official JavaScript SDKs, over every binding that they have.

import { afterAll, beforeAll } from 'vitest';

import { describeClient } from '../../../support/a2a/client-suite.ts';
import type { ForeignServer } from '../../../support/a2a/js-servers.ts';
import { startJsV03, startJsV1 } from '../../../support/a2a/js-servers.ts';

const servers = new Map<string, ForeignServer>();

beforeAll(async () => {
  servers.set('v1', await startJsV1());
  servers.set('both', await startJsV1({ isLegacy: true }));
  servers.set('v03', await startJsV03());
});
afterAll(() => Promise.all([...servers.values()].map((server) => server.stop())));

const originOf = (name: string) => () => servers.get(name)!.origin;

for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
  describeClient(
    { name: 'SDK 1.3', origin: originOf('v1'), prefer: { binding, version: '1.0' } },
    '#a2a-client-wires',
  );
  describeClient(
    {
      name: 'SDK 1.3 as an agent of 0.3',
      origin: originOf('both'),
      prefer: { binding, version: '0.3' },
    },
    '#a2a-client-wires',
  );
  describeClient(
    {
      name: 'SDK 0.3.14',
      origin: originOf('v03'),
      prefer: { binding, version: '0.3' },
    },
    '#a2a-client-wires',
  );
}

describeClient(
  { name: 'SDK 1.3', origin: originOf('v1'), prefer: { binding: 'GRPC', version: '1.0' } },
  '#a2a-client-wires',
);
describeClient(
  { name: 'SDK 0.3.14', origin: originOf('v03'), prefer: { binding: 'GRPC', version: '0.3' } },
  '#a2a-client-wires',
);
