// Owns a signal that aborts some time after another one: so that what is under way can still be heard of.

export interface Outlasting {
  readonly signal: AbortSignal;
  /** From now on it aborts with the other one. */
  noLonger(): void;
  /** Aborts now, and listens no more. */
  end(): void;
}

export function outlasting(signal: AbortSignal, graceMs: number): Outlasting {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let leftMs = graceMs;
  const stop = (): void => controller.abort(signal.reason);
  const onAbort = (): void => {
    if (leftMs === 0) stop();
    else timer = setTimeout(stop, leftMs);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    noLonger() {
      leftMs = 0;
      clearTimeout(timer);
      if (signal.aborted) stop();
    },
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      controller.abort();
    },
  };
}
