// Owns the command `steerqa`: offers to agents, and checks of what is written in SteerQA.

import type { CommandGroup } from '../kit/command.ts';

export const steerqaCommand: CommandGroup = {
  name: 'steerqa',
  summary: 'SteerQA: send an offer, check messages and events',
  commands: {
    offer: async () => (await import('./offer.ts')).steerqaOfferCommand,
    check: async () => (await import('./check.ts')).steerqaCheckCommand,
    events: async () => (await import('./events.ts')).steerqaEventsCommand,
  },
};
