// Owns the connections of the gRPC server: how many one address may have, who is at the other end, and how they end.
// SPEC.md section 20 (#a2a-grpc).

import type { Socket } from 'node:net';
import type { PeerFacts } from '../../../src/transport.ts';
import { LiveSet } from '../../../transports/net/live-set.ts';
import type { Account, Meter } from '../../../transports/net/meter.ts';
import { networkOf } from '../../../transports/net/network.ts';
import { verifiedCertificate } from '../../../transports/net/tls.ts';
import { FACE } from '../operations/send.ts';

/** Who is at the other end of a connection. */
export type GrpcPeer = PeerFacts & { readonly account: Account };

/** It has closed already. */
const GONE = 'gone';

export class GrpcConnections {
  readonly #meter: Meter;
  readonly #maxPerAddress: number;
  readonly #live = new LiveSet<Socket>();
  readonly #perAddress = new Map<string, number>();
  readonly #peers = new Map<string, GrpcPeer>();

  constructor(meter: Meter, maxPerAddress: number) {
    this.#meter = meter;
    this.#maxPerAddress = maxPerAddress;
  }

  /** Counts a connection that was accepted, or ends it. */
  enter(socket: Socket): void {
    const address = networkOf(socket.remoteAddress ?? GONE);
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
    const address = networkOf(socket.remoteAddress ?? GONE);
    const account = this.#meter.open(address, {
      // Calls wait, and a connection has only few of them on their way.
      hold: () => undefined,
      goOn: () => undefined,
      end: () => socket.destroy(),
    });
    this.#peers.set(key, {
      transport: FACE,
      address,
      account,
      ...(certificate !== undefined && { certificate }),
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      account.close();
      this.#peers.delete(key);
    });
  }

  /** @param peer as the calls of the package name it. `undefined` for a connection that has ended. */
  peerOf(peer: string): GrpcPeer | undefined {
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
