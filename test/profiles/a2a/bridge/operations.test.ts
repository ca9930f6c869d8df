// Proves that every operation works through a bridge: any wire in, any wire out, agents of this package and of the
// official SDKs behind it.

import { afterAll, beforeAll } from 'vitest';

import type { OnTask } from '../../../../src/tasks/context.ts';
import type { TestAgent } from '../../../support/a2a/agent.ts';
import { onTask, openAgent } from '../../../support/a2a/agent.ts';
import { openBridge } from '../../../support/a2a/bridge/bridge.ts';
import { startCardServer } from '../../../support/a2a/card-server.ts';
import { describeClient } from '../../../support/a2a/client-suite.ts';
import { startJsV03, startJsV1 } from '../../../support/a2a/js-servers.ts';

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

const stops: (() => Promise<unknown>)[] = [];
/** The address of each agent behind a bridge. */
const behind = new Map<string, string>();
/** A bridge for each of them and each wire out. */
const bridges = new Map<string, TestAgent>();

const OUT = [
  ['own', '1.0', 'JSONRPC'],
  ['own', '0.3', 'HTTP+JSON'],
  ['own draft', 'draft', 'HTTP+JSON'],
  ['SDK 1.3', '1.0', 'HTTP+JSON'],
  ['SDK 1.3 for 0.3', '0.3', 'JSONRPC'],
  ['SDK 0.3.14', '0.3', 'JSONRPC'],
] as const;
const IN = [
  ['1.0', 'HTTP+JSON'],
  ['0.3', 'JSONRPC'],
  ['0.3', 'HTTP+JSON'],
] as const;

beforeAll(async () => {
  const own = await openAgent({ runtime: { onTask: work } });
  const draft = await startCardServer({
    name: 'draft',
    protocolVersions: ['0.3'],
    supportedInterfaces: [
      { url: own.rpc, protocolBinding: 'JSONRPC' },
      { url: own.origin, protocolBinding: 'HTTP+JSON' },
    ],
    capabilities: { streaming: true },
  });
  const [v1, both, v03] = [
    await startJsV1(),
    await startJsV1({ isLegacy: true }),
    await startJsV03(),
  ];
  behind.set('own', own.origin).set('own draft', draft.origin);
  behind
    .set('SDK 1.3', v1.origin)
    .set('SDK 1.3 for 0.3', both.origin)
    .set('SDK 0.3.14', v03.origin);
  stops.push(
    () => own.runtime.close({ graceMs: 0 }),
    () => draft.stop(),
    () => v1.stop(),
    () => both.stop(),
    () => v03.stop(),
  );
  for (const [name, version, binding] of OUT) {
    const bridge = await openBridge({
      upstreams: { behind: behind.get(name)! },
      prefer: { binding, version },
    });
    bridges.set(`${name} ${version}`, bridge);
    stops.unshift(() => bridge.runtime.close({ graceMs: 0 }));
  }
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

for (const [name, version, binding] of OUT) {
  describeClient(
    {
      name: `a bridge before ${name} in ${version} over ${binding}`,
      origin: () => bridges.get(`${name} ${version}`)!.origin,
      prefer: { binding: 'JSONRPC', version: '1.0' },
      // A stream of our own agent always tells of a task.
      missing: ['extended card', ...(name.startsWith('own') ? (['answers'] as const) : [])],
    },
    '#bridge-states #bridge-asked',
  );
}

for (const [version, binding] of IN) {
  describeClient(
    {
      name: 'a bridge before SDK 1.3',
      origin: () => bridges.get('SDK 1.3 1.0')!.origin,
      prefer: { binding, version },
      missing: ['extended card'],
    },
    '#bridge-states #bridge-asked',
  );
}
