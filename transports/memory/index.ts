// Owns the transport without a network: agents of one process that find each other by name in a hub.
// SPEC.md section 11 (#transport-same).

import type {
  Connection,
  DialOptions,
  Dialer,
  ListenContext,
  Listener,
  Transport,
} from '../../src/transport.ts';
import { TransportError } from '../../src/transport.ts';
import type { ChannelOptions, ChannelSettings } from '../channel/options.ts';
import { resolveChannelOptions } from '../channel/options.ts';
import { demultiplex } from '../channel/demux.ts';
import { createChannelPair } from './channel.ts';
import { ServedChannels } from '../channel/served-channels.ts';

/** A place where agents of one process meet. Two hubs know nothing of each other. */
export interface MemoryHub {
  /** Listens at `memory:<name>` and dials every name in this hub. */
  transport(name: string): Transport & Dialer;
}

/** All have the same address: they are one process. */
const LOCAL = 'local';
const DEFAULT_PER_ADDRESS = 1_024;

export function createMemoryHub(options: ChannelOptions = {}): MemoryHub {
  const settings = resolveChannelOptions(options, DEFAULT_PER_ADDRESS);
  const listening = new Map<string, Place>();
  return {
    transport(name) {
      if (typeof name !== 'string' || !/^[\w.-]+$/.test(name)) {
        throw new TypeError('"name" expected letters, digits, ".", "_" and "-"');
      }
      const url = `memory:${name}`;
      return {
        name: 'memory',
        schemes: ['memory:'],
        listen: (context) => listenAt(url, listening, context, settings),
        dial: (target, dialOptions) => dialTo(target, listening, dialOptions, settings),
      };
    },
  };
}

interface Place {
  readonly channels: ServedChannels;
  readonly maxBytes: number;
}

function listenAt(
  url: string,
  listening: Map<string, Place>,
  context: ListenContext,
  settings: ChannelSettings,
): Promise<Listener> {
  if (listening.has(url)) {
    return Promise.reject(new Error(`somebody listens at "${url}" already: choose another name`));
  }
  const channels = new ServedChannels(context, settings);
  listening.set(url, { channels, maxBytes: context.limits.maxBytes });
  return Promise.resolve({
    name: 'memory',
    urls: [url],
    close: async (graceMs) => {
      if (!channels.isClosing) listening.delete(url);
      await channels.close(graceMs);
    },
  });
}

function dialTo(
  url: string,
  listening: ReadonlyMap<string, Place>,
  { limits }: DialOptions,
  { stallTimeoutMs }: ChannelSettings,
): Promise<Connection> {
  const place = listening.get(url);
  if (place === undefined || !place.channels.hasRoomFor(LOCAL)) {
    return Promise.reject(new TransportError('unreachable', 'no agent accepts connections there'));
  }
  const [here, there] = createChannelPair(limits.maxBytes, place.maxBytes);
  place.channels.add(there, { transport: 'memory', address: LOCAL });
  return Promise.resolve(demultiplex(here, { limits, stallTimeoutMs }));
}
