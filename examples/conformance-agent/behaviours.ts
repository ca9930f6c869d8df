// Owns what the conformance agent does with a message: the suites choose it by how the id or the first text of the
// message begins.

import { setTimeout as delay } from 'node:timers/promises';

import type { TaskContext } from 'a2a-sdl';
import { TaskError } from 'a2a-sdl';
import type { Message } from 'a2a-sdl/door';

export interface Behaviour {
  /** Ends the task when it returns nothing; a message that it returns is the next turn. */
  readonly act: (ctx: TaskContext) => Promise<Message | undefined>;
  /** Whether it goes on with a next turn that has no prefix of its own. @default it completes */
  readonly goesOn?: (reply: Message) => boolean;
}

const LONG_MS = 4_000;
const DELAYED_MS = 2_000;
/** Suites look for it twice, for two seconds each. */
const RESUBSCRIBE_MS = 5_000;
/** Longer than any suite runs. */
const UNTIL_CANCELED_MS = 3_000_000;
/** Time for another stream to begin, or for one to be left. */
const STREAM_PAUSE_MS = 500;

const FILE = { filename: 'output.txt', mediaType: 'text/plain' } as const;
const TEXT_PART = { text: 'Generated text content' } as const;
const FILE_PART = { bytes: new TextEncoder().encode('tck'), ...FILE } as const;
const URL_PART = { url: 'https://example.com/output.txt', ...FILE } as const;
const DATA_PART = { data: { key: 'value', count: 42 } } as const;

type Part = typeof TEXT_PART | typeof FILE_PART | typeof URL_PART | typeof DATA_PART;

/** For a message without a task. */
export const DIRECT_WORDS = 'Direct message response';

/** What every other message of 1.0 gets, too. */
export const COMPLETE: Behaviour = {
  act: async (ctx) => {
    await ctx.answer('Hello from TCK', { isTask: true });
    return undefined;
  },
};

/** Every message is answered with a question, until one begins with `done`. */
export const CONVERSE: Behaviour = {
  act: (ctx) => ctx.ask('Please say more.'),
  goesOn: isNotDone,
};

/** Answered before there is a task; this is what it does where there is one already. */
export const MESSAGE_RESPONSE: Behaviour = {
  act: async (ctx) => {
    await ctx.answer(DIRECT_WORDS);
    return undefined;
  },
};

/** By prefix. */
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  'tck-complete-task': COMPLETE,
  'tck-message-response': MESSAGE_RESPONSE,
  'tck-artifact-text': { act: handingOver(TEXT_PART) },
  'tck-artifact-file': { act: handingOver(FILE_PART) },
  'tck-artifact-file-url': { act: handingOver(URL_PART) },
  'tck-artifact-data': { act: handingOver(DATA_PART) },
  'tck-input-required': { act: (ctx) => ctx.ask('Please say more.') },
  'tck-auth-required': { act: (ctx) => ctx.ask('Please sign in.', { kind: 'auth' }) },
  // Without words: the suites count the messages of the history.
  'tck-multi-turn': { act: (ctx) => ctx.ask(), goesOn: isNotDone },
  'tck-reject-task': {
    act: async () => {
      throw new TaskError('This task was rejected.', { code: 'REJECTED', rejects: true });
    },
  },
  'tck-task-failure': {
    act: async () => {
      throw new TaskError('This task failed.', { code: 'FAILED' });
    },
  },
  'tck-long-running': {
    act: async (ctx) => (await work(ctx, LONG_MS)) ?? handingOver(TEXT_PART)(ctx),
  },
  'tck-delayed-complete': {
    act: async (ctx) => (await work(ctx, DELAYED_MS)) ?? COMPLETE.act(ctx),
  },
  'tck-cancel': { act: (ctx) => work(ctx, UNTIL_CANCELED_MS) },
  'test-resubscribe-message-id': { act: (ctx) => work(ctx, RESUBSCRIBE_MS) },
  'tck-stream-basic': { act: streaming(TEXT_PART) },
  'tck-stream-001': { act: streaming(TEXT_PART) },
  'tck-stream-002': { act: async () => undefined },
  'tck-stream-003': { act: streaming(TEXT_PART) },
  'tck-stream-ordering-001': { act: streaming(TEXT_PART) },
  'tck-stream-artifact-text': { act: streaming(TEXT_PART) },
  'tck-stream-artifact-file': { act: streaming(FILE_PART) },
  'tck-stream-artifact-chunked': { act: inChunks },
  'tck-stream-chunked': { act: inChunks },
};

const LONGEST_FIRST = Object.entries(BEHAVIOURS).toSorted(
  ([one], [other]) => other.length - one.length,
);

/** `undefined` for a message without a prefix that is known. */
export function behaviourOf({ id, parts }: Pick<Message, 'id' | 'parts'>): Behaviour | undefined {
  const text = parts.find((part) => 'text' in part)?.text ?? '';
  const found = LONGEST_FIRST.find(([prefix]) => id.startsWith(prefix) || text.startsWith(prefix));
  return found?.[1];
}

function isNotDone({ text }: Message): boolean {
  return !text.startsWith('done');
}

function handingOver(part: Part): Behaviour['act'] {
  return async (ctx) => {
    await ctx.artifact({ name: 'output', parts: [part], last: true });
    return undefined;
  };
}

/** Working, output, completed, each on its own. That it is at work is told without its doing. */
function streaming(part: Part): Behaviour['act'] {
  return async (ctx) => {
    await delay(STREAM_PAUSE_MS);
    await handingOver(part)(ctx);
    await delay(STREAM_PAUSE_MS);
    return undefined;
  };
}

async function inChunks(ctx: TaskContext): Promise<undefined> {
  const id = 'chunked';
  await ctx.artifact({ id, name: 'output', text: 'first chunk, ' });
  await delay(STREAM_PAUSE_MS);
  await ctx.artifact({ id, name: 'output', text: 'second chunk', append: true, last: true });
}

/** Nothing but work, until its time is over or a message with a prefix of its own comes. */
async function work(ctx: TaskContext, ms: number): Promise<Message | undefined> {
  const isOver = delay(ms, undefined, { signal: ctx.signal });
  // It is called off together with the task.
  isOver.catch(() => undefined);
  for (;;) {
    const said = await Promise.race([isOver, ctx.next()]);
    if (said === undefined || behaviourOf(said) !== undefined) return said;
  }
}
