// A server of the A2A benchmark: this package as it is shipped, with its audit log, its store in memory.

import { join } from 'node:path';

import type * as A2a from '../../../profiles/a2a/index.ts';
import type * as Auth from '../../../profiles/auth/index.ts';
import type * as DoorModule from '../../../src/door/index.ts';
import type * as Root from '../../../src/index.ts';
import type * as Http from '../../../transports/http/index.ts';
import { ANSWER, EVENTS, Pace, QUESTIONS, isAsked } from './agent.ts';
import { serve } from './child.ts';
import { LINES } from './clients.ts';

const PRINCIPAL = { id: '~none:a2a', tenant: '', scheme: 'none' };
/** Nothing is held back: what is measured is the work and not its limits. */
const MANY = 1e6;

serve(async ({ builds }) => {
  const load = (module: string): Promise<unknown> => import(join(builds, 'ours', module));
  const { createIdentity, createRuntime } = (await load('src/index.js')) as typeof Root;
  const { untilRest } = (await load('src/door/index.js')) as typeof DoorModule;
  const { createCallers } = (await load('profiles/auth/index.js')) as typeof Auth;
  const { http } = (await load('transports/http/index.js')) as typeof Http;
  const { a2a } = (await load('profiles/a2a/index.js')) as typeof A2a;
  const identity = await createIdentity();
  const pace = new Pace();
  const runtime = createRuntime({
    identity,
    callers: createCallers({ entries: [], anonymous: ['a2a'] }),
    admission: {
      maxInFlight: MANY,
      maxInFlightPerPeer: MANY,
      ratePerSecond: MANY,
      burst: MANY,
      maxStreams: MANY,
      maxStreamsPerPeer: MANY,
    },
    tasks: {
      maxTasks: MANY,
      maxTasksPerOwner: MANY,
      maxConcurrent: MANY,
      maxConcurrentPerOwner: MANY,
    },
    accepts: ({ parts: [first] }) => {
      const isAnswered = first !== undefined && 'text' in first && isAsked(first.text, 'message');
      return isAnswered ? ANSWER : undefined;
    },
    onTask: async function* (task, ctx) {
      if (isAsked(task.text, 'hold')) {
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      }
      if (!isAsked(task.text, 'stream')) {
        yield ctx.artifact({ id: 'answer', name: 'answer', text: ANSWER });
        return;
      }
      for (let event = 1; event <= EVENTS; event += 1) {
        yield ctx.artifact({
          id: 'answer',
          text: ANSWER,
          append: event > 1,
          last: event === EVENTS,
        });
        await pace.said(event);
      }
    },
  });
  const [host, face] = await runtime.listen(
    http({ port: 0, maxConnections: MANY, maxConnectionsPerAddress: MANY }),
    a2a({ grpc: { port: 0 } }),
  );
  let made = 0;
  /** What the face does with a task, without HTTP and without its wire. */
  async function doTask(): Promise<void> {
    made += 1;
    const call = {
      principal: PRINCIPAL,
      face: 'a2a',
      agentId: identity.agentId,
      signal: new AbortController().signal,
      now: Date.now,
    };
    const { task } = await runtime.tasks.start(call, {
      message: { id: `door-${made}`, role: 'user', parts: [{ text: QUESTIONS.task }] },
      contextId: `context-${made}`,
    });
    const steps = runtime.tasks.follow(call, task.id, task.generation);
    const rested = await untilRest(steps, call.signal);
    if (rested?.status.state !== 'completed' || rested.artifacts.length !== 1) {
      throw new Error(`a task ended as ${rested?.status.state}`);
    }
  }
  return {
    url: new URL('/rpc', host!.urls[0]).href,
    grpcUrl: `http://${face!.faces![0]!.urls[0]}`,
    marks: () => pace.take(),
    doTasks: async (count) => {
      let left = count;
      const lane = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await doTask();
        }
      };
      await Promise.all(Array.from({ length: LINES }, lane));
    },
  };
});
