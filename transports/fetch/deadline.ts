// Owns the time of a fetch: one signal for the limit and for the caller.

import { TransportError } from '../../src/transport.ts';

export interface Deadline {
  /** Aborts with the `TransportError` to throw. */
  readonly signal: AbortSignal;
  /** Leaves neither a timer nor a listener behind. */
  readonly stop: () => void;
}

export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(
      new TransportError('timeout', `the answer had not arrived after ${timeoutMs} ms`),
    );
  }, timeoutMs);
  const onAbort = (): void => {
    controller.abort(new TransportError('aborted', 'the caller aborted the fetch', caller?.reason));
  };
  if (caller?.aborted === true) onAbort();
  else caller?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
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
