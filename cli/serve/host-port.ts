// Owns how an address to listen at is written: HOST:PORT, or less where the rest is plain.

import { usageError } from '../kit/exit.ts';

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Only this machine can reach it: more has to be said. */
const LOOPBACK = '127.0.0.1';
const MAX_PORT = 65_535;

/**
 * `HOST:PORT`, `[::1]:PORT`, `:PORT` or `PORT`; without a host it is this machine alone.
 * @param what how the user calls it, such as `--http`
 */
export function readHostPort(what: string, value: string): HostPort {
  const match = /^(?:(?:\[([^\]]+)\]|([^:[\]]*)):)?(\d{1,5})$/.exec(value);
  const port = Number(match?.[3]);
  if (match !== null && port <= MAX_PORT) {
    return { host: match[1] ?? (match[2] || LOOPBACK), port };
  }
  throw usageError(
    `${what} expects HOST:PORT, or a port of this machine`,
    `write ${what} 127.0.0.1:8787, ${what} 8787, or ${what} [::1]:8787; a port is at most ${MAX_PORT}`,
  );
}

const ONLY_HERE = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** Can only this machine reach it? */
export function isLoopbackHost(host: string): boolean {
  return ONLY_HERE.test(host);
}
