// Owns getting to know a peer by its address: fetch, verify, show, ask, write down. SPEC.md section 10 (#agent-document).

import type { PeerBook, PeerEntry } from '../../keys/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { AgentDocument } from '../../src/security/index.ts';
import { createContacts, verifyAgentDocument, verifyKeyBundle } from '../../src/security/index.ts';
import { assertNoA2aAgent } from '../a2a/names.ts';
import type { CommandContext } from '../kit/command.ts';
import { failure } from '../kit/exit.ts';
import { fingerprintOf } from '../home/fingerprint.ts';
import { keysOf } from '../home/init.ts';
import { ROLES } from '../home/home.ts';
import { openBook } from '../home/identities.ts';
import { parseJson } from '../kit/input.ts';
import { withHomeStore } from '../home/store.ts';
import { openStore } from '../store/open.ts';
import { bookOf } from './book.ts';
import { readPeerOptions } from './options.ts';
import { preparePrivateFolder, shellWord } from '../home/private-folder.ts';
import { readAuthorities, readTls } from '../client/tls.ts';
import { askWhoIsThere } from './who-is-there.ts';

export interface FoundPeer {
  readonly entry: PeerEntry;
  /** False when it was known and its entry was brought up to date. */
  readonly isNew: boolean;
}

/** What is known of an agent that was asked at its address. */
type FoundAgent = Pick<AgentDocument, 'agentId' | 'name' | 'endpoints' | 'bundle'>;

/** What the agent at this address says of itself, verified, and the user's word that it is the right one. */
export async function addByUrl(url: string, context: CommandContext): Promise<FoundPeer> {
  const { options, home, now } = context;
  // Read first: a mistyped option should not come after a question.
  const changes = await readPeerOptions(options);
  if (changes.name !== undefined) await assertNoA2aAgent(home, changes.name);
  const tlsCa = await readAuthorities(context);
  const book = await openBook(home, bookOf(options));
  const agent = /^https?:/i.test(url)
    ? await fetchVerified(url, context)
    : await askVerified(url, context);
  const known = book.get(agent.agentId);
  if (known?.revoked === true) {
    throw failure('the agent at this address is revoked here', {
      next: `to trust it again: a2a-sdl peers remove ${known.agentId}`,
    });
  }
  assertSameName(known, changes.name);
  await assertNotOlder(agent, url, context);
  await askForTrust(agent, known, context);
  await rememberBundle(agent, context);
  // Its signing keys come with its messages and end when it says so; to be sealed to, it needs a key now.
  const { encryptionKeys } = keysOf(agent, now());
  const found = {
    encryptionKeys,
    endpoints: endpointsOf(agent, url, known),
    ...(tlsCa !== undefined && { tlsCa }),
    ...changes,
  };
  const entry = await write(book, agent.agentId, found, known);
  return { entry, isNew: known === undefined };
}

/** Who adds a peer again wants it up to date; another name for it would be a surprise to who uses the old one. */
function assertSameName(known: PeerEntry | undefined, name: string | undefined): void {
  if (known?.name === undefined || name === undefined || known.name === name) return;
  throw failure(`the agent at this address is known as ${JSON.stringify(known.name)}`, {
    code: 'PEER_KNOWN',
    next: `leave out --name, or rename it: a2a-sdl peers set ${shellWord(known.name)} --name ${shellWord(name)}`,
  });
}

function write(
  book: PeerBook,
  agentId: string,
  found: Parameters<PeerBook['update']>[1],
  known: PeerEntry | undefined,
): Promise<PeerEntry> {
  return known === undefined ? book.add({ agentId, ...found }) : book.update(agentId, found);
}

