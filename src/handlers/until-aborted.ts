// Owns waiting that ends when nobody waits for the outcome any more. SPEC.md section 13 (#checks, `route`).

import type { MaybePromise } from '../crypto/provider.ts';
import { SdlError } from '../errors.ts';

/** The outcome of the work; once `signal` aborts, its reason if that is one of ours, else DEADLINE. */
export function untilAborted<T>(work: MaybePromise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(abortError(signal));
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    // Also after the end of the wait: what then fails must not be an unhandled rejection.
    void Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', giveUp));
  });
}

export function abortError({ reason }: AbortSignal): SdlError {
  if (reason instanceof SdlError) return reason;
  return new SdlError('DEADLINE', 'nobody waits for the result any more', { cause: reason });
}
