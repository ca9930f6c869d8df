// Owns the settings that every transport with lasting connections has. SPEC.md section 11 (#transport-timeouts).

export interface ChannelOptions {
  /** Connections at once. @default 1024 */
  readonly maxConnections?: number;
  /** Connections at once from one address. @default 64; 1024 for `ipc()`: all its clients have the same address */
  readonly maxConnectionsPerAddress?: number;
  /** Requests of one connection that are worked on at once; beyond, nothing is read from it. @default 64 */
  readonly maxInFlight?: number;
  /** A connection that has sent no message for so long, and waits for none, is closed. @default 120000 */
  readonly idleTimeoutMs?: number;
  /** A connection that takes nothing of an answer for so long is cut. @default 60000 */
  readonly stalledWriteTimeoutMs?: number;
  /**
   * For exchanges that we began. One is given up when its reader takes nothing for so long and its answers block those
   * of other exchanges. @default 10000
   */
  readonly stallTimeoutMs?: number;
}

export type ChannelSettings = Required<ChannelOptions>;

const MAX_COUNT = 1_000_000;
/** The longest timer there is. */
const MAX_TIMEOUT_MS = 2_147_483_647;

export function resolveChannelOptions(
  options: ChannelOptions,
  defaultPerAddress: number,
): ChannelSettings {
  const {
    maxConnections = 1_024,
    maxConnectionsPerAddress = defaultPerAddress,
    maxInFlight = 64,
    idleTimeoutMs = 120_000,
    stalledWriteTimeoutMs = 60_000,
    stallTimeoutMs = 10_000,
  } = options;
  return Object.freeze({
    maxConnections: checkCount('maxConnections', maxConnections),
    maxConnectionsPerAddress: checkCount('maxConnectionsPerAddress', maxConnectionsPerAddress),
    maxInFlight: checkCount('maxInFlight', maxInFlight),
    idleTimeoutMs: checkTimeout('idleTimeoutMs', idleTimeoutMs),
    stalledWriteTimeoutMs: checkTimeout('stalledWriteTimeoutMs', stalledWriteTimeoutMs),
    stallTimeoutMs: checkTimeout('stallTimeoutMs', stallTimeoutMs),
  });
}

function checkCount(name: string, value: number): number {
  return checkInteger(name, value, 1, MAX_COUNT);
}

export function checkTimeout(name: string, value: number): number {
  return checkInteger(name, value, 1, MAX_TIMEOUT_MS);
}

export function checkInteger(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`"${name}" expected an integer from ${least} to ${most}`);
}
