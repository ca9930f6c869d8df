// Owns a log for daemons in the process of a test: it says nothing, and what it is told can be caught.

import type { DaemonLog } from '../../../cli/serve/log.ts';

export function quietLog(caught: Partial<DaemonLog> = {}): DaemonLog {
  const ignore = (): void => undefined;
  return {
    open: ignore,
    close: ignore,
    useNames: ignore,
    message: ignore,
    task: ignore,
    error: ignore,
    step: ignore,
    ...caught,
  };
}
