// Owns the command `card sign`: a card with the signatures of this home's agent. SPEC.md section 21
// (#a2a-card-signature).

import { signCard } from '../../profiles/a2a/card/sign.ts';
import { createJwsSigner } from '../../src/internal.ts';
import { openIdentity } from '../home/identities.ts';
import { PASSPHRASE_OPTION } from '../home/passphrase-file.ts';
import type { Action } from '../kit/command.ts';
import { EXIT, failure, usageError } from '../kit/exit.ts';
import { prettyJson } from '../kit/pretty-json.ts';
import { readCardFile } from './source.ts';

export const cardSignCommand: Action = {
  name: 'sign',
  summary: 'sign a card with the key of the agent',
  parameters: [{ name: 'FILE', description: 'a card as JSON; - for stdin' }],
  options: {
    jku: {
      type: 'string',
      value: 'URL',
      description: 'where readers find the keys of the agent: its /.well-known/jwks.json',
    },
    'passphrase-file': PASSPHRASE_OPTION,
  },
  notes: [
    'Signatures that are there are replaced. One is made for each reader that sees less of a card than another:\n' +
      'those of 1.0, of 0.3, and of the SDKs. The daemon signs its own card by itself.',
  ],
  examples: ['a2a-sdl card sign card.json --jku https://agent.example/.well-known/jwks.json'],
  async run(context) {
    const { options, words, terminal, crypto, now } = context;
    const jku = options.text('jku');
    if (jku === undefined || !/^https?:\/\//i.test(jku) || !URL.canParse(jku)) {
      throw usageError(
        '--jku expects the address of the keys',
        'such as https://agent.example/.well-known/jwks.json',
      );
    }
    const { signatures: _former, ...card } = await readCardFile(words[0]!, terminal);
    const identity = await openIdentity(context, 'agent');
    const signer = createJwsSigner(() => identity, crypto, now)();
    if (signer === undefined) {
      throw failure('the agent has no key that is valid now', {
        next: 'a2a-sdl keys rotate agent',
      });
    }
    // Only cards that 0.3 reads too have an address at their top.
    const form = card['url'] === undefined ? 'strict' : 'superset';
    const signed = await signCard(card, form, signer, jku);
    terminal.result(signed, () => terminal.printText(prettyJson(signed)));
    return EXIT.ok;
  },
};
