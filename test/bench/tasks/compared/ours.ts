// Contestant: this package as an embedder has it, through the door, without the audit log.

import { join } from 'node:path';

import type * as Stores from '../../../../stores/sqlite/index.ts';
import type * as Root from '../../../../src/index.ts';
import type * as Security from '../../../../src/security/index.ts';
import type { RunTask } from './child.ts';
import { ANSWER, OWNERS, QUESTION, takePart } from './child.ts';

takePart(async ({ builds, file }): Promise<RunTask> => {
  const load = (module: string): Promise<unknown> => import(join(builds, 'ours', module));
  const { createIdentity, createRuntime } = (await load('src/index.js')) as typeof Root;
  const { newPeer } = (await load('src/security/index.js')) as typeof Security;
  const { openSqliteStore } = (await load('stores/sqlite/index.js')) as typeof Stores;
  const identity = await createIdentity();
  const runtime = createRuntime({
    identity,
    peers: OWNERS.map((owner) => newPeer(owner)),
    ...(file !== undefined && { store: await openSqliteStore({ path: file }) }),
    audit: false,
    onTask: async function* (_task, ctx) {
      yield ctx.artifact({ name: 'answer', text: ANSWER });
    },
  });
  return async ({ owner, id }) => {
    const call = {
      principal: { id: owner, tenant: '', scheme: 'sdl' },
      face: 'bench',
      agentId: identity.agentId,
      signal: new AbortController().signal,
      now: Date.now,
    };
    const message = { id, role: 'user', parts: [{ text: QUESTION }] } as const;
    let { task } = await runtime.tasks.start(call, { message });
    for await (const step of runtime.tasks.follow(call, task.id)) task = step.task;
    const { status, artifacts } = task;
    if (artifacts.length !== 1 || status.state !== 'completed') {
      throw new Error(`a task ended as ${status.state}`);
    }
  };
});
