// Owns the IPC transport: frames over a Unix socket or loopback TCP, listening and dialing `ipc:`.
// SPEC.md section 11 (#transport-ipc).

import type { Dialer, Transport } from '../../src/transport.ts';
import { dialIpc } from './dial.ts';
import { listenIpc } from './listen.ts';
import type { IpcOptions } from './options.ts';
import { resolveIpcOptions } from './options.ts';

export type { IpcOptions } from './options.ts';

/** Without `path` and `port` it only dials. */
export function ipc(options: IpcOptions = {}): Transport & Dialer {
  const settings = resolveIpcOptions(options);
  return {
    name: 'ipc',
    schemes: ['ipc:'],
    listen: (context) => listenIpc(settings, context),
    dial: (url, dialOptions) => dialIpc(settings, url, dialOptions),
  };
}
