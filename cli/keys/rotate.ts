// Owns the command `keys rotate`. SPEC.md section 10 (#key-bundle).

import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { ensureHome } from '../home/init.ts';
import { openDirectory, openIdentity } from '../home/identities.ts';
import { NAME_PARAMETER } from './show.ts';
import { DAY_MS } from '../kit/moments.ts';
import { PASSPHRASE_OPTION, readPassphrase } from '../home/passphrase-file.ts';

const MAX_DAYS = 36_500;

export const keysRotateCommand: Action = {
  name: 'rotate',
  summary: 'give an identity new keys; its agent id stays',
  parameters: [NAME_PARAMETER],
  options: {
    'overlap-days': {
      type: 'string',
      value: 'N',
      description: 'how long the replaced keys stay valid; 0 ends them at once (default: 7)',
    },
    'lifetime-days': {
      type: 'string',
      value: 'N',
      description: 'how long the new keys are valid (default: 365)',
    },
    'passphrase-file': PASSPHRASE_OPTION,
  },
  notes: [
    'Peers learn of the new keys from the next message. After a theft use --overlap-days 0.\n' +
      'A running daemon takes the new keys by itself.',
  ],
  examples: ['a2a-sdl keys rotate', 'a2a-sdl keys rotate agent --overlap-days 0'],
  async run(context) {
    const { words, options, terminal, home, crypto, now } = context;
    const overlapDays = options.integer('overlap-days', 0, MAX_DAYS);
    const lifetimeDays = options.integer('lifetime-days', 1, MAX_DAYS);
    const { name } = await openIdentity(context, words[0] ?? 'agent');
    const passphrase = await readPassphrase(context);
    const unlock = passphrase === undefined ? {} : { passphrase };
    const { agentId, bundle } = await openDirectory(context).rotate(name, {
      ...unlock,
      ...(overlapDays !== undefined && { overlapMs: overlapDays * DAY_MS }),
      ...(lifetimeDays !== undefined && { lifetimeMs: lifetimeDays * DAY_MS }),
    });
    // Agent and operator have each other's keys in their books.
    await ensureHome(home, { crypto, now, ...unlock });
    const kids = bundle.keys.map(({ use, kid }) => ({ use, kid }));
    terminal.result({ name, agent_id: agentId, seq: bundle.seq, keys: kids }, () => {
      terminal.print(`${name} has new keys; its bundle is now seq ${bundle.seq}`);
      terminal.table(kids.map(({ use, kid }) => [use, kid]));
    });
    return EXIT.ok;
  },
};
