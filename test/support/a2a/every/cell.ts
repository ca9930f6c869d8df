// Owns every wire over every binding under one form, for what must hold over all of them: HTTP and gRPC alike.

import type { OperationName } from '../../../../profiles/a2a/operations/inputs.ts';
import type { GrpcAgent } from '../agent.ts';
import type { Frame, Json } from '../ask.ts';
import { answerOf, at, framesOf } from '../ask.ts';
import type { Cell, Wish } from '../cells.ts';
import { CELLS } from '../cells.ts';
import type { GrpcAnswer } from '../grpc-client.ts';
import type { GrpcCell } from './grpc-cell.ts';
import { GRPC_CELLS } from './grpc-cell.ts';

/** What a caller sees of one answer. */
export interface Seen {
  /** The status of HTTP, or the name of that of gRPC. */
  readonly status: number | string;
  /** As the reason of its `ErrorInfo`; empty for what was not refused. */
  readonly reason: string;
  /** Of JSON-RPC. */
  readonly code: Json | undefined;
  /** After how many seconds it may be asked again, where that is said. */
  readonly retryAfterS: number | undefined;
  /** All of it as text. */
  readonly text: string;
  /** All of it but when it was given: two answers that nobody can tell apart have this equal. */
  readonly all: unknown;
  /** The task that a message was answered with. */
  readonly task: Json | undefined;
  /** The result of any other operation. */
  readonly result: Json | undefined;
}

/** A stream that is open. */
export interface OpenStream {
  /** `undefined` at the end. */
  next(): Promise<Json | undefined>;
  close(): Promise<void>;
}

export interface EveryCell {
  readonly name: string;
  readonly wire: Cell['wire'];
  readonly binding: Cell['binding'] | 'grpc';
  readonly stateOf: (word: string) => string;
  ask(agent: GrpcAgent, operation: OperationName, wish?: Wish): Promise<Seen>;
  open(agent: GrpcAgent, operation: 'stream' | 'subscribe', wish?: Wish): Promise<OpenStream>;
}

function overHttp(cell: Cell): EveryCell {
  const { name, wire, binding, stateOf } = cell;
  return {
    name,
    wire,
    binding,
    stateOf,
    ask: async (agent, operation, wish) => {
      const answer = await answerOf(await cell.fetch(agent, operation, wish));
      const { status, text, headers } = answer;
      const shown = [...headers].filter(([header]) => header !== 'date');
      return {
        status,
        reason: cell.reasonOf(answer),
        code: binding === 'jsonrpc' ? at(answer.body, 'error.code') : undefined,
        retryAfterS: secondsIn(headers.get('retry-after') ?? undefined),
        text,
        all: { operation, status, headers: shown, text },
        task: cell.taskOf(answer),
        result: cell.resultOf(answer),
      };
    },
    open: async (agent, operation, wish) => {
      const frames = framesOf(await cell.fetch(agent, operation, wish));
      return {
        next: async () => ((await frames.next()) as IteratorResult<Frame, undefined>).value?.data,
        close: async () => void (await frames.return(undefined)),
      };
    },
  };
}

function overGrpc(cell: GrpcCell): EveryCell {
  const { name, wire, binding, stateOf } = cell;
  return {
    name,
    wire,
    binding,
    stateOf,
    ask: async (agent, operation, wish) =>
      seenIn(operation, await cell.ask(agent, operation, wish)),
    open: async (agent, operation, wish) => {
      const stream = cell.stream(agent, operation, wish);
      const frames = stream[Symbol.asyncIterator]();
      return {
        next: async () => ((await frames.next()) as IteratorResult<Json, undefined>).value,
        close: async () => {
          stream.cancel();
          await stream.end;
        },
      };
    },
  };
}

function seenIn(operation: OperationName, answer: GrpcAnswer): Seen {
  const { status, reason, words, body, details, detailBytes, initial, trailing } = answer;
  const told = [initial, trailing].map((metadata) => {
    const shown = metadata.getMap();
    return Object.keys(shown)
      .filter((header) => header !== 'date')
      .map((header) => [header, String(shown[header])]);
  });
  return {
    status,
    reason,
    code: undefined,
    retryAfterS: secondsIn(at(details.at(-1), 'retryDelay.seconds')),
    text: JSON.stringify([words, details, body]),
    all: { operation, status, words, body, details: detailBytes.toString('hex'), told },
    task: at(body, 'task'),
    result: body,
  };
}

function secondsIn(told: Json | undefined): number | undefined {
  return told === undefined ? undefined : Number(told);
}

export const EVERY_CELL: readonly EveryCell[] = [
  ...CELLS.map(overHttp),
  ...GRPC_CELLS.map(overGrpc),
];
