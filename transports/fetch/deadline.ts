// Owns the time of a fetch: one signal for the limit and for the caller.

import { TransportError } from '../../src/transport.ts';

export interface Deadline {
  /** Aborts with the `TransportError` to throw. */
  readonly signal: AbortSignal;
  /** From now on there is so much time; without a number it stands still. */
  readonly restart: (timeoutMs?: number) => void;
  /** Leaves neither a timer nor a listener behind. */
  readonly stop: () => void;
}

export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const start = (ms: number, words: string): NodeJS.Timeout =>
    setTimeout(() => controller.abort(new TransportError('timeout', words)), ms);
  let timer = start(timeoutMs, `the answer had not arrived after ${timeoutMs} ms`);
  const onAbort = (): void => {
    controller.abort(new TransportError('aborted', 'the caller aborted the fetch', caller?.reason));
  };
  if (caller?.aborted === true) onAbort();
  else caller?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    restart: (ms) => {
      clearTimeout(timer);
      if (ms !== undefined) timer = start(ms, `nothing more had arrived after ${ms} ms`);
    },
    stop: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}

/** For work that cannot be cancelled: its result is ignored once the signal has aborted. */
export function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as TransportError), { once: true });
    work.then(resolve, reject);
  });
}
