// Owns the IPC transport: frames over a Unix socket or loopback TCP, listening and dialing `ipc:`. Nothing is
// loaded before it is used. SPEC.md section 11 (#transport-ipc).

import type { Dialer, Transport } from '../../src/transport.ts';
import type { IpcOptions } from './options.ts';
import { resolveIpcOptions } from './options.ts';

export type { IpcOptions } from './options.ts';

/** Without `path` and `port` it only dials. */
export function ipc(options: IpcOptions = {}): Transport & Dialer {
  const settings = resolveIpcOptions(options);
  return {
    name: 'ipc',
    schemes: ['ipc:'],
    listen: async (context) => {
      const { listenIpc } = await import('./listen.ts');
      return listenIpc(settings, context);
    },
    dial: async (url, dialOptions) => {
      const { dialIpc } = await import('./dial.ts');
      return dialIpc(settings, url, dialOptions);
    },
  };
}
