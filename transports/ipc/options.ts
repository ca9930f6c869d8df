// Owns what the user of the IPC transport can set, and how its addresses are written.
// SPEC.md section 11 (#transport-ipc, #transport-timeouts).

import { isIPv4, isIPv6 } from 'node:net';
import { isAbsolute } from 'node:path';
import type { ChannelOptions, ChannelSettings } from '../channel/options.ts';
import { checkInteger, checkTimeout, resolveChannelOptions } from '../channel/options.ts';

export interface IpcOptions extends ChannelOptions {
  /** Where to listen: the absolute path of a Unix socket in a folder that exists. */
  readonly path?: string;
  /** Who may connect to that socket, as the mode of its file. @default 0o600, this user only */
  readonly mode?: number;
  /** Listen on loopback TCP instead; 0 takes any free port. */
  readonly port?: number;
  /** For `port`: a loopback address. @default '127.0.0.1' */
  readonly host?: string;
  /** A frame that has begun must be complete by then. @default 10000 */
  readonly frameTimeoutMs?: number;
}

/** Where a socket is. */
export type IpcAddress =
  { readonly path: string } | { readonly host: string; readonly port: number };

export interface IpcSettings extends ChannelSettings {
  /** Absent: for dialing only. */
  readonly address: IpcAddress | undefined;
  readonly mode: number;
  readonly frameTimeoutMs: number;
}

/** All clients of this machine share one address, so a lower limit for each address would make no sense. */
const DEFAULT_PER_ADDRESS = 1_024;

export function resolveIpcOptions(options: IpcOptions): IpcSettings {
  const { mode = 0o600, frameTimeoutMs = 10_000 } = options;
  return Object.freeze({
    ...resolveChannelOptions(options, DEFAULT_PER_ADDRESS),
    address: listenAddress(options),
    mode: checkInteger('mode', mode, 0, 0o777),
    frameTimeoutMs: checkTimeout('frameTimeoutMs', frameTimeoutMs),
  });
}

function listenAddress({ path, host, port }: IpcOptions): IpcAddress | undefined {
  if (path !== undefined) {
    if (port !== undefined || host !== undefined) {
      throw new TypeError('"path" expected alone, without "host" and "port"');
    }
    if (typeof path !== 'string' || !isAbsolute(path) || path.includes('\0')) {
      throw new TypeError('"path" expected the absolute path of a socket');
    }
    return { path };
  }
  if (port === undefined) {
    if (host !== undefined) throw new TypeError('"port" expected together with "host"');
    return undefined;
  }
  const address = loopback(host ?? '127.0.0.1');
  if (address === undefined) {
    throw new TypeError('"host" expected a loopback address such as "127.0.0.1" or "::1"');
  }
  return { host: address, port: checkInteger('port', port, 0, 65_535) };
}

/** The address to use; names are not looked up, because what they mean can be changed. */
function loopback(host: string): string | undefined {
  if (host === 'localhost') return '127.0.0.1';
  if (isIPv4(host)) return host.startsWith('127.') ? host : undefined;
  return isIPv6(host) && new URL(`http://[${host}]`).hostname === '[::1]' ? '::1' : undefined;
}

/** `ipc:/run/agent.sock`, `ipc://127.0.0.1:4321`. */
export function formatIpcUrl(address: IpcAddress): string {
  if (!('path' in address)) {
    const host = isIPv6(address.host) ? `[${address.host}]` : address.host;
    return `ipc://${host}:${address.port}`;
  }
  return `ipc:${address.path.split('/').map(encodeURIComponent).join('/')}`;
}

export function parseIpcUrl(url: string): IpcAddress {
  const address = URL.canParse(url) ? addressIn(new URL(url)) : undefined;
  if (address !== undefined) return address;
  throw new TypeError(
    '"url" expected an address such as "ipc:/run/agent.sock" or "ipc://127.0.0.1:4321"',
  );
}

function addressIn({
  protocol,
  hostname,
  port,
  pathname,
  search,
  hash,
}: URL): IpcAddress | undefined {
  if (protocol !== 'ipc:' || search !== '' || hash !== '') return undefined;
  if (hostname === '') {
    const path = decoded(pathname);
    return path !== undefined && isAbsolute(path) && !path.includes('\0') ? { path } : undefined;
  }
  const host = loopback(hostname.replace(/^\[(.*)\]$/, '$1'));
  const isRoot = pathname === '' || pathname === '/';
  return host === undefined || port === '' || !isRoot ? undefined : { host, port: Number(port) };
}

function decoded(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}
