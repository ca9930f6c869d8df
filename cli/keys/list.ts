// Owns the command `keys list`.

import type { JsonObject } from '../../src/codec/index.ts';
import { formatTimestamp } from '../../src/envelope/index.ts';
import type { Action } from '../kit/command.ts';
import { CliError, EXIT } from '../kit/exit.ts';
import { loadIdentity, notInitialised, openDirectory } from '../home/identities.ts';
import { describeMoment } from '../kit/moments.ts';
import { PASSPHRASE_OPTION, readPassphrase } from '../home/passphrase-file.ts';

export const keysListCommand: Action = {
  name: 'list',
  summary: 'list the identities',
  options: { 'passphrase-file': PASSPHRASE_OPTION },
  examples: ['a2a-sdl keys list', 'a2a-sdl keys list --json'],
  async run(context) {
    const { terminal, now, home } = context;
    const directory = openDirectory(context);
    const passphrase = await readPassphrase(context);
    const names = await directory.list();
    if (names.length === 0) throw notInitialised(home);
    const identities: JsonObject[] = [];
    const rows: string[][] = [];
    for (const name of names) {
      const identity = await loadIdentity(directory, name, passphrase).catch((thrown: unknown) => {
        // Others in the list may be open; this one is named all the same.
        if (thrown instanceof CliError && thrown.code === 'PASSPHRASE_NEEDED') return undefined;
        throw thrown;
      });
      if (identity === undefined) {
        identities.push({ name, protected: true });
        rows.push([name, '(protected by a passphrase)', '', '']);
        continue;
      }
      const { agentId, bundle } = identity;
      identities.push({
        name,
        agent_id: agentId,
        seq: bundle.seq,
        not_after: formatTimestamp(bundle.notAfterMs),
      });
      rows.push([name, agentId, `seq ${bundle.seq}`, describeMoment(bundle.notAfterMs, now())]);
    }
    terminal.result(identities, () => {
      terminal.table([['NAME', 'AGENT ID', 'BUNDLE', 'ENDS'], ...rows]);
    });
    return EXIT.ok;
  },
};
