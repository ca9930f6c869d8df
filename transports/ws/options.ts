// Owns what the user of the WebSocket transport can set. SPEC.md section 11 (#transport-ws, #transport-timeouts).

import type { ChannelOptions, ChannelSettings } from '../channel/options.ts';
import { checkTimeout, resolveChannelOptions } from '../channel/options.ts';
import type { TlsOptions } from '../net/tls-options.ts';
import { checkTls } from '../net/tls-options.ts';

export interface WsOptions extends ChannelOptions {
  /** How often each end asks whether the other is there; it is cut when it has not said so by the next time. @default 30000 */
  readonly pingIntervalMs?: number;
  /** For dialing `wss:`. What is shown when listening is for the HTTP listener to say. */
  readonly tls?: TlsOptions;
}

export interface WsSettings extends ChannelSettings {
  readonly pingIntervalMs: number;
  readonly tls: TlsOptions;
}

const DEFAULT_PER_ADDRESS = 64;

export function resolveWsOptions(options: WsOptions): WsSettings {
  const { pingIntervalMs = 30_000, tls = {} } = options;
  checkTls(tls);
  return Object.freeze({
    ...resolveChannelOptions(options, DEFAULT_PER_ADDRESS),
    pingIntervalMs: checkTimeout('pingIntervalMs', pingIntervalMs),
    tls: Object.freeze({ ...tls }),
  });
}
