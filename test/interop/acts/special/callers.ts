// Owns the tests about who asks: nobody, somebody else, somebody who may not.

import { isDeepStrictEqual } from 'node:util';

import type { JsonObject } from '../../../../src/codec/value.ts';
import type { Answer, Binding } from '../bindings/binding.ts';
import { grpc } from '../bindings/grpc.ts';
import { rest } from '../bindings/rest.ts';
import { find } from '../dot-path.ts';
import type { Method } from '../requests.ts';
import { ANSWERS, STREAMS } from '../requests.ts';
import type { World } from '../world.ts';
import type { Special, Specials } from './special.ts';
import { textRequest } from './special.ts';

const NO_TASK = '00000000-0000-0000-0000-000000000000';
const HELLO = textRequest('tck-complete-task') as JsonObject;
const TASK = { id: NO_TASK };
const HOOK = { taskId: NO_TASK, id: 'hook' };
const REQUESTS: Readonly<Partial<Record<Method, JsonObject>>> = {
  SendMessage: HELLO,
  SendStreamingMessage: HELLO,
  GetTask: TASK,
  CancelTask: TASK,
  SubscribeToTask: TASK,
  CreateTaskPushNotificationConfig: { ...HOOK, url: 'https://example.com' },
  GetTaskPushNotificationConfig: HOOK,
  ListTaskPushNotificationConfigs: { taskId: NO_TASK },
  DeleteTaskPushNotificationConfig: HOOK,
};

export const CALLERS: Specials = {
  'SEC-AUTH-001': {
    check: async ({ judge, binding }) => {
      for (const token of [undefined, 'wrong-token', '']) {
        assertUnknown(judge, await binding.call('SendMessage', HELLO, token), `token "${token}"`);
      }
    },
  },
  'SEC-AUTH-002': {
    check: async (world) => {
      const { binding, agent } = world;
      assertForbidden(world, await binding.call('SendMessage', HELLO, agent.tokens.insufficient));
    },
  },
  'SEC-AUTH-003': {
    prepare: async (world) => {
      world.variables.set('otherUserTaskId', await othersTask(world));
    },
    check: async ({ judge, binding, agent, variables, responses }) => {
      const request = { id: variables.get('otherUserTaskId')! };
      const own = await binding.call('GetTask', request, agent.tokens.other);
      judge.check('value' in own, 'its owner does not see the task');
      const [others, none] = ['get-other-user-task', 'get-missing-task'].map((id) =>
        responses.get(id),
      );
      judge.check(isDeepStrictEqual(others, none), 'the task of another is not like none');
    },
  },
  'CORE-ERR-009': {
    check: async (world) => {
      const { judge, binding, token } = world;
      const others = await othersTask(world);
      for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask'] as const) {
        const errors = [];
        for (const id of [others, NO_TASK]) errors.push(await refusal(binding, method, id, token));
        const isSame = errors[0] !== undefined && isDeepStrictEqual(errors[0], errors[1]);
        judge.check(isSame, `${method} tells the task of another from none`);
      }
    },
  },
  'SEC-AUTH-004': {
    check: async ({ judge, binding, agent }) => {
      const overGrpc = grpc(agent.grpc!);
      for (const way of [binding, rest(agent.rest), overGrpc]) {
        for (const method of Object.keys(ANSWERS) as Method[]) {
          const answer = await way.call(method, REQUESTS[method] ?? {});
          assertUnknown(judge, answer, `${method} over ${way.name}`);
        }
      }
      overGrpc.close();
    },
  },
  'SEC-EXTCARD-001': extendedCard(false),
  'SEC-EXTCARD-002': {
    check: async (world) => {
      const { binding, agent } = world;
      assertForbidden(
        world,
        await binding.call('GetExtendedAgentCard', {}, agent.tokens.insufficient),
      );
    },
  },
  'SEC-EXTCARD-004': extendedCard(true),
};

/** Nobody gets it who shows nothing; who is known does. */
function extendedCard(withRefused: boolean): Special {
  return {
    check: async (world) => {
      const { judge, binding, agent } = world;
      const call = (token?: string): Promise<Answer> =>
        binding.call('GetExtendedAgentCard', {}, token);
      assertUnknown(judge, await call(), 'without a token');
      judge.check('value' in (await call(agent.tokens.user)), 'who is known does not get it');
      if (withRefused) assertForbidden(world, await call(agent.tokens.insufficient));
    },
  };
}

function assertUnknown(judge: World['judge'], answer: Answer, words: string): void {
  const isRefused = 'error' in answer && [401, 'UNAUTHENTICATED'].includes(answer.status);
  judge.check(isRefused, `${words}: ${answer.status}`);
  // gRPC has no challenge.
  if (typeof answer.status === 'string') return;
  const challenge = answer.headers.get('www-authenticate') ?? '';
  judge.check(/^Bearer /i.test(challenge), `${words}: no challenge, but "${challenge}"`);
}

function assertForbidden({ judge }: World, answer: Answer): void {
  const isRefused = 'error' in answer && [403, 'PERMISSION_DENIED'].includes(answer.status);
  judge.check(isRefused, `who may not is answered with ${answer.status}`);
}

async function othersTask({ binding, agent, judge }: World): Promise<string> {
  const sent = await binding.call('SendMessage', HELLO, agent.tokens.other);
  const id = 'value' in sent ? find(sent.value, 'task.id') : undefined;
  judge.check(typeof id === 'string', 'the other caller cannot begin a task');
  return id as string;
}

async function refusal(
  binding: Binding,
  method: Method,
  id: string,
  token: string | undefined,
): Promise<unknown> {
  const told = STREAMS.has(method)
    ? await binding.stream(method, { id }, token)
    : await binding.call(method, { id }, token);
  return 'error' in told ? told.error : undefined;
}