/** At an address without documents the agent is asked itself. */
async function askVerified(url: string, context: CommandContext): Promise<FoundAgent> {
  const { crypto, now, options } = context;
  const { name, bundle: document } = await askWhoIsThere(url, await readTls(context));
  const agentId = options.text('expect');
  const bundle = await accepted(`the key bundle that ${url} tells`, () =>
    verifyKeyBundle(document, { crypto, nowMs: now(), ...(agentId !== undefined && { agentId }) }),
  );
  return { agentId: bundle.agentId, name, endpoints: [url], bundle };
}

async function fetchVerified(url: string, context: CommandContext): Promise<AgentDocument> {
  const { options, crypto, now, fetchAgentDocument } = context;
  const bytes = await fetchAgentDocument(url, { tls: await readTls(context) });
  const agentId = options.text('expect');
  return accepted(`the agent document of ${url}`, () =>
    verifyAgentDocument(parseJson(bytes, url), {
      crypto,
      nowMs: now(),
      ...(agentId !== undefined && { agentId }),
    }),
  );
}

async function accepted<T>(what: string, verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    throw failure(`${what} is not accepted: ${thrown.reason}`, {
      code: thrown.code,
      next: 'ask its owner, and add the peer by its agent id instead',
      cause: thrown,
    });
  }
}

/** Keys that were rotated out, perhaps because they were stolen, must not come back with a document of back then. */
async function assertNotOlder(
  { agentId, bundle }: FoundAgent,
  url: string,
  context: CommandContext,
): Promise<void> {
  const { crypto, now } = context;
  for (const role of ROLES) {
    const seen = await withHomeStore(role, context, (store) =>
      createContacts(store, { crypto, now }).get(agentId),
    );
    if (seen?.bundle === undefined || bundle.seq >= seen.bundle.seq) continue;
    throw failure(
      `the agent document of ${url} is not accepted: its key bundle is older than one seen before`,
      {
        code: 'SENDER_REFUSED',
        next: 'somebody may be showing you an old one: ask its owner for the address that is right',
      },
    );
  }
}

/** Known from now on, even if no message ever comes. The operator's, since the daemon may keep its own elsewhere. */
async function rememberBundle(
  { agentId, bundle }: FoundAgent,
  { home, crypto, now }: CommandContext,
): Promise<void> {
  // The home may be new: a peer can be added before "init".
  for (const folder of [home.root, home.data]) await preparePrivateFolder(folder);
  const store = await openStore(`sqlite:${home.operatorStore}`, now);
  try {
    await createContacts(store, { crypto, now }).learn(agentId, { bundle }, { isStranger: false });
  } finally {
    await store.close();
  }
}

async function askForTrust(
  { agentId, name, endpoints }: FoundAgent,
  known: PeerEntry | undefined,
  { options, terminal, crypto }: CommandContext,
): Promise<void> {
  const isSettled =
    known !== undefined || options.flag('yes') || options.text('expect') !== undefined;
  if (isSettled) return;
  terminal.note(`agent id:     ${agentId}`);
  terminal.note(`fingerprint:  ${fingerprintOf(agentId, crypto)!}`);
  // Its own words, on one line.
  terminal.note(`calls itself: ${JSON.stringify(name)}`);
  for (const url of endpoints) terminal.note(`listens at:   ${url}`);
  const next =
    'add --expect ID with the agent id that its owner told you, or --yes to trust what is found';
  if (await terminal.confirm('Is this the fingerprint that its owner told you?', next)) return;
  throw failure('the peer was not added', { code: 'DECLINED' });
}

/** A socket of another machine is none of ours, dialled here it would lead to a stranger; one that the user named is. */
function endpointsOf(
  { endpoints }: FoundAgent,
  url: string,
  known: PeerEntry | undefined,
): string[] {
  const told = endpoints.filter((address) => address === url || !isSocket(address));
  // A socket is not published: who was added by it keeps the addresses of the network, and the other way round.
  const kept = (known?.endpoints ?? []).filter((address) => isSocket(url) || isSocket(address));
  return [...new Set([...told, ...kept])];
}

function isSocket(address: string): boolean {
  return /^ipc:/i.test(address);
}
