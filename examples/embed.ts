// Two agents in one process: one does the work, the other asks for it over HTTP, WebSocket and a Unix socket.
// Every message is signed, encrypted, and checked on arrival. It asserts what it shows.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createIdentity, createRuntime, defineContent, defineTool } from 'a2a-sdl';
import type { RemoteAgent } from 'a2a-sdl';
import { http } from 'a2a-sdl/transports/http';
import { ipc } from 'a2a-sdl/transports/ipc';
import { ws } from 'a2a-sdl/transports/ws';
import { z } from 'zod';

const folder = await mkdtemp(join(tmpdir(), 'a2a-sdl-embed-'));
const workerIdentity = await createIdentity(); // to keep one: KeyDirectory
const askerIdentity = await createIdentity();

// A content type of our own, which both agents speak. The question leaves out what the answer fills in.
const Weather = z.object({ city: z.string().min(1), celsius: z.number().optional() });
const weather = defineContent({
  ct: 'weather.v1',
  schema: Weather, // zod, valibot, arktype, or a plain JSON Schema
  handle: ({ city }) => ({ city, celsius: city === 'Oslo' ? 4 : 21 }),
});

// #region worker
const worker = createRuntime({
  identity: workerIdentity,
  name: 'worker',
  peers: [askerIdentity.bundle], // who is not listed is refused
  contents: [weather],
  tools: [
    defineTool({
      name: 'text.length',
      args: z.object({ text: z.string() }),
      run: ({ text }) => text.length,
    }),
  ],
  async *onTask(task, ctx) {
    const words = task.text.split(' ');
    for (const [index, word] of words.entries()) {
      yield ctx.progress({ message: `reading "${word}"`, fraction: index / words.length });
    }
    yield ctx.artifact({ name: 'count', text: String(words.length) });
  },
});
// #endregion

// #region asker
const asker = createRuntime({
  identity: askerIdentity,
  name: 'asker',
  peers: [workerIdentity.bundle],
  contents: [weather],
  transports: [http(), ws(), ipc()],
});
// #endregion

/** Sends a task and follows it; answers what the agent said on its way, and its output. */
async function follow(peer: RemoteAgent, goal: string): Promise<[said: string[], output: string]> {
  const said = new Set<string>();
  for await (const update of peer.task(goal)) {
    const { envelope, isProven } = update.received!;
    assert(isProven && envelope.sec?.mode === 'enc+sig');
    if (update.progress !== undefined) said.add(update.progress.message);
    if (!update.isAnswer) continue;
    assert.equal(update.status, 'completed');
    return [[...said], update.artifacts.map(({ text }) => text).join('')];
  }
  throw new Error('an exchange ends with its answer');
}

try {
  const listeners = await worker.listen(
    http({ port: 0 }), // any free port of 127.0.0.1
    ws(), // on the port of http()
    ipc({ path: join(folder, 'worker.sock') }),
  );

  for (const url of listeners.flatMap(({ urls }) => urls)) {
    const peer = asker.connect(url, { agentId: worker.agentId });
    const [said, output] = await follow(peer, 'three words here');
    assert.deepEqual(said, ['reading "three"', 'reading "words"', 'reading "here"']);
    assert.equal(output, '3');
    assert.equal(await peer.call('text.length', { text: 'hello' }), 5);
    const { payload } = await peer
      .request({ ct: 'weather.v1', payload: { city: 'Oslo' } })
      .result();
    assert.deepEqual(Weather.parse(payload), { city: 'Oslo', celsius: 4 });
    console.log(`${url}: a task, a tool and weather.v1`);
  }

  const nowhere = asker.connect(listeners[0]!.urls[0]!, { agentId: worker.agentId });
  await assert.rejects(nowhere.request({ ct: 'weather.v1', payload: { city: '' } }).result(), {
    name: 'RemoteError',
    code: 'PAYLOAD_INVALID',
  });
  console.log('weather.v1 for no city: refused as PAYLOAD_INVALID');
} finally {
  await asker.close();
  await worker.close();
  await rm(folder, { recursive: true });
}
