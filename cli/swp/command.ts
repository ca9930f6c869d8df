// Owns the command `swp`: frames of the SWP wire looked at and made, and tasks given to an agent that speaks it.

import type { CommandGroup } from '../kit/command.ts';

export const swpCommand: CommandGroup = {
  name: 'swp',
  summary: 'frames of the SWP wire: read, write and send them',
  commands: {
    decode: async () => (await import('./decode.ts')).swpDecodeCommand,
    encode: async () => (await import('./encode.ts')).swpEncodeCommand,
    send: async () => (await import('./send.ts')).swpSendCommand,
  },
};
