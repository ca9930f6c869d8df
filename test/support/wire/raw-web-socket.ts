// Owns a WebSocket connection that carries whatever bytes a test writes, also such as no library would send.

import { once } from 'node:events';
import { connect } from 'node:net';

export interface RawWebSocket {
  write(bytes: Uint8Array): void;
  /** The code with which the other end closes; undefined when it just ends the connection. */
  closeCode(): Promise<number | undefined>;
}

const HANDSHAKE_END = '\r\n\r\n';

export async function rawWebSocket(port: number): Promise<RawWebSocket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    `GET /a2a HTTP/1.1\r\nHost: localhost:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  );
  let said = Buffer.alloc(0);
  const isOver = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });
  const isUpgraded = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      said = Buffer.concat([said, chunk]);
      if (said.includes(HANDSHAKE_END)) resolve();
    });
  });
  await isUpgraded;
  return {
    write: (bytes) => void socket.write(bytes),
    closeCode: async () => {
      await isOver;
      const frames = said.subarray(said.indexOf(HANDSHAKE_END) + HANDSHAKE_END.length);
      // A close frame without a mask: its first byte, its length, then the code.
      return frames[0] === 0x88 && frames[1]! >= 2 ? frames.readUInt16BE(2) : undefined;
    },
  };
}
