// Owns the process of a relay that is made with a JavaScript SDK: its ports, and the file that its tasks are kept in. It
// is started with the socket of the agent and that file, and says its address.

import { appendFileSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import type { Server as GrpcServer } from '@grpc/grpc-js';
import type { Express } from 'express';
import express from 'express';

import { bindGrpc } from '../../../support/wire/grpc-host.ts';

export const [, , AGENT_SOCKET = '', STORE_FILE = ''] = process.argv;

/** What a task store of the SDK does. */
export function keep(task: unknown): void {
  appendFileSync(STORE_FILE, `${JSON.stringify(task)}\n`);
}

export interface Host {
  readonly app: Express;
  readonly origin: string;
  /** Of gRPC, without a scheme. */
  readonly grpcAddress: string;
}

export async function openHost(grpc: GrpcServer): Promise<Host> {
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { app, origin, grpcAddress: await bindGrpc(grpc) };
}

export function ready({ origin }: Host): void {
  process.stdout.write(`ready ${origin}\n`);
  // Whoever started it is gone when its input ends.
  process.stdin.on('end', () => process.exit(0)).resume();
}

export const CARD = {
  name: 'relay',
  description: 'passes on what it does not understand',
  version: '1',
  defaultInputModes: ['text/plain', 'application/json'],
  defaultOutputModes: ['text/plain', 'application/json'],
  skills: [{ id: 'pass', name: 'Pass', description: 'passes on', tags: ['relay'] }],
};
