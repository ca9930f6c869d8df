// Owns an agent of another dialect as a client has it: the same interface as for one that speaks envelopes. Nothing is
// opened or loaded before something is asked. SPEC.md section 20 (#a2a-client-tasks).

import type { Dialect, DialectContext, ForeignAgent } from './dialect.ts';
import { cannotSay } from './request.ts';
import type { OpenForeign } from './speaker.ts';
import type { RemoteAgent } from '../remote-agent.ts';
import { exchangeOf } from '../remote-agent.ts';
import type { RemoteTasks } from '../remote-tasks.ts';

export function createForeignAgent(
  target: string,
  { dialect, ...opener }: Dialect,
  context: DialectContext,
): RemoteAgent {
  let opening: Promise<ForeignAgent> | undefined;
  const open: OpenForeign = async () => {
    context.signal.throwIfAborted();
    // One that failed is tried again: the agent may be there by then.
    opening ??= opener.connect(target, context).catch((thrown: unknown) => {
      opening = undefined;
      throw thrown;
    });
    return opening;
  };
  return {
    agentId: target,
    dialect,
    request: ({ ct }) => exchangeOf(refuse(dialect, ct)),
    task: (task, options = {}) =>
      exchangeOf(
        later(async () => {
          const { giveTask } = await loadSpeaker();
          return giveTask(open, dialect, task, options);
        }),
      ),
    tasks: laterTasks(async () => (await loadSpeaker()).createForeignTasks(open, dialect)),
    call: async (tool, args = {}, options = {}) => {
      const { callSkill } = await loadSpeaker();
      return callSkill(open, dialect, tool, args, options);
    },
    notify: async ({ ct }) => {
      throw cannotSay(dialect, ct);
    },
    negotiate: async () => {
      throw cannotSay(dialect, 'negotiation.v1');
    },
  };
}

function loadSpeaker(): Promise<typeof import('./speaker.ts')> {
  return import('./speaker.ts');
}

function refuse(dialect: string, ct: string): AsyncGenerator<never> {
  return later(() => Promise.reject(cannotSay(dialect, ct)));
}

async function* later<T>(begin: () => Promise<AsyncIterable<T>>): AsyncGenerator<T> {
  yield* await begin();
}

function laterTasks(load: () => Promise<RemoteTasks>): RemoteTasks {
  return {
    get: async (...asked) => (await load()).get(...asked),
    list: async (...asked) => (await load()).list(...asked),
    watch: (...asked) => ({
      [Symbol.asyncIterator]: () => later(async () => (await load()).watch(...asked)),
    }),
    cancel: async (...asked) => (await load()).cancel(...asked),
    reply: async (...asked) => (await load()).reply(...asked),
    send: async (...asked) => (await load()).send(...asked),
  };
}
