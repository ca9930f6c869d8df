// An agent that keeps evidence of its tasks, in the form of Assay: what was accepted, what was sent. It asserts what it
// shows.

import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createClient, createIdentity, createRuntime } from 'a2a-sdl';
import { checkRun, convert, evidence } from 'a2a-sdl/profiles/assay';
import { http } from 'a2a-sdl/transports/http';

const folder = await mkdtemp(join(tmpdir(), 'a2a-sdl-evidence-'));
const mine = await createIdentity();
const agentIdentity = await createIdentity();

const seen = evidence({ directory: folder }); // one run: `seen.path` is its file
const agent = createRuntime({
  identity: agentIdentity,
  peers: [mine.bundle],
  evidence: seen,
  onTask: async (task) => `done: ${task.text}`,
});
const [listener] = await agent.listen(http({ port: 0 }));
const client = createClient({
  identity: mine,
  peers: [agentIdentity.bundle],
  transports: [http()],
});
const peer = client.connect(listener!.urls[0]!, { agentId: agentIdentity.agentId });
await peer.task('something private').result();
await client.close();
await agent.close(); // what was seen is in the file

const text = await readFile(seen.path, 'utf8');
const report = await checkRun(createReadStream(seen.path));
assert(report.ok && report.run_id === seen.runId);
assert(!text.includes('private'));
console.log(`${report.events} records, root ${report.run_root}`);

// A packet of somebody else, converted by the same rules.
const packet = { protocol: 'a2a', version: '0.3', event_type: 'task.requested' };
const bytes = new TextEncoder().encode(
  JSON.stringify({ ...packet, agent: { id: 'a' }, task: { id: 't', kind: 'delegation' } }),
);
const { batch, contentHash } = convert(bytes, { mode: 'strict' });
assert.equal(batch.lossiness.lossiness_level, 'none');
console.log(`seen: ${contentHash}`);
await rm(folder, { recursive: true });
