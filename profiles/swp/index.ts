// The public surface of `a2a-sdl/profiles/swp`: frames of the SWP wire read and written, tasks served and given over it.
// What listens is loaded when it is used. SPEC.md section 19.

import type { Transport } from '../../src/transport.ts';
import type { SwpClient } from './client/client.ts';
import { ReconnectingClient } from './client/client.ts';
import type { SwpClientOptions } from './client/options.ts';
import type { SwpOptions } from './face/options.ts';
import { resolveSwpOptions } from './face/options.ts';

export type { GiveOptions, SwpClient } from './client/client.ts';
export type { SwpClientOptions } from './client/options.ts';
export type { SwpOptions, SwpPolicy } from './face/options.ts';
export type { SwpEnvelopeForm, SwpFrameForm, SwpFrameInput, SwpMessageForm } from './wire/form.ts';
export type { EventMessage, HandshakeMessage, ResultMessage } from './wire/message.ts';
export type { SwpCode, SwpDetail } from './wire/refusal.ts';
export { SwpRefusal } from './wire/refusal.ts';
export type { SwpLimits } from './wire/rules.ts';
export type { DecodeOptions } from './wire/stream.ts';
export { decodeStream, encodeFrame } from './wire/stream.ts';

/** The face: tasks over SWP frames, on a Unix socket, loopback TCP, or TCP with TLS and client certificates. */
export function swp(options: SwpOptions): Transport {
  const settings = resolveSwpOptions(options);
  return {
    name: 'path' in settings.address ? 'swp-unix' : 'swp',
    listen: async (context) => {
      const { listenSwp } = await import('./face/listen.ts');
      return listenSwp(settings, context);
    },
  };
}

/**
 * Gives Tasks to the agent at `HOST:PORT` or `unix:PATH`. It connects with the first one, and anew when the connection is
 * lost; a Task that has no Result yet is then sent again.
 */
export function connectSwp(address: string, options: SwpClientOptions = {}): SwpClient {
  return new ReconnectingClient(address, options);
}
