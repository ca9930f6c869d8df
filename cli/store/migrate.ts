// Owns the command `store migrate`: brings a store to the version of this program, or makes it.

import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { STORE_OPTION, storePlace } from './place.ts';

export const storeMigrateCommand: Action = {
  name: 'migrate',
  summary: 'bring a store to the version of this program',
  options: { store: STORE_OPTION },
  notes: [
    'The daemon does it too when it starts. There is no way back: keep a copy, such as of "store export"\n' +
      'of the version before. Several nodes: stop all of them first; one that still runs can do nothing more afterwards.',
  ],
  examples: ['a2a-sdl store migrate', 'a2a-sdl store migrate --store @postgres.url --json'],
  async run(context) {
    const place = await storePlace(context);
    const { found: from } = await place.version();
    await (await place.open()).close();
    const { found: to } = await place.version();
    context.terminal.result({ store: place.shown, from, to }, () => {
      context.terminal.print(
        from === to
          ? `${place.shown} has version ${to} already`
          : `${place.shown}: ${from === 0 ? 'made with' : `from version ${from} to`} version ${to}`,
      );
    });
    return EXIT.ok;
  },
};
