// Owns the faces that the dialect suite runs over: how each lets a caller in, how it says what all of them say, and what
// its wire cannot say.

import type { ErrorCode } from '../../../src/errors.ts';
import { MAP, Refusal } from '../../../profiles/steerqa/refusal.ts';
import { ERRORS } from '../../../src/errors.ts';
import type { Kind } from '../../../profiles/a2a/errors/kinds.ts';
import { MAP as A2A_MAP } from '../../../profiles/a2a/errors/map.ts';
import type { A2aBinding } from './a2a-line.ts';
import type { DialectAgent, SdlTransport } from './agent.ts';
import type { Caller } from './caller.ts';

/** What is done to the entry of a caller while it is at work. */
export type Change = 'revoke' | 'remove' | 'expire' | 'narrow';

export interface Face {
  readonly name: string;
  /** Somebody new who may do everything, for as long as its entry says so. */
  caller(agent: DialectAgent): Promise<Caller>;
  /** Somebody who shows that it is this owner already. */
  link(agent: DialectAgent, owner: Caller): Promise<Caller>;
  change(agent: DialectAgent, caller: Caller, how: Change): void;
  /** Cases that its wire cannot say, and why. */
  readonly cannot: Readonly<Record<number, string>>;
  /** Canceling a task that has ended is refused, or tells the task as it is. */
  readonly cancelOfEnded: 'refused' | 'unchanged';
  /** How it names that refusal. @default as every other one of a task that has ended */
  readonly notCancelable?: string;
  /** Digits of a fraction that no double has: whole numbers are always kept. */
  readonly longFractions: 'kept' | 'rounded';
  /** A connection that has an answer under way stays open for further calls while the agent stops. */
  readonly isKeptOpen: boolean;
  /** How a stream is told that the agent stops. */
  readonly stopCode: ErrorCode;
  /** How it names a code of the table. */
  codeOf(code: ErrorCode): string;
  /** Whether what it names so may pass. @default as the table says */
  mayPass?(code: ErrorCode): boolean;
}

const SDL_CANNOT = {
  17: 'a peer has no tenant',
  19: 'there is one scheme: the signature of an agent',
  22: 'every message is signed by somebody',
  26: 'an equal task joins the one of its id, also when that has failed',
} as const;

function sdl(transport: SdlTransport, name: string): Face {
  return {
    name: `SDL over ${name}`,
    caller: (agent) => agent.sdl(transport),
    link: (agent, owner) => agent.sdlAs(transport, owner),
    change: ({ shared: { book, now } }, { owner }, how) => {
      const entry = book.get(owner)!;
      if (how === 'remove') book.entries.delete(owner);
      else if (how === 'revoke') book.add({ ...entry, revoked: true });
      else if (how === 'expire') book.add({ ...entry, notAfter: now() - 1 });
      else book.add({ ...entry, contentTypes: ['toolcall.v1'], tools: ['sys.ping'] });
    },
    cannot: SDL_CANNOT,
    cancelOfEnded: 'unchanged',
    // What is encrypted is written as v1 peers write it (SPEC.md #sec-encrypt, #python-json-numbers).
    longFractions: 'rounded',
    isKeptOpen: transport !== 'http',
    // What was asked is not answered in time; that it was a stream makes no difference to an exchange.
    stopCode: 'DEADLINE',
    // A refusal for reasons of security tells no more than that.
    codeOf: (code) => (ERRORS[code].wire === 'SECURITY_UNSUPPORTED' ? ERRORS[code].wire : code),
  };
}

export const PLAIN: Face = {
  name: 'plain JSON over HTTP',
  caller: (agent) => agent.plain(),
  link: (agent, { owner }) => agent.plain({ id: owner }),
  change: ({ shared: { guests, now } }, { owner }, how) => {
    const name = guests.nameOf(owner);
    if (how === 'remove' || how === 'revoke') guests.remove(name);
    else if (how === 'expire') guests.change(name, { entryEndsAt: now() - 1 });
    else guests.change(name, { contentTypes: [], tools: ['sys.ping'] });
  },
  cannot: {},
  cancelOfEnded: 'refused',
  longFractions: 'kept',
  isKeptOpen: false,
  stopCode: 'DRAINING',
  codeOf: (code) => code,
};

