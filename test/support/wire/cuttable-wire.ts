// A way to another agent whose connections a test can cut, with whatever is on them.

import type { Connection, Dialer, Outbound } from '../../../src/transport.ts';
import { Gate } from '../agents/tasks.ts';

export interface CuttableWire {
  readonly dialer: Dialer;
  readonly sent: Outbound[];
  /** How often a connection was asked for. */
  readonly dials: number;
  /** Ends every connection, with whatever is on it. */
  cut(): Promise<void>;
  /** From now on connections come about only after {@link letDial}. */
  holdDials(): void;
  letDial(): void;
}

/** The same way, but a test can cut it. */
export function cuttable(dialer: Dialer): CuttableWire {
  const open: Connection[] = [];
  const sent: Outbound[] = [];
  let dials = 0;
  let gate: Gate | undefined;
  return {
    sent,
    get dials() {
      return dials;
    },
    cut: async () => {
      await Promise.all(open.splice(0).map((connection) => connection.close()));
    },
    holdDials: () => {
      gate = new Gate();
    },
    letDial: () => gate?.open(),
    dialer: {
      schemes: dialer.schemes,
      dial: async (url, options) => {
        dials += 1;
        await gate?.opened;
        const connection = await dialer.dial(url, options);
        open.push(connection);
        return {
          exchange: (outbound) => {
            sent.push(outbound);
            return connection.exchange(outbound);
          },
          notify: (outbound) => connection.notify(outbound),
          get isOpen() {
            return connection.isOpen;
          },
          close: () => connection.close(),
        };
      },
    },
  };
}
