// Owns the card that a user names, by an address or in a file, and how it is proven. SPEC.md sections 20 and 21
// (#a2a-client-card, #a2a-card-verify).

import type { CardKey } from '../../profiles/a2a/card/keys.ts';
import { cardKeysIn, keySetOf } from '../../profiles/a2a/card/keys.ts';
import { verifyCard } from '../../profiles/a2a/card/verify.ts';
import type { KnownCard } from '../../profiles/a2a/client/discovery/known-card.ts';
import { readCard } from '../../profiles/a2a/client/discovery/known-card.ts';
import type { CardProof } from '../../profiles/a2a/client/discovery/proof.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import { createJwsSigner } from '../../src/internal.ts';
import { readCardKeys } from '../a2a/card-keys.ts';
import { openA2aWay } from '../a2a/way.ts';
import { TLS_OPTIONS, readTls } from '../client/tls.ts';
import { openDirectory, openIdentity } from '../home/identities.ts';
import { PASSPHRASE_OPTION } from '../home/passphrase-file.ts';
import type { CommandContext, CommandOption, Parameter } from '../kit/command.ts';
import { CliError, failure } from '../kit/exit.ts';
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
  'passphrase-file': PASSPHRASE_OPTION,
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

async function cardIn(path: string, context: CommandContext): Promise<SeenCard> {
  const { options, terminal } = context;
  const document = await readCardFile(path, terminal);
  const given = await readCardKeys(options.texts('card-key'));
  const isGiven = given.length > 0;
  for (const key of isGiven ? given : await ownKeys(context)) {
    const verdict = await verifyCard(document, { keys: [key] });
    if (verdict.kind !== 'verified') continue;
    const { alg, form, card } = verdict;
    const by = isGiven ? 'pinned key' : 'key of this home';
    return { card: readCard(card), proof: { kind: 'signed', by, key, alg, form } };
  }
  if (isGiven) {
    throw new SdlError('SIGNATURE_INVALID', 'none of these keys has signed the card');
  }
  const { kind } = await verifyCard(document, { keys: [] });
  const proof: CardProof =
    kind === 'unsigned'
      ? { kind, reason: 'it has no signature' }
      : { kind: 'unjudged', reason: 'no key was given: a file says nothing of whose it is' };
  return { card: readCard(document), proof };
}

/** None where there is no home, or its keys are locked: then nothing is known of who has signed. */
async function ownKeys(context: CommandContext): Promise<readonly CardKey[]> {
  const names = await openDirectory(context).list();
  if (!names.includes('agent')) return [];
  try {
    const identity = await openIdentity(context, 'agent');
    const signer = createJwsSigner(() => identity, context.crypto, context.now)();
    return cardKeysIn(keySetOf(signer?.keys ?? [])['keys'] ?? []);
  } catch (thrown) {
    if (thrown instanceof CliError && thrown.code === 'PASSPHRASE_NEEDED') return [];
    throw thrown;
  }
}

export async function readCardFile(
  path: string,
  terminal: CommandContext['terminal'],
): Promise<JsonObject> {
  const document = await readJsonInput(path, terminal);
  if (isJsonObject(document)) return document;
  throw failure('this is no card: a card is a JSON object');
}
