// Owns the command `store reset-clock`: the way out after a store has seen a time that was wrong.

import { resetHorizon } from '../../src/internal.ts';
import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { STORE_OPTION, storePlace, withStore } from './place.ts';

export const storeResetClockCommand: Action = {
  name: 'reset-clock',
  summary: 'let messages in again after the clock was wrong',
  options: { store: STORE_OPTION },
  notes: [
    'A clock that was ahead and was set back leaves a store that may have forgotten messages: all that expire before\n' +
      'the latest time that it has seen are refused. This forgets that time. What was made before now stays refused, so\n' +
      'nothing runs a second time. Set the clock right first, and start the daemon again afterwards.',
  ],
  examples: ['a2a-sdl store reset-clock', 'a2a-sdl store reset-clock --store @postgres.url --json'],
  async run(context) {
    const place = await storePlace(context);
    const nowMs = context.now();
    const seen = await withStore(place, (store) => resetHorizon(store, nowMs));
    const times = {
      from: seen === undefined ? null : new Date(seen).toISOString(),
      to: new Date(nowMs).toISOString(),
    };
    context.terminal.result({ store: place.shown, ...times }, () => {
      const before = times.from === null ? 'had seen no message' : `had seen ${times.from}`;
      context.terminal.print(`${place.shown} ${before}; it begins anew at ${times.to}`);
    });
    return EXIT.ok;
  },
};
