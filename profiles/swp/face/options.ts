// Owns what the user of the face can set, and its defaults. SPEC.md section 19 (#swp-limits, #swp-pace).

import { isIPv4, isIPv6 } from 'node:net';
import { isAbsolute } from 'node:path';
import type { TlsOptions } from '../../../transports/net/tls-options.ts';
import { checkTls } from '../../../transports/net/tls-options.ts';
import type { SwpLimits, SwpSizes } from '../wire/rules.ts';
import { resolveLimits } from '../wire/rules.ts';

/** How much, how fast and for how long; 0 turns a pace or a window off. */
export interface SwpPolicy extends SwpLimits {
  /** Frames that one connection may send us in a second; one more closes it. @default 128 */
  readonly framesPerSecond?: number;
  /** Frames that we send on one connection in a second, at most 100 of them Events. @default 128 */
  readonly peerFramesPerSecond?: number;
  /** A msg_id that comes again within so long on one connection closes it. @default 5000 */
  readonly duplicateWindowMs?: number;
  /** A message whose time is further from now closes the connection. @default 0: times are not judged */
  readonly freshnessMs?: number;
  /** Messages of one connection that may be refused before it is closed. @default 64 */
  readonly maxDrops?: number;
  /** Numbers of the profiles that do not close the connection. Only 2 is served. @default [2] */
  readonly profiles?: readonly number[];
  /** Connections at once. @default 8192 */
  readonly maxConnections?: number;
  /** Connections at once from one address of the network. @default 1024 */
  readonly maxConnectionsPerAddress?: number;
  /** A frame that has begun must be complete by then. @default 10000 */
  readonly frameTimeoutMs?: number;
  /** A connection that takes nothing of what we send for so long is cut. @default 60000 */
  readonly stalledWriteTimeoutMs?: number;
}

export interface SwpOptions extends SwpPolicy {
  /** Where to listen: the absolute path of a Unix socket, which only this user can open. Its callers are the operator. */
  readonly path?: string;
  /** Listen on TCP instead; 0 takes any free port. */
  readonly port?: number;
  /** For `port`: a loopback address, or any with `tls`. @default '127.0.0.1' */
  readonly host?: string;
  /** For `port`: callers prove themselves by certificates that `ca` vouches for. */
  readonly tls?: TlsOptions;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}

export type SwpAddress =
  | { readonly path: string }
  | { readonly host: string; readonly port: number; readonly tls?: TlsOptions };

export interface SwpSettings extends Required<Omit<SwpPolicy, 'profiles' | keyof SwpLimits>> {
  readonly sizes: SwpSizes;
  readonly profiles: ReadonlySet<bigint>;
  readonly address: SwpAddress;
  readonly now: () => number;
}

const DEFAULT_PACE = 128;
export const DEFAULT_STALL_MS = 60_000;
const MAX_PACE = 100_000;
const MAX_COUNT = 1_000_000;
/** The longest timer there is. */
const MAX_MS = 2_147_483_647;
const MAX_PORT = 65_535;

export function resolveSwpOptions(options: SwpOptions): SwpSettings {
  const { profiles = [2], now = Date.now } = options;
  const number = (
    name: keyof SwpPolicy & keyof SwpSettings,
    otherwise: number,
    least: number,
    most: number,
  ): number => checkInteger(name, (options[name] as number | undefined) ?? otherwise, least, most);
  return Object.freeze({
    sizes: resolveLimits(options),
    framesPerSecond: number('framesPerSecond', DEFAULT_PACE, 0, MAX_PACE),
    peerFramesPerSecond: checkPace(options.peerFramesPerSecond),
    duplicateWindowMs: number('duplicateWindowMs', 5_000, 0, MAX_MS),
    freshnessMs: number('freshnessMs', 0, 0, MAX_MS),
    maxDrops: number('maxDrops', 64, 1, MAX_COUNT),
    maxConnections: number('maxConnections', 8_192, 1, MAX_COUNT),
    maxConnectionsPerAddress: number('maxConnectionsPerAddress', 1_024, 1, MAX_COUNT),
    frameTimeoutMs: number('frameTimeoutMs', 10_000, 1, MAX_MS),
    stalledWriteTimeoutMs: number('stalledWriteTimeoutMs', DEFAULT_STALL_MS, 1, MAX_MS),
    profiles: new Set(profiles.map((profile) => BigInt(profile))),
    address: addressOf(options),
    now,
  });
}

function addressOf({ path, port, host, tls }: SwpOptions): SwpAddress {
  if (path !== undefined) {
    if (port !== undefined || host !== undefined || tls !== undefined) {
      throw new TypeError('"path" expected alone, without "host", "port" and "tls"');
    }
    if (typeof path !== 'string' || !isAbsolute(path) || path.includes('\0')) {
      throw new TypeError('"path" expected the absolute path of a socket');
    }
    return { path };
  }
  if (port === undefined) {
    throw new TypeError('"path" or "port" expected: swp() has to know where to listen');
  }
  const place = {
    host: host ?? '127.0.0.1',
    port: checkInteger('port', port, 0, MAX_PORT),
  };
  if (tls !== undefined) {
    checkTls(tls);
    return { ...place, tls };
  }
  if (isLoopback(place.host)) return place;
  throw new TypeError(
    '"host" expected a loopback address such as "127.0.0.1": give certificates to be reached from elsewhere',
  );
}

/** Names other than this one are not looked up, because what they mean can be changed. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  if (isIPv4(host)) return host.startsWith('127.');
  return isIPv6(host) && new URL(`http://[${host}]`).hostname === '[::1]';
}

/** What we send in a second, on either side. */
export function checkPace(value: number = DEFAULT_PACE): number {
  return checkInteger('peerFramesPerSecond', value, 0, MAX_PACE);
}

function checkInteger(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`"${name}" expected an integer from ${least} to ${most}`);
}
