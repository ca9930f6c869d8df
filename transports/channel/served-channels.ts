// Owns the connections of one listener: how many there may be, in all and of one address, and how they end.
// SPEC.md section 11 (#transport-timeouts).

import type { ListenContext, PeerFacts } from '../../src/transport.ts';
import type { ChannelSettings } from './options.ts';
import type { MessageChannel } from './channel.ts';
import { ServedChannel } from './served-channel.ts';

export class ServedChannels {
  readonly #context: ListenContext;
  readonly #settings: ChannelSettings;
  readonly #served = new Set<ServedChannel>();
  readonly #perAddress = new Map<string, number>();
  #closing: Promise<void> | undefined;

  constructor(context: ListenContext, settings: ChannelSettings) {
    this.#context = context;
    this.#settings = settings;
  }

  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** May a connection from this address be added? */
  hasRoomFor(address: string): boolean {
    const { maxConnections, maxConnectionsPerAddress } = this.#settings;
    const ofAddress = this.#perAddress.get(address) ?? 0;
    return this.#served.size < maxConnections && ofAddress < maxConnectionsPerAddress;
  }

  add(channel: MessageChannel, peer: PeerFacts): void {
    const served = new ServedChannel(channel, peer, this.#context, this.#settings);
    this.#served.add(served);
    this.#count(peer.address, 1);
    void served.closed.then(() => {
      this.#served.delete(served);
      this.#count(peer.address, -1);
    });
  }

  /** Lets what is in flight end for up to `graceMs`, then cuts it. */
  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    const served = [...this.#served];
    const timer = setTimeout(() => {
      for (const each of served) each.destroy();
    }, graceMs);
    for (const each of served) each.drain();
    await Promise.all(served.map(({ closed }) => closed));
    clearTimeout(timer);
  }

  #count(address: string, change: 1 | -1): void {
    const count = (this.#perAddress.get(address) ?? 0) + change;
    if (count === 0) this.#perAddress.delete(address);
    else this.#perAddress.set(address, count);
  }
}
