// Owns a port of gRPC for the servers of official SDKs.

import type { Server } from '@grpc/grpc-js';
import { ServerCredentials } from '@grpc/grpc-js';

/** Its address, without a scheme: as many cards have it. */
export async function bindGrpc(server: Server): Promise<string> {
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return `127.0.0.1:${port}`;
}
