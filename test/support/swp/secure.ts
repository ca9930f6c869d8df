// Owns certificates for SWP over TLS, and a wire that changes what goes over it.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';

import { onTestFinished } from 'vitest';

import type { Certificate } from '../wire/certificates.ts';
import { makeCertificate } from '../wire/certificates.ts';

interface Certificates {
  readonly server: Certificate;
  readonly client: Certificate;
  /** Nobody vouches for it. */
  readonly stranger: Certificate;
}

let made: Certificates | undefined;

/** `undefined` where openssl is missing. */
export function certificates(): Certificates | undefined {
  if (made !== undefined) return made;
  const [server, client, stranger] = ['server', 'client', 'stranger'].map(makeCertificate);
  if (server === undefined || client === undefined || stranger === undefined) return undefined;
  made = { server, client, stranger };
  return made;
}

/** Hands on what comes; from the moment of `damage` one bit of each piece to the server is another. */
export async function tlsProxy(
  address: string,
): Promise<{ readonly port: number; readonly damage: () => void }> {
  const [host, port] = address.split(':');
  let isDamaging = false;
  const server = createServer((near) => {
    const far = connect({ host: host!, port: Number(port) });
    near.on('data', (chunk: Buffer) => {
      if (isDamaging) chunk[chunk.length - 1]! ^= 1;
      far.write(chunk);
    });
    far.pipe(near);
    for (const socket of [near, far]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    port: (server.address() as AddressInfo).port,
    damage: () => void (isDamaging = true),
  };
}
