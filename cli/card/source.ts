// Owns the card that a user names, by an address or in a file, and how it is proven. SPEC.md sections 20 and 21
// (#a2a-client-card, #a2a-card-verify).

import { verifyCard } from '../../profiles/a2a/card/verify.ts';
import type { KnownCard } from '../../profiles/a2a/client/discovery/known-card.ts';
import { readCard } from '../../profiles/a2a/client/discovery/known-card.ts';
import type { CardProof } from '../../profiles/a2a/client/discovery/proof.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import { readCardKeys } from '../a2a/card-keys.ts';
import { openA2aWay } from '../a2a/way.ts';
import { TLS_OPTIONS, readTls } from '../client/tls.ts';
import type { CommandContext, CommandOption, Parameter } from '../kit/command.ts';
import { failure } from '../kit/exit.ts';
import { readJsonInput } from '../kit/input.ts';

export const CARD_PARAMETER: Parameter = {
  name: 'URL|FILE',
  description: 'of the agent or its card, or a card in a file; - for stdin',
};

export const CARD_OPTIONS: Readonly<Record<string, CommandOption>> = {
  'card-key': {
    type: 'string',
    multiple: true,
    value: 'FILE',
    description:
      'a key that must have signed it, as JWK or JWKS (default: what is pinned, else its origin publishes)',
  },
  ...TLS_OPTIONS,
};

export interface SeenCard {
  readonly card: KnownCard;
  readonly proof: CardProof;
  readonly cardUrl?: string;
}

/** Throws SIGNATURE_INVALID for a card that does not hold under the keys that count. */
export async function seenCard(context: CommandContext): Promise<SeenCard> {
  const [place] = context.words as [string];
  return /^https?:\/\//i.test(place) ? cardAt(place, context) : cardIn(place, context);
}

async function cardAt(url: string, context: CommandContext): Promise<SeenCard> {
  const { readRemoteCard } = await import('../../profiles/a2a/client/discovery/discover.ts');
  const { resolveClientOptions } = await import('../../profiles/a2a/client/options.ts');
  const way = await openA2aWay(context.home, await readTls(context));
  const keys = await readCardKeys(context.options.texts('card-key'));
  const resolved = resolveClientOptions({
    ...way.optionsFor(url),
    ...(keys.length > 0 && { pin: () => ({ keys }) }),
    now: context.now,
  });
  const { card, proof, cardUrl } = await readRemoteCard(url, resolved, context.interrupted());
  return { card, proof, cardUrl };
}

async function cardIn(path: string, { options, terminal }: CommandContext): Promise<SeenCard> {
  const document = await readCardFile(path, terminal);
  for (const key of await readCardKeys(options.texts('card-key'))) {
    const verdict = await verifyCard(document, { keys: [key] });
    if (verdict.kind !== 'verified') continue;
    const { alg, form, card } = verdict;
    return { card: readCard(card), proof: { kind: 'signed', by: 'pinned key', key, alg, form } };
  }
  if (options.flag('card-key')) {
    throw new SdlError('SIGNATURE_INVALID', 'none of these keys has signed the card');
  }
  const { kind } = await verifyCard(document, { keys: [] });
  const proof: CardProof =
    kind === 'unsigned'
      ? { kind, reason: 'it has no signature' }
      : { kind: 'unjudged', reason: 'no key was given: a file says nothing of whose it is' };
  return { card: readCard(document), proof };
}

export async function readCardFile(
  path: string,
  terminal: CommandContext['terminal'],
): Promise<JsonObject> {
  const document = await readJsonInput(path, terminal);
  if (isJsonObject(document)) return document;
  throw failure('this is no card: a card is a JSON object');
}
