// Owns getting to know an agent of official A2A: its card fetched, proven and shown, the user's word that it is the right
// one, and what is pinned of it. SPEC.md section 20 (#a2a-client-home).

import type { CardKey } from '../../profiles/a2a/card/keys.ts';
import type { A2aAgent } from '../../profiles/a2a/client/agent.ts';
import { addressOf } from '../../profiles/a2a/client/discovery/choose.ts';
import { SdlError } from '../../src/errors.ts';
import { readAuthorities, readTls } from '../client/tls.ts';
import { preparePrivateFolder, shellWord } from '../home/private-folder.ts';
import type { CommandContext } from '../kit/command.ts';
import { failure } from '../kit/exit.ts';
import type { KnownAgent } from './book.ts';
import { pinFor } from './book.ts';
import { readCardKeys } from './card-keys.ts';
import { assertNoPeer } from './names.ts';
import { foundRows } from './view.ts';
import type { A2aWay } from './way.ts';
import { openA2aWay } from './way.ts';

export interface AddedAgent {
  readonly found: A2aAgent;
  readonly entry: KnownAgent;
  /** False when it was known and its entry was brought up to date. */
  readonly isNew: boolean;
}

/** @param url of its card, of its host, or below which its card is. */
export async function addA2aAgent(url: string, context: CommandContext): Promise<AddedAgent> {
  const { options, home } = context;
  const name = options.text('name');
  const keys = await readCardKeys(options.texts('card-key'));
  const tlsCa = await readAuthorities(context);
  if (name !== undefined) await assertNoPeer(home, name);
  const way = await openA2aWay(home, await readTls(context));
  const found = await connect(url, keys, way, context);
  const known = way.agents.list().find(({ cardUrl }) => cardUrl === found.cardUrl);
  if (known === undefined && keys.length === 0) await askForTrust(found, context);
  const called = name ?? known?.name;
  const authorities = tlsCa ?? known?.tlsCa;
  const entry: KnownAgent = {
    cardUrl: found.cardUrl,
    ...(called !== undefined && { name: called }),
    title: found.card.name,
    keys: pinnedKeys(found, keys, known),
    // What was agreed to is not widened by what the card says later.
    origins: known?.origins ?? originsOf(found),
    ...(authorities !== undefined && { tlsCa: authorities }),
  };
  await preparePrivateFolder(home.root);
  await way.agents.put(entry);
  return { found, entry, isNew: known === undefined };
}

/** Where requests would go, beside the origin of the card: what the card names now is what is agreed to. */
function originsOf({ card, cardUrl }: A2aAgent): readonly string[] {
  const own = new URL(cardUrl).origin;
  const named = card.interfaces.flatMap((offered) => {
    const url = addressOf(offered, cardUrl);
    return /^https?:/i.test(url) ? [new URL(url).origin] : [];
  });
  return [...new Set(named)].filter((origin) => origin !== own);
}

function pinnedKeys(
  { proof }: A2aAgent,
  given: readonly CardKey[],
  known: KnownAgent | undefined,
): readonly CardKey[] {
  if (given.length > 0) return given;
  // One that is pinned stays so, among others that were given with it.
  if (known !== undefined && known.keys.length > 0) return known.keys;
  return proof.kind === 'signed' ? [proof.key] : [];
}

async function connect(
  url: string,
  keys: readonly CardKey[],
  way: A2aWay,
  context: CommandContext,
): Promise<A2aAgent> {
  const { connectA2a } = await import('../../profiles/a2a/client/connect.ts');
  const pin = (_origin: string, cardUrl: string): ReturnType<typeof pinFor> =>
    keys.length > 0 ? { keys } : pinFor(cardUrl, way.agents.list());
  try {
    return await connectA2a(url, {
      ...way.optionsFor(url),
      pin,
      now: context.now,
      signal: context.interrupted(),
    });
  } catch (thrown) {
    const isPin =
      thrown instanceof SdlError &&
      (thrown.code === 'SIGNATURE_INVALID' || thrown.code === 'SENDER_REFUSED');
    if (!isPin) throw thrown;
    const known = way.agents.list().find(({ cardUrl }) => cardUrl.startsWith(new URL(url).origin));
    const removal =
      known === undefined ? '' : `: a2a-sdl peers remove ${shellWord(known.name ?? known.cardUrl)}`;
    throw failure(thrown.reason, {
      code: thrown.code,
      next: `ask its owner; if what changed is right, forget the agent and add it again${removal}`,
      cause: thrown,
    });
  }
}

async function askForTrust(found: A2aAgent, { options, terminal }: CommandContext): Promise<void> {
  if (options.flag('yes')) return;
  for (const [title, text] of foundRows(found)) terminal.note(`${title!.padEnd(13)} ${text}`);
  const next =
    'add --yes to trust what is found, or --card-key FILE with the keys that its owner gave you';
  if (await terminal.confirm('Is this the agent that you mean?', next)) return;
  throw failure('the agent was not added', { code: 'DECLINED' });
}
