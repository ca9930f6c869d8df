// A way to another agent on which somebody sits who sees every answer, and passes on what it likes.

import type { Dialer, Incoming, Outbound } from '../../../src/transport.ts';
import { TransportError } from '../../../src/transport.ts';
import { decodeMessage } from '../../../src/envelope/decode.ts';
import type { Envelope } from '../../../src/envelope/types.ts';

type Answers = AsyncIterable<Incoming>;

/** @param attempt how often a request went this way, from 1. */
export type Change = (answers: Answers, attempt: number) => Answers;

export interface ManBetween {
  readonly dialer: Dialer;
  /** As they came from the agent. */
  readonly told: Envelope[];
}

export interface BetweenOptions {
  /** What of a request is passed on. @default all of it */
  readonly ask?: (outbound: Outbound) => Outbound;
}

export function manBetween(
  dialer: Dialer,
  change: Change,
  { ask = (outbound) => outbound }: BetweenOptions = {},
): ManBetween {
  const told: Envelope[] = [];
  let attempts = 0;
  async function* seen(answers: Answers): AsyncGenerator<Incoming> {
    for await (const incoming of answers) {
      told.push(envelopeOf(incoming));
      yield incoming;
    }
  }
  return {
    told,
    dialer: {
      schemes: dialer.schemes,
      dial: async (url, options) => {
        const connection = await dialer.dial(url, options);
        return {
          exchange: (outbound) => change(seen(connection.exchange(ask(outbound))), (attempts += 1)),
          notify: (outbound) => connection.notify(outbound),
          get isOpen() {
            return connection.isOpen;
          },
          close: () => connection.close(),
        };
      },
    },
  };
}

export function envelopeOf({ bytes, encoding }: Incoming): Envelope {
  return decodeMessage(bytes, encoding) as unknown as Envelope;
}

/** `sec.x.n`. */
export function numberOf({ sec }: Envelope): unknown {
  return sec?.x?.['n'];
}

/** All of them first, then in the order that `order` gives. */
export function reordered(order: (all: readonly Incoming[]) => readonly Incoming[]): Change {
  return async function* inOrder(answers) {
    const all: Incoming[] = [];
    for await (const one of answers) all.push(one);
    yield* order(all);
  };
}

/** The connection is lost after so many messages. */
export async function* cutAfter(answers: Answers, count: number): AsyncGenerator<Incoming> {
  let left = count;
  for await (const one of answers) {
    if (left === 0) break;
    left -= 1;
    yield one;
  }
  throw new TransportError('lost', 'somebody cut the connection');
}

export const withoutEvents: Change = async function* lastOnly(answers) {
  let last: Incoming | undefined;
  for await (const one of answers) last = one;
  yield last!;
};

/** Without what was read of it on the way. */
export function withBytes({ encoding, generation }: Incoming, bytes: Uint8Array): Incoming {
  return { bytes, encoding, ...(generation !== undefined && { generation }) };
}
