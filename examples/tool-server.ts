// A tool server with two callers: each may use the tools that its entry in the server's peer book names, and no others.
// Callers know only where the server is and its id; its keys they fetch and verify. It asserts what it shows.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ToolCallError, ToolError, createRuntime, defineTool } from 'a2a-sdl';
import type { LocalIdentity, Runtime } from 'a2a-sdl';
import { KeyDirectory, PeerBook } from 'a2a-sdl/keys';
import { fetchPeer, http } from 'a2a-sdl/transports/http';

const stock = new Map([['screws', 120]]);
const item = { type: 'string', maxLength: 64 };

// #region tool
const readStock = defineTool({
  name: 'stock.read',
  description: 'How many of an item there are.',
  args: { type: 'object', properties: { item }, required: ['item'], additionalProperties: false },
  result: { type: 'integer', minimum: 0 },
  run: (args) => countOf(args['item'] as string),
});
// #endregion

const takeStock = defineTool({
  name: 'stock.take',
  description: 'Takes some of an item, and tells how many are left.',
  args: {
    type: 'object',
    properties: { item, count: { type: 'integer', minimum: 1, maximum: 1_000 } },
    required: ['item', 'count'],
    additionalProperties: false,
  },
  run(args, { call, log }) {
    const name = args['item'] as string; // the schema has seen to it
    const count = Number(args['count']); // numbers come as they were written, and 20.0 is an integer too
    const left = countOf(name) - count;
    // The caller reads these words; those of any other error stay here.
    if (left < 0) throw new ToolError('there are not that many', { code: 'OUT_OF_STOCK' });
    stock.set(name, left);
    log(`taken by ${call.principal.id}`);
    return { left };
  },
});

function countOf(name: string): number {
  const count = stock.get(name);
  if (count === undefined) throw new ToolError('there is no such item', { code: 'NO_SUCH_ITEM' });
  return count;
}

/** A caller that knows the server by its id and gets its keys from the document that the server signs. */
async function caller(identity: LocalIdentity, serverId: string, url: string): Promise<Runtime> {
  const peer = await fetchPeer(url, { agentId: serverId });
  return createRuntime({ identity, peers: [peer], transports: [http()] });
}

/** Why a tool failed, as its caller learns it. */
async function failureOf(call: Promise<unknown>): Promise<string> {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert(thrown instanceof ToolCallError);
  return thrown.code;
}

const folder = await mkdtemp(join(tmpdir(), 'a2a-sdl-tools-'));
const keys = new KeyDirectory(join(folder, 'keys')); // mode 0700, files 0600
const [warehouse, clerk, guest] = [
  await keys.create('warehouse'),
  await keys.create('clerk'),
  await keys.create('guest'),
];

// #region book
const book = await PeerBook.open(join(folder, 'peers', 'warehouse.json'));
await book.add({ agentId: clerk.agentId, name: 'clerk', tools: ['stock.read', 'stock.take'] });
await book.add({ agentId: guest.agentId, name: 'guest', tools: ['stock.read'] });
// #endregion

const refusals: string[] = [];
const server = createRuntime({
  identity: warehouse,
  name: 'warehouse',
  peers: book,
  tools: [readStock, takeStock],
  policy: { minMode: 'enc+sig' },
  on: { outcome: ({ stage, error }) => error && refusals.push(`${stage}: ${error.code}`) },
});
const callers: Runtime[] = [];

try {
  const [listener] = await server.listen(http({ port: 0 }));
  const url = listener!.urls[0]!;
  callers.push(await caller(clerk, server.agentId, url), await caller(guest, server.agentId, url));
  const [asClerk, asGuest] = callers.map((runtime) => runtime.connect(server.agentId));

  console.log('1. Both may read.');
  assert.equal(await asClerk!.call('stock.read', { item: 'screws' }), 120);
  assert.equal(await asGuest!.call('stock.read', { item: 'screws' }), 120);

  console.log('2. The clerk may take, the guest may not; the server alone knows why.');
  await asClerk!.call('stock.take', { item: 'screws', count: 20 });
  await assert.rejects(asGuest!.call('stock.take', { item: 'screws', count: 20 }), {
    name: 'RemoteError',
    code: 'SECURITY_UNSUPPORTED',
  });
  assert.equal(refusals.at(-1), 'authorize: NOT_AUTHORIZED');
  assert.equal(stock.get('screws'), 100);

  console.log('3. Arguments that do not fit never reach the tool; a tool fails in its own words.');
  const take = (count: number): Promise<unknown> =>
    asClerk!.call('stock.take', { item: 'screws', count });
  assert.equal(await failureOf(take(0)), 'PAYLOAD_INVALID');
  assert.equal(await failureOf(take(101)), 'OUT_OF_STOCK');
  assert.equal(stock.get('screws'), 100);

  console.log('4. A caller that is revoked is refused from the next message on.');
  await book.revoke('guest');
  await assert.rejects(asGuest!.call('stock.read', { item: 'screws' }), {
    name: 'RemoteError',
    code: 'SECURITY_UNSUPPORTED',
  });
  assert.equal(refusals.at(-1), 'policy: SENDER_REFUSED');
} finally {
  for (const runtime of callers) await runtime.close();
  await server.close();
  await rm(folder, { recursive: true });
}