export const SDL_FACES: readonly Face[] = [
  sdl('http', 'HTTP'),
  sdl('ws', 'WebSocket'),
  sdl('ipc', 'a Unix socket'),
];

const A2A_CANNOT = {
  13: 'a message has no deadline',
  23: 'the agent makes the ids of tasks: each message without one is a new task',
  24: 'the agent makes the ids of tasks: none can conflict',
  25: 'the agent makes the ids of tasks: each message without one is a new task',
  26: 'the agent makes the ids of tasks: none can be asked for again',
  39: 'who was not told the id of its task cannot ask for it',
} as const;

function officialA2a(binding: A2aBinding, name: string): Face {
  return {
    ...PLAIN,
    name: `official A2A over ${name}`,
    caller: (agent) => agent.a2a(binding),
    link: (agent, { owner }) => agent.a2a(binding, { id: owner }),
    cannot: A2A_CANNOT,
    notCancelable: 'TASK_NOT_CANCELABLE',
    codeOf: (code) => reasonOf(A2A_MAP[code]),
    // A content type that is refused once is refused for ever.
    mayPass: (code) => ERRORS[code].retryable && code !== 'CT_UNSUPPORTED',
  };
}

/** One kind is told under the name of another. */
function reasonOf(kind: Kind): string {
  return kind === 'MEDIA_TYPE_NOT_SUPPORTED' ? 'CONTENT_TYPE_NOT_SUPPORTED' : kind;
}

export const A2A_FACES: readonly Face[] = [
  officialA2a('jsonrpc', 'JSON-RPC'),
  officialA2a('rest', 'REST'),
];

export const A2A_GRPC: Face = {
  ...officialA2a('grpc', 'gRPC'),
  cannot: {
    ...A2A_CANNOT,
    29: 'a number is a double: any other is refused, never changed',
    32: 'a part of protobuf has one content: two cannot be said',
  },
};

export const FACES: readonly Face[] = [...SDL_FACES, PLAIN, ...A2A_FACES];

const NO_OPERATION =
  'an offer is its only operation: a task cannot be looked at, listed, told or canceled';
const NO_REPLY = 'nothing answers the agent: what asks has failed';
const NO_STREAM = 'partials are told while somebody waits; there is no place to go on from';
const NO_PARTS = 'an offer is one object, and so is a final: neither has parts';
/** The case itself asks for a list, a look or a cancel; what it is about is shown by `test/dialect/steerqa.test.ts`. */
const SHOWN_BESIDE =
  'the case needs a list, a look or a cancel; what it is about is shown beside the suite';

const saying = (words: string, ...numbers: readonly number[]): Record<number, string> =>
  Object.fromEntries(numbers.map((number) => [number, words]));

const STEERQA_CANNOT: Readonly<Record<number, string>> = {
  ...saying(NO_OPERATION, 7, 8, 9, 10, 11, 12, 41, 42, 43),
  ...saying(SHOWN_BESIDE, 15, 16, 18, 20, 21, 44, 47, 48, 49, 50),
  2: 'a failure of the work has one code, INTERNAL',
  3: 'a rejection by the author is a failure of the work',
  ...saying(NO_REPLY, 4, 5, 6),
  14: 'who asks waits for the final: the state of now is not told',
  17: 'nobody can ask for a tenant by name',
  19: 'there is nothing to ask another owner for',
  22: 'the case asks who was let in for a task; what it is about is shown beside the suite',
  27: 'every offer has a key',
  ...saying(NO_PARTS, 28, 29, 30, 31, 32),
  ...saying(NO_STREAM, 33, 34, 35, 36, 37, 38, 39, 40),
};

export const STEERQA: Face = {
  ...PLAIN,
  name: 'SteerQA over HTTP',
  caller: (agent) => agent.steerqa(),
  link: (agent, { owner }) => agent.steerqa(owner),
  cannot: STEERQA_CANNOT,
  codeOf: (code) => new Refusal(MAP[code], 'x').row.code,
  mayPass: (code) => new Refusal(MAP[code], 'x').row.retryable,
};
