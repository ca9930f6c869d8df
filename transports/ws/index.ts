// Owns the WebSocket transport: it listens on the port of http() and dials `ws:` and `wss:`. Nothing is loaded before it
// is used. SPEC.md section 11 (#transport-ws).

import type { Dialer, Transport } from '../../src/transport.ts';
import type { WsOptions } from './options.ts';
import { resolveWsOptions } from './options.ts';

export type { WsOptions } from './options.ts';

/**
 * Close codes: 1000 not needed any more, 1001 idle or stopping, 1007 text that is not UTF-8, 1008 too many tiny
 * messages or control frames, 1009 too large, 1011 an answer could not be given, 1013 too many connections.
 */
export function ws(options: WsOptions = {}): Transport & Dialer {
  const settings = resolveWsOptions(options);
  return {
    name: 'ws',
    schemes: ['ws:', 'wss:'],
    listen: async (context, earlier) => {
      const { listenWs } = await import('./listen.ts');
      return listenWs(settings, context, earlier);
    },
    dial: async (url, dialOptions) => {
      const { dialWs } = await import('./dial.ts');
      return dialWs(settings, url, dialOptions);
    },
  };
}
