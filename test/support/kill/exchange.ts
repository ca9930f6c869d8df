// Owns one sending of a request to a node that may be killed meanwhile: all that came back, and what it means.

import type { ReadyHome } from '../../../cli/home/init.ts';
import { isJsonObject } from '../../../src/codec/value.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { decodeMessage } from '../../../src/envelope/decode.ts';
import type { Incoming } from '../../../src/transport.ts';
import { openedBy } from '../wire/forge.ts';
import { frameLine } from '../wire/raw-lines.ts';

/** A message of a node, opened. */
export interface Told {
  readonly bytes: Uint8Array;
  readonly type: 'res' | 'evt';
  readonly ct: string;
  readonly payload: JsonObject;
  readonly receipt: JsonObject | undefined;
}

export interface Exchange {
  readonly events: readonly Told[];
  /** Absent when the connection was cut before, or could not be made. */
  readonly reply: Told | undefined;
}

/**
 * What a request has come to. `unknown`: it may have run, and is never run again. `none`: it did not run.
 * `broken`, `away`: the store failed or could not be reached; it may have run. `away` is not kept: it is to be asked
 * again. `cut`: nobody said anything.
 */
export type Verdict = 'answer' | 'replayed' | 'unknown' | 'none' | 'broken' | 'away' | 'cut';

/** How long a node may take for an answer. */
export const PATIENCE_MS = 30_000;

export interface Sending {
  readonly home: ReadyHome;
  readonly url: string;
  /** Told of every message that comes back. */
  readonly onArrival?: () => void;
}

export async function exchange(message: Incoming, sending: Sending): Promise<Exchange> {
  const { home, url, onArrival } = sending;
  const events: Told[] = [];
  const line = await frameLine(url).catch(() => undefined);
  if (line === undefined) return { events, reply: undefined };
  let isSilent = false;
  const patience = setTimeout(() => {
    isSilent = true;
    line.close();
  }, PATIENCE_MS);
  try {
    line.send(message);
    for (;;) {
      const arrived = await line.next();
      if (isSilent) throw new Error(`a node gave no answer within ${PATIENCE_MS} ms`);
      if (arrived === undefined) return { events, reply: undefined };
      onArrival?.();
      const told = toldIn(home, arrived);
      if (told.type === 'res') return { events, reply: told };
      events.push(told);
    }
  } finally {
    clearTimeout(patience);
    line.close();
  }
}

function toldIn(home: ReadyHome, { bytes, encoding }: Incoming): Told {
  const message = decodeMessage(bytes, encoding) as JsonObject;
  const receipt = (message['trace'] as JsonObject | undefined)?.['audit'];
  return {
    bytes,
    type: message['type'] as Told['type'],
    ct: message['ct'] as string,
    payload: openedBy(home.identities.operator, message),
    receipt: isJsonObject(receipt) ? receipt : undefined,
  };
}

export function verdictOf({ reply }: Exchange): Verdict {
  if (reply === undefined) return 'cut';
  if (reply.ct !== 'error.v1') return 'answer';
  const { reason, outcome } = reply.payload['details'] as JsonObject;
  if (reason === 'REPLAYED') return 'replayed';
  if (reason === 'DEADLINE') return outcome === 'none' ? 'none' : 'unknown';
  if (reason === 'UNAVAILABLE') return 'away';
  return reason === 'INTERNAL' ? 'broken' : 'answer';
}
