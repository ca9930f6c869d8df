// Proves that both sides of this package understand each other, in every version over every binding.

import { afterAll, beforeAll } from 'vitest';

import type { OnTask } from '../../../../src/tasks/context.ts';
import type { TestAgent } from '../../../support/a2a/agent.ts';
import { onTask, openGrpcAgent } from '../../../support/a2a/agent.ts';
import { describeClient } from '../../../support/a2a/client-suite.ts';
import { startCardServer } from '../../../support/a2a/card-server.ts';

const work: OnTask = async function* data(task, ctx) {
  if (task.text !== 'data') {
    yield* onTask(task, ctx) as AsyncIterable<never>;
    return;
  }
  await ctx.artifact({
    id: 'data',
    parts: [
      { data: { key: 'value', count: 42 } },
      { bytes: new TextEncoder().encode('tck'), mediaType: 'text/plain' },
      { url: 'https://example.com/output.txt' },
    ],
  });
};

let agent: TestAgent;
/** Its card names interfaces without versions, as that of the draft does. */
let draft: Awaited<ReturnType<typeof startCardServer>>;

beforeAll(async () => {
  const extended = async (_caller: unknown, card: object) => ({ ...card, name: 'extended' });
  agent = await openGrpcAgent({
    runtime: { onTask: work },
    face: { extended: extended as never },
  });
  draft = await startCardServer({
    name: 'draft',
    protocolVersions: ['0.3'],
    supportedInterfaces: [
      { url: agent.rpc, protocolBinding: 'JSONRPC' },
      { url: agent.origin, protocolBinding: 'HTTP+JSON' },
    ],
    capabilities: { streaming: true, pushNotifications: true },
  });
});
afterAll(() => Promise.all([agent.runtime.close({ graceMs: 0 }), draft.stop()]));

for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
  for (const version of ['1.0', '0.3', 'draft'] as const) {
    describeClient(
      {
        name: 'our own agent',
        origin: () => (version === 'draft' ? draft.origin : agent.origin),
        prefer: { binding, version },
        missing: ['extended card'],
      },
      '#a2a-client-wires',
    );
  }
}

for (const version of ['1.0', '0.3'] as const) {
  describeClient(
    {
      name: 'our own agent',
      origin: () => agent.origin,
      prefer: { binding: 'GRPC', version },
      missing: ['extended card'],
    },
    '#a2a-client-wires',
  );
}
