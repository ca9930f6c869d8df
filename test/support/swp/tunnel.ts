// Owns the SDL wire inside SWP Tasks for tests: each request is a Task, events and the answer are what it brings.

import type { Connection, Dialer, Outbound } from '../../../src/transport.ts';
import { frame, hex } from './frames.ts';
import type { RawConnection } from './raw-connection.ts';

let count = 0;

export function sdlOverSwp(connection: RawConnection): Dialer {
  async function* exchange(outbound: Outbound): ReturnType<Connection['exchange']> {
    const taskId = `tunnel-${(count += 1)}`;
    const { encoding } = outbound;
    const message = {
      type: 'task',
      task_id: hex(taskId),
      kind: 'a2a-sdl.v1',
      input: hex(outbound.bytes),
    } as const;
    connection.lastTask = message;
    connection.send(frame(message));
    const own = (): readonly Uint8Array[] =>
      connection.messages.flatMap((told) => {
        if (told.type === 'event' && told.task_id === hex(taskId))
          return [Buffer.from(told.event_payload, 'hex')];
        if (told.type === 'result' && told.task_id === hex(taskId))
          return [Buffer.from(told.output, 'hex')];
        return [];
      });
    for (let seen = 0; ;) {
      const all = own();
      for (; seen < all.length; seen += 1) yield { bytes: new Uint8Array(all[seen]!), encoding };
      if (connection.of('result').some(({ task_id }) => task_id === hex(taskId))) return;
      await connection.more();
    }
  }
  const opened: Connection = {
    exchange,
    notify: () => Promise.resolve(),
    isOpen: true,
    close: () => Promise.resolve(),
  };
  return { schemes: ['ipc:'], dial: () => Promise.resolve(opened) };
}
