// Owns the connections of the gRPC server: how many one address may have, who is at the other end, and how they end.
// SPEC.md section 20 (#a2a-grpc).

import type { Socket } from 'node:net';
import type { PeerFacts } from '../../../src/transport.ts';
import { LiveSet } from '../../../transports/net/live-set.ts';
import { plainAddress } from '../../../transports/net/peer-facts.ts';
import { verifiedCertificate } from '../../../transports/net/tls.ts';
import { FACE } from '../operations/send.ts';

export class GrpcConnections {
  readonly #maxPerAddress: number;
  readonly #live = new LiveSet<Socket>();
  readonly #perAddress = new Map<string, number>();
  readonly #peers = new Map<string, PeerFacts>();

  constructor(maxPerAddress: number) {
    this.#maxPerAddress = maxPerAddress;
  }

  /** Counts a connection that was accepted, or ends it. */
  enter(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress);
    const count = (this.#perAddress.get(address) ?? 0) + 1;
    if (count > this.#maxPerAddress) {
      socket.destroy();
      return;
    }
    this.#perAddress.set(address, count);
    this.#live.add(socket);
    // What breaks a connection ends it; there is nobody to be told.
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#live.delete(socket);
      const left = this.#perAddress.get(address)! - 1;
      if (left === 0) this.#perAddress.delete(address);
      else this.#perAddress.set(address, left);
    });
  }

  /** Remembers who is at the other end, once that is known. */
  know(socket: Socket): void {
    const key = keyOf(socket);
    const certificate = verifiedCertificate(socket);
    this.#peers.set(key, {
      transport: FACE,
      address: plainAddress(socket.remoteAddress),
      ...(certificate !== undefined && { certificate }),
    });
    socket.on('error', () => {});
    socket.once('close', () => this.#peers.delete(key));
  }

  /** @param peer as the calls of the package name it. `undefined` for a connection that has ended. */
  peerOf(peer: string): PeerFacts | undefined {
    return this.#peers.get(peer);
  }

  /** Resolves when all have ended. What is left after `graceMs` is cut off. */
  drain(graceMs: number): Promise<void> {
    return this.#live.drain(graceMs);
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`;
}
