// An agent whose requests are sealed ahead and kept, so that only their receiver is measured.

import type { JsonObject } from '../../../src/codec/value.ts';
import type { ContentHandler } from '../../../src/content.ts';
import type { CryptoProvider } from '../../../src/crypto/provider.ts';
import type { SecurityMode } from '../../../src/envelope/types.ts';
import { defineContent } from '../../../src/handlers/custom/define-content.ts';
import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import { BUILTIN_SCHEMAS } from '../../../src/schema/builtin.ts';
import type { Peer } from '../../../src/security/peers/peer.ts';
import type { Connection, Dialer } from '../../../src/transport.ts';
import { TransportError } from '../../../src/transport.ts';
import type { Clock } from '../../support/agents/agents.ts';
import { entryFor, newAgent } from '../../support/agents/agents.ts';
import { typicalEnvelope } from '../envelopes.ts';

/** Gives the reply to a request. */
export type Ask = (request: Uint8Array) => Promise<Uint8Array>;

export interface Sender {
  /** What the receiver's book is to say of it. */
  readonly entry: Peer;
  /** Two real exchanges: after that each has the keys of the other, and no message carries them any more. */
  readonly meet: (receiver: Peer, ask: Ask) => Promise<void>;
  /** Requests as the client sends them, each with its own nonce. */
  readonly seal: (count: number) => Promise<Uint8Array[]>;
  readonly close: () => Promise<void>;
}

export interface SenderOptions {
  readonly mode: SecurityMode;
  readonly crypto: CryptoProvider;
  readonly clock: Clock;
  /** @default an echo of a typical payload */
  readonly content?: { readonly ct: string; readonly payload: JsonObject };
}

/** Nothing is held back: what is measured is the work and not its limits. */
export const NO_BRAKES: NonNullable<RuntimeOptions['admission']> = {
  maxInFlight: 1e9,
  maxInFlightPerPeer: 1e9,
  ratePerSecond: 1e9,
  burst: 1e9,
};

/** Answers a payload like that of a task with the same payload. */
export function echoContent(onHandle?: () => void): ContentHandler {
  return defineContent({
    ct: 'echo.v1',
    schema: BUILTIN_SCHEMAS['task.v1']!,
    handle: (payload) => {
      onHandle?.();
      return payload;
    },
  });
}

/** A task as an agent would ask for it. */
export const TYPICAL_TASK = {
  ct: 'task.v1',
  payload: typicalEnvelope()['payload'] as JsonObject,
} as const;

export async function newSender(options: SenderOptions): Promise<Sender> {
  const { mode, crypto, clock } = options;
  const outbox: Uint8Array[] = [];
  let ask: Ask | undefined;
  const dialer = dialerThrough(
    () => ask,
    (request) => outbox.push(request),
  );
  const { identity, book, runtime } = await newAgent({
    crypto,
    now: clock.now,
    transports: [dialer],
    contents: [echoContent()],
  });
  const { content = { ...TYPICAL_TASK, ct: 'echo.v1' } } = options;
  let send: () => Promise<unknown> = () => Promise.reject(new Error('it has met nobody'));
  return {
    entry: entryFor(identity, {
      ...(mode === 'none' && { minMode: mode, switches: new Set(['unsigned-requests'] as const) }),
    }),
    async meet(receiver, through) {
      book.add({ ...receiver, endpoints: ['memory:receiver'] });
      const peer = runtime.connect(receiver.agentId);
      send = () => peer.request(content, { mode }).result();
      ask = through;
      for (let time = 0; time < 2; time += 1) await send();
      ask = undefined;
    },
    async seal(count) {
      while (outbox.length < count) await send().catch(expectKept);
      return outbox.splice(0);
    },
    close: () => runtime.close({ graceMs: 0 }),
  };
}

function expectKept(thrown: unknown): void {
  if (!(thrown instanceof TransportError)) throw thrown;
}

/** Delivers while there is somebody to ask; else it hands over what it is to send, and sends nothing. */
function dialerThrough(
  current: () => Ask | undefined,
  keep: (request: Uint8Array) => void,
): Dialer {
  const connection: Connection = {
    isOpen: true,
    async *exchange({ bytes }) {
      const ask = current();
      if (ask === undefined) {
        keep(bytes);
        throw new TransportError('refused', 'the request is kept');
      }
      yield { bytes: await ask(bytes), encoding: 'json' };
    },
    notify: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return { schemes: ['memory:'], dial: () => Promise.resolve(connection) };
}
