// Two agents of one process: the requests of one are sealed ahead and kept, the other one answers them.

import type { JsonObject } from '../../src/codec/value.ts';
import type { ContentHandler } from '../../src/content.ts';
import type { CryptoProvider } from '../../src/crypto/provider.ts';
import type { SecurityMode } from '../../src/envelope/types.ts';
import { defineContent } from '../../src/handlers/define-content.ts';
import type { RuntimeOptions } from '../../src/runtime-options.ts';
import { BUILTIN_SCHEMAS } from '../../src/schema/builtin.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Connection, Dialer } from '../../src/transport.ts';
import { TransportError } from '../../src/transport.ts';
import { Clock, entryFor, inboundOf, newAgent } from '../support/agents.ts';
import { typicalEnvelope } from './envelopes.ts';

export interface PairOptions {
  readonly mode: SecurityMode;
  readonly crypto: CryptoProvider;
  readonly audit: boolean;
  /** Called with every request that reaches the handler. @default nothing */
  readonly onHandle?: () => void;
}

export interface Pair {
  /** Requests as the client sends them, each with its own nonce. */
  seal(count: number): Promise<Uint8Array[]>;
  /** The whole way of one message; answers with the reply. */
  receive(request: Uint8Array): Promise<Uint8Array>;
  /** Moves the clock on until every nonce has expired: one sender may only have so many. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** Nothing is held back: what is measured is the work and not its limits. */
export const NO_BRAKES: NonNullable<RuntimeOptions['admission']> = {
  maxInFlight: 1e9,
  maxInFlightPerPeer: 1e9,
  ratePerSecond: 1e9,
  burst: 1e9,
};

const CONTENT_TYPE = 'echo.v1';
/** Longer than a nonce of the client lives, and the skew. */
const NONCE_LIFE_MS = 300_000;

/** Answers a payload like that of a task with the same payload. */
export function echoContent(onHandle?: () => void): ContentHandler {
  return defineContent({
    ct: CONTENT_TYPE,
    schema: BUILTIN_SCHEMAS['task.v1']!,
    handle: (payload) => {
      onHandle?.();
      return payload;
    },
  });
}

export function echoRequest(): { readonly ct: string; readonly payload: JsonObject } {
  return { ct: CONTENT_TYPE, payload: typicalEnvelope()['payload'] as JsonObject };
}

export async function newPair({ mode, crypto, audit, onHandle }: PairOptions): Promise<Pair> {
  const clock = new Clock();
  const shared = { crypto, now: clock.now, admission: NO_BRAKES };
  const store = createMemoryStore({ now: clock.now });
  const bob = await newAgent({ ...shared, audit, store, contents: [echoContent(onHandle)] });
  const { receive } = await bob.runtime.listenContext();
  const answer = async (request: Uint8Array): Promise<Uint8Array> => {
    let last = request;
    for await (const { bytes } of receive(inboundOf(request))) last = bytes;
    return last;
  };
  const outbox: Uint8Array[] = [];
  const dialer = dialerTo(answer, outbox);
  const alice = await newAgent({ ...shared, dialers: [dialer], contents: [echoContent()] });
  const isUnsigned = mode === 'none';
  bob.book.add(
    entryFor(alice.identity, {
      ...(isUnsigned && { minMode: mode, switches: new Set(['unsigned-requests'] as const) }),
    }),
  );
  alice.book.add(entryFor(bob.identity, { endpoints: ['memory:bob'] }));
  const peer = alice.runtime.connect(bob.identity.agentId);
  // Twice for real: after that each has the keys of the other, and no message carries them any more.
  dialer.isOpen = true;
  for (let time = 0; time < 2; time += 1) await peer.request(echoRequest(), { mode }).result();
  dialer.isOpen = false;

  return {
    async seal(count) {
      outbox.length = 0;
      while (outbox.length < count) {
        await peer
          .request(echoRequest(), { mode })
          .result()
          .catch((thrown: unknown) => {
            if (!(thrown instanceof TransportError)) throw thrown;
          });
      }
      return [...outbox];
    },
    receive: answer,
    async forget() {
      clock.nowMs += NONCE_LIFE_MS;
      await store.purge();
    },
    async close() {
      await alice.runtime.close({ graceMs: 0 });
      await bob.runtime.close({ graceMs: 0 });
      await store.close();
    },
  };
}

/** While it is open it delivers; else it keeps what it is to send, and sends nothing. */
function dialerTo(
  answer: (request: Uint8Array) => Promise<Uint8Array>,
  outbox: Uint8Array[],
): Dialer & { isOpen: boolean } {
  const dialer = { isOpen: false, schemes: ['memory:'], dial: () => Promise.resolve(connection) };
  const connection: Connection = {
    isOpen: true,
    async *exchange({ bytes }) {
      if (!dialer.isOpen) {
        outbox.push(bytes);
        throw new TransportError('refused', 'the request is kept');
      }
      yield { bytes: await answer(bytes), encoding: 'json' };
    },
    notify: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return dialer;
}
