// Owns the command `keys show`.

import { formatTimestamp } from '../../src/envelope/index.ts';
import type { Action, Parameter } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { fingerprintOf } from '../home/fingerprint.ts';
import { openIdentity } from '../home/identities.ts';
import { describeMoment } from '../kit/moments.ts';
import { PASSPHRASE_OPTION } from '../home/passphrase-file.ts';

export const NAME_PARAMETER: Parameter = {
  name: 'NAME',
  isOptional: true,
  description: 'the identity (default: agent)',
};

export const keysShowCommand: Action = {
  name: 'show',
  summary: 'show an identity and its public keys',
  parameters: [NAME_PARAMETER],
  options: { 'passphrase-file': PASSPHRASE_OPTION },
  notes: ['Nothing secret is shown.'],
  examples: ['a2a-sdl keys show', 'a2a-sdl keys show operator --json'],
  async run(context) {
    const { words, terminal, crypto, now } = context;
    const { name, agentId, bundle } = await openIdentity(context, words[0] ?? 'agent');
    const fingerprint = fingerprintOf(agentId, crypto)!;
    const result = {
      name,
      agent_id: agentId,
      fingerprint,
      seq: bundle.seq,
      not_before: formatTimestamp(bundle.notBeforeMs),
      not_after: formatTimestamp(bundle.notAfterMs),
      bundle: bundle.document,
    };
    terminal.result(result, () => {
      terminal.table([
        ['name', name],
        ['agent id', agentId],
        ['fingerprint', fingerprint],
        ['bundle', `seq ${bundle.seq}, ends ${describeMoment(bundle.notAfterMs, now())}`],
      ]);
      terminal.print();
      terminal.table([
        ['USE', 'KID', 'ENDS'],
        ...bundle.keys.map(({ use, kid, notAfterMs }) => [
          use,
          kid,
          describeMoment(notAfterMs, now()),
        ]),
      ]);
    });
    return EXIT.ok;
  },
};
