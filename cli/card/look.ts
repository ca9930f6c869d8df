// Owns the commands `card show` and `card verify`.

import { chooseInterface } from '../../profiles/a2a/client/discovery/choose.ts';
import type { ShownCard } from '../a2a/view.ts';
import { foundDocument, foundRows } from '../a2a/view.ts';
import { proofWords } from '../a2a/words.ts';
import { SdlError } from '../../src/errors.ts';
import type { Action } from '../kit/command.ts';
import { EXIT, failure } from '../kit/exit.ts';
import type { SeenCard } from './source.ts';
import { CARD_OPTIONS, CARD_PARAMETER, seenCard } from './source.ts';

export const cardShowCommand: Action = {
  name: 'show',
  summary: 'show what a card says, how it is proven, and what would be spoken to its agent',
  parameters: [CARD_PARAMETER],
  options: CARD_OPTIONS,
  notes: ['Of a card whose signature holds only what that covers is shown. Nothing is kept.'],
  examples: [
    'a2a-sdl card show https://agent.example',
    'a2a-sdl card show card.json --card-key jwks.json --json',
  ],
  async run(context) {
    const shown = withChoice(await seenCard(context));
    context.terminal.result(foundDocument(shown), () => {
      context.terminal.table(foundRows(shown));
    });
    return EXIT.ok;
  },
};

export const cardVerifyCommand: Action = {
  name: 'verify',
  summary: 'say whether the signature of a card holds, and by which key',
  parameters: [CARD_PARAMETER],
  options: CARD_OPTIONS,
  notes: [
    'A key set at another host than that of the card is never fetched, and only EdDSA and ES256 are taken. The\n' +
      'exit code is 1 for a card without a signature, too.',
  ],
  examples: [
    'a2a-sdl card verify https://agent.example',
    'a2a-sdl card verify card.json --card-key jwks.json',
  ],
  async run(context) {
    const seen = await seenCard(context);
    const { proof, cardUrl, card } = seen;
    if (proof.kind !== 'signed') {
      throw failure(`the card of ${JSON.stringify(card.name)} is ${proofWords(proof, cardUrl)}`, {
        code: 'NOT_PROVEN',
        next: 'give the keys of its owner with --card-key FILE',
      });
    }
    context.terminal.result({ ok: true, ...foundDocument(withChoice(seen)) }, () => {
      context.terminal.print(
        `the card of ${JSON.stringify(card.name)} is ${proofWords(proof, cardUrl)}`,
      );
    });
    return EXIT.ok;
  },
};

function withChoice(seen: SeenCard): ShownCard {
  try {
    return { ...seen, chosen: chooseInterface(seen.card, {}, seen) };
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    return { ...seen, chosen: thrown.reason };
  }
}
