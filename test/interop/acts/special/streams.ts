// Owns the tests of several streams at once, and of streams that are left.

import { isDeepStrictEqual } from 'node:util';

import type { JsonObject } from '../../../../src/codec/value.ts';
import { find } from '../dot-path.ts';
import { isTerminalState, stateIn } from '../events.ts';
import type { Method } from '../requests.ts';
import { allOf } from '../steps.ts';
import type { World } from '../world.ts';
import type { Specials } from './special.ts';
import { textRequest } from './special.ts';

type Events = AsyncGenerator<JsonObject, void>;

export const STREAM_SPECIALS: Specials = {
  'STREAM-MULTI-001': {
    check: async (world) => {
      const { judge } = world;
      const { first, others } = await twoStreams(world);
      const [one, other] = await Promise.all([
        allOf(world, { events: first }),
        allOf(world, { events: others }),
      ]);
      judge.check(other.length > 0, 'the second stream told nothing after the task');
      const isSame = isDeepStrictEqual(one.slice(-other.length), other);
      judge.check(isSame, `${JSON.stringify(one)} and ${JSON.stringify(other)}`);
      judge.check(isTerminalState(stateIn(other.at(-1)!)), 'the end was not told');
    },
  },
  'STREAM-MULTI-002': {
    check: async (world) => {
      const left = await twoStreams(world);
      await left.others.return();
      await assertEnds(world, left.first);
      const other = await twoStreams(world);
      await other.first.return();
      await assertEnds(world, other.others);
    },
  },
  'STREAM-RESUB-001': {
    check: async (world) => {
      const { judge, binding, token } = world;
      const request = textRequest('tck-long-running', {
        configuration: { returnImmediately: true },
      });
      const sent = await binding.call('SendMessage', request as JsonObject, token);
      const id = 'value' in sent ? find(sent.value, 'task.id')! : '';
      const left = await open(world, 'SubscribeToTask', { id });
      judge.check(!isTerminalState(stateIn(await next(world, left))), 'it has ended already');
      await left.return();
      const again = await open(world, 'SubscribeToTask', { id });
      const first = await next(world, again);
      judge.check(find(first, 'task.id') === id, `no task first, but ${JSON.stringify(first)}`);
      await assertEnds(world, again);
    },
  },
};

/** Of one task; of the second stream the task that it begins with is read already. */
async function twoStreams(
  world: World,
): Promise<{ readonly first: Events; readonly others: Events }> {
  const request = textRequest('tck-stream-basic') as JsonObject;
  const first = await open(world, 'SendStreamingMessage', request);
  const id = find(await next(world, first), 'task.id');
  world.judge.check(typeof id === 'string', 'the stream does not begin with a task');
  const others = await open(world, 'SubscribeToTask', { id: id! });
  const told = await next(world, others);
  world.judge.check(find(told, 'task.id') === id, 'the second does not begin with the task');
  return { first, others };
}

async function open(world: World, method: Method, request: JsonObject): Promise<Events> {
  const { binding, token, judge } = world;
  const streamed = await binding.stream(method, request, token);
  judge.check('events' in streamed, `${method} is refused`);
  return (streamed as Extract<typeof streamed, { events: unknown }>).events;
}

async function next({ judge }: World, events: Events): Promise<JsonObject> {
  const { value } = await events.next();
  judge.check(value !== undefined, 'the stream has ended');
  return value as JsonObject;
}

async function assertEnds(world: World, events: Events): Promise<void> {
  const rest = await allOf(world, { events });
  const last = rest.at(-1);
  world.judge.check(last !== undefined && isTerminalState(stateIn(last)), 'it does not end');
}
