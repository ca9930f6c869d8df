// Owns what a driver gives: a line to one client of one package over one binding, and what that client cannot say.

import type { Json } from '../../../support/a2a/ask.ts';
import type { Client, JsonObject } from '../client.ts';
import type { Words } from '../words/words.ts';

export type Binding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';

export type Operation =
  | 'send'
  | 'get'
  | 'list'
  | 'cancel'
  | 'createHook'
  | 'getHook'
  | 'listHooks'
  | 'deleteHook'
  | 'extendedCard';

/** What the client shows with every request. */
export interface Connection {
  readonly token?: string;
  /** Instead of the one that it speaks. */
  readonly version?: string;
  readonly extensions?: readonly string[];
  /** The card must be signed by one of these: a set of JSON Web Keys. @default it need not be signed */
  readonly keys?: Json;
  /** The version that the card is asked for in. @default the one that it speaks */
  readonly cardVersion?: string;
}

/** One client, spoken to in the JSON of its generation. What it was refused is thrown as `Refused`. */
export interface Line {
  /** As the client read it. */
  readonly card: Json;
  call(operation: Operation, params: JsonObject): Promise<Json>;
  follow(
    operation: 'stream' | 'subscribe',
    params: JsonObject,
    signal?: AbortSignal,
  ): AsyncIterable<Json>;
  close(): Promise<void>;
}

/** By the reason that the agent gives. */
export type Reason =
  | 'TASK_NOT_FOUND'
  | 'TASK_NOT_CANCELABLE'
  | 'UNSUPPORTED_OPERATION'
  | 'PUSH_NOTIFICATION_NOT_SUPPORTED'
  | 'CONTENT_TYPE_NOT_SUPPORTED'
  | 'EXTENSION_SUPPORT_REQUIRED'
  | 'VERSION_NOT_SUPPORTED'
  | 'INVALID_PARAMS'
  | 'UNAUTHENTICATED';

type Loss =
  | 'file names'
  /** Whether output goes on where it was. */
  | 'append'
  /** Protobuf of 0.3 does not tell 0 and nothing apart: both are all. */
  | 'a history of none'
  /** When the task came to its state. */
  | 'times'
  /** Bytes are taken for the base64 of others. */
  | 'bytes'
  /** It cannot say it inside of data. */
  | 'null';

export interface Driver {
  /** Such as `@a2a-js/sdk 1.3.0 over JSONRPC`. */
  readonly name: string;
  readonly words: Words;
  /** The numbers of the cases that its package or wire has no words for, and why. */
  readonly cannot: Readonly<Record<number, string>>;
  /** What its user is told of a refusal. @default the reason itself */
  readonly tells?: (reason: Reason, operation: Operation | 'stream' | 'subscribe') => string;
  /** What its package or wire loses on the way. */
  readonly loses: readonly Loss[];
  /** Looks for the agent by its card. */
  connect(address: string, connection: Connection): Promise<Line>;
}

export async function open(
  driver: Driver,
  address: string,
  connection: Connection,
): Promise<Client> {
  const { words } = driver;
  const line = await driver.connect(address, connection);
  return {
    found: words.readCard(line.card),
    send: async (wish) => words.readAnswer(await line.call('send', words.send(wish))),
    stream: (wish, signal) => steps(words, line.follow('stream', words.send(wish), signal)),
    get: async (id, length) => words.readTask(await line.call('get', words.task(id, length))),
    list: async (filter) => words.readPage(await line.call('list', words.list(filter))),
    cancel: async (id) => void (await line.call('cancel', words.task(id))),
    subscribe: (id, signal) => steps(words, line.follow('subscribe', words.task(id), signal)),
    createHook: async (taskId, hook) =>
      words.readHook(await line.call('createHook', words.hook(taskId, hook))),
    getHook: async (taskId, id) =>
      words.readHook(await line.call('getHook', words.hookId(taskId, id))),
    listHooks: async (taskId) =>
      words.readHooks(await line.call('listHooks', words.hookId(taskId, ''))),
    deleteHook: async (taskId, id) =>
      void (await line.call('deleteHook', words.hookId(taskId, id))),
    extendedCard: async () => words.readCard(await line.call('extendedCard', {})),
    close: () => line.close(),
  };
}

async function* steps(
  words: Words,
  told: AsyncIterable<Json>,
): AsyncGenerator<ReturnType<Words['readStep']>, void> {
  for await (const one of told) yield words.readStep(one);
}
