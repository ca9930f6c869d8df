// A dialect of one's own, on the port of the agent: a question as plain text, its answer as plain text. The agent finds
// out who asks, what they may do, and keeps its books, as for every other dialect. It asserts what it shows.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import { createIdentity, createRuntime } from 'a2a-sdl';
import { createCallers, hashSecret } from 'a2a-sdl/profiles/auth';
// #region face
import { untilRest } from 'a2a-sdl/door';
import type { Transport } from 'a2a-sdl/transport';
import { http, httpHostOf } from 'a2a-sdl/transports/http';
import type { HttpCall } from 'a2a-sdl/transports/http';

const text = (): Transport => ({
  name: 'text',
  listen: async (context, earlier) => {
    async function ask(asked: HttpCall): Promise<void> {
      const { authorization = '' } = asked.headers;
      const shown = { face: 'text', address: asked.peer.address, authorization };
      const known = await context.authenticate(shown); // who asks?
      const { agentId } = context.about();
      const call = { ...known, face: 'text', agentId, signal: asked.signal, now: Date.now };
      const parts = [{ text: new TextDecoder().decode(await asked.body()) }];
      const message = { id: randomUUID(), role: 'user', parts } as const;
      const { task } = await context.tasks.start(call, { message }); // may it? then it is on record
      const steps = context.tasks.follow(call, task.id);
      const { artifacts, status } = (await untilRest(steps, asked.signal)) ?? task;
      await asked.answer(200, {}, artifacts.map((made) => made.text).join('') || status.state);
    }
    const host = httpHostOf(earlier, 'text'); // it shares the port of http()
    const served = host.serve({
      name: 'text',
      maxBytes: 65_536,
      headers: ['authorization'],
      owns: (path) => path === '/text',
      methods: () => ['POST'],
      handle: async (asked) => {
        const ticket = context.admit('text', asked.peer); // is there room?
        await ask(asked).finally(() => ticket.release());
      },
      refuse: (asked, { row }, status) => asked.answer(status, {}, row.words),
    });
    const close = (graceMs: number): Promise<void> => served.close(graceMs);
    return { name: 'text', isFace: true, urls: [host.urlOf('/text')], close };
  },
});
// #endregion

const token = randomUUID();
const sha256 = hashSecret(token);
const agent = createRuntime({
  identity: await createIdentity(),
  callers: createCallers({
    entries: [{ name: 'ci', proof: { scheme: 'bearer', secret: { sha256 } } }],
  }),
  onTask: async (task) => `hello ${task.text}, from ${task.owner}`,
});
const [, face] = await agent.listen(http({ port: 0 }), text());
const post = (authorization: string): Promise<Response> =>
  fetch(face!.urls[0]!, { method: 'POST', body: 'world', headers: { authorization } });

const answer = await post(`Bearer ${token}`);
console.log(await answer.clone().text()); // hello world, from ~bearer:ci
const refused = await post('Bearer of bad news');
console.log(`${refused.status}: ${await refused.clone().text()}`);
await agent.close();

assert.equal(await answer.text(), 'hello world, from ~bearer:ci');
assert.equal(refused.status, 401);
assert.equal(await refused.text(), 'the security of this message is not accepted');
