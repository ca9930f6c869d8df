// Owns the command `keys import`: a further public key of a peer that is known. SPEC.md section 6 (#sec-kid-bound).

import type { Action } from '../kit/command.ts';
import { EXIT, usageError } from '../kit/exit.ts';
import { readPeerKey } from '../home/key-argument.ts';
import { BOOK_OPTION, openPeer } from '../peers/book.ts';

export const keysImportCommand: Action = {
  name: 'import',
  summary: 'add a public key to a peer that is known',
  parameters: [
    {
      name: 'KEY',
      description: 'KID=KEY or KEY: raw base64url, or a file with PEM, JWK or raw text',
    },
  ],
  options: {
    peer: { type: 'string', value: 'PEER', description: 'whose key it is: an agent id or a name' },
    use: { type: 'string', value: 'USE', description: 'sig or enc' },
    as: BOOK_OPTION,
  },
  notes: [
    'Only public keys are taken in. To move an identity of your own to another machine, copy its file\n' +
      'from the folder "keys" of this home, mode 600.',
  ],
  examples: [
    'a2a-sdl keys import alice.pem --peer alice --use sig',
    'a2a-sdl keys import k2=11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo --peer alice --use sig',
  ],
  async run(context) {
    const { words, options, terminal } = context;
    const use = options.oneOf('use', ['sig', 'enc']);
    if (use === undefined) throw usageError('--use is missing', 'give --use sig or --use enc');
    const name = options.text('peer');
    if (name === undefined) throw usageError('--peer is missing', 'say whose key it is');
    const key = await readPeerKey(words[0]!, use);
    const { book, entry } = await openPeer(context, name);
    await book.update(
      entry.agentId,
      use === 'sig'
        ? { signingKeys: [...entry.signingKeys, key] }
        : { encryptionKeys: [...entry.encryptionKeys, key] },
    );
    terminal.result({ agent_id: entry.agentId, use, kid: key.kid }, () => {
      terminal.print(`${entry.name ?? entry.agentId} has one more key: ${use} ${key.kid}`);
    });
    return EXIT.ok;
  },
};
