// Owns how tasks wait: one replaceable timer, so that tests need no real time.

/** Calls back once after `delayMs`; what it returns calls that off. */
export type SetTimer = (callback: () => void, delayMs: number) => () => void;

/** Timers keep the delay in 31 bits. */
const MAX_DELAY_MS = 2_147_483_647;

/** Real time. A waiting timer does not keep a program from ending. */
export const setTimer: SetTimer = (callback, delayMs) => {
  const timer = setTimeout(callback, Math.min(delayMs, MAX_DELAY_MS));
  // Browsers give a number.
  (timer as Partial<NodeJS.Timeout>).unref?.();
  return () => clearTimeout(timer);
};
