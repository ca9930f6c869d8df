// Owns the command `peers add`: by agent id with what is known of it, or by the address where it tells of itself.
// SPEC.md sections 6 and 20 (#sec-kid-bound, #a2a-client-home).

import type { PeerEntry } from '../../keys/index.ts';
import { isCardUrl } from '../../profiles/a2a/client/discovery/card-places.ts';
import { publicKeyFromDidKey } from '../../src/security/index.ts';
import { TransportError } from '../../src/transport.ts';
import { assertNoA2aAgent } from '../a2a/names.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import type { ExitCode } from '../kit/exit.ts';
import { EXIT, failure, usageError } from '../kit/exit.ts';
import { tlsWords } from '../kit/thrown.ts';
import { openBook } from '../home/identities.ts';
import { isAddress, requireAgentId } from './address.ts';
import { addByUrl } from './discovery.ts';
import { peerDocument, peerRows } from './view.ts';
import { BOOK_OPTION, bookOf } from './book.ts';
import { KEY_NOTE, PEER_OPTIONS, readPeerOptions } from './options.ts';
import { STORE_OPTION } from '../store/place.ts';
import { TLS_OPTIONS } from '../client/tls.ts';

/** They say how a server is asked, and what is made of its answer. */
const FOR_URLS: readonly string[] = [
  'yes',
  'expect',
  'store',
  'card-key',
  ...Object.keys(TLS_OPTIONS),
];
/** They say something of envelopes. */
const FOR_PEERS: readonly string[] = [
  ...Object.keys(PEER_OPTIONS).filter((name) => name !== 'name'),
  'expect',
  'as',
  'store',
];

export const peersAddCommand: Action = {
  name: 'add',
  summary: 'get to know a peer',
  parameters: [
    {
      name: 'ID|URL',
      description:
        'its agent id, an address that it listens at: http(s), ws(s) or ipc, or the card of an A2A agent',
    },
  ],
  options: {
    ...PEER_OPTIONS,
    expect: {
      type: 'string',
      value: 'ID',
      description: 'with a URL: the agent id that must be found there; then nothing is asked',
    },
    yes: { type: 'boolean', description: 'with a URL: trust what is found there without asking' },
    'card-key': {
      type: 'string',
      multiple: true,
      value: 'FILE',
      description: 'of an A2A agent: a key that its card must be signed by (JWK or JWKS)',
    },
    as: BOOK_OPTION,
    store: STORE_OPTION,
    ...TLS_OPTIONS,
  },
  notes: [
    KEY_NOTE,
    'A did:key id proves itself, and its keys come with its messages. Any other id is a label: it needs\n' +
      '--compat label-id and the keys that it signs with.\n' +
      'With a URL the signed document at /.well-known/a2a-sdl.json is read and verified, and its agent id\n' +
      'and fingerprint are shown: compare them with what the owner of the agent tells you. At a ws(s) or ipc\n' +
      'address there is no document: the agent tells its keys itself, signed by its id.',
    'Where there is no such document, or the URL is that of a card, the agent is one of official A2A: its card\n' +
      'is shown and how it was proven. The key that signed it and the origins that it names are pinned: a card\n' +
      'that later does not keep to them is refused. See also "a2a-sdl credentials add".',
    'What --tls-ca names is kept with the peer: later commands trust it without the option.',
  ],
  examples: [
    'a2a-sdl peers add https://agents.example --name weather',
    'a2a-sdl peers add https://agents.internal --tls-ca our-authority.pem',
    'a2a-sdl peers add https://agent.example/.well-known/agent-card.json --name travel',
    'a2a-sdl peers add ipc:/home/bob/.a2a-sdl/run/agent.sock --name bob',
    'a2a-sdl peers add did:key:z6Mkp92myXtWkQYxhFmDxqkTwURYZAEjUm9iAuZxyjYzmfSy --url https://agents.example/a2a',
    'a2a-sdl peers add did:key:legacy --sign-key k1=legacy.pem --compat label-id --compat no-replay --canon python',
  ],
  async run(context) {
    const [place] = context.words as [string];
    if (!isAddress(place)) return tell(await addById(place, context), true, context);
    if (!URL.canParse(place)) throw usageError('this address is not a URL');
    if (isCardUrl(place) || context.options.flag('card-key')) return addOfA2a(place, context);
    try {
      const { entry, isNew } = await addByUrl(place, context);
      return tell(entry, isNew, context);
    } catch (thrown) {
      if (!mayBeOfA2a(place, thrown, context)) throw thrown;
    }
    return addOfA2a(place, context);
  },
};

function tell(entry: PeerEntry, isNew: boolean, context: CommandContext): ExitCode {
  const { terminal, crypto, options } = context;
  const peer = { role: bookOf(options), entry };
  terminal.result({ ...peerDocument(peer, crypto), created: isNew }, () => {
    terminal.print(isNew ? 'the peer is known now' : 'the peer was known; its entry is up to date');
    terminal.table(peerRows(peer, crypto));
  });
  return EXIT.ok;
}

/** Somebody answers there, and has no document of ours; and nothing was said that only a peer can be told. */
function mayBeOfA2a(place: string, thrown: unknown, { options }: CommandContext): boolean {
  const isNoDocument =
    thrown instanceof TransportError &&
    thrown.fault === 'refused' &&
    tlsWords(thrown) === undefined;
  return isNoDocument && /^https?:/i.test(place) && !FOR_PEERS.some((name) => options.flag(name));
}

async function addOfA2a(place: string, context: CommandContext): Promise<ExitCode> {
  const { options, terminal } = context;
  const foreign = FOR_PEERS.find((name) => options.flag(name));
  if (foreign !== undefined) {
    throw usageError(`--${foreign} is for peers that speak envelopes`, 'leave it out');
  }
  const { addA2aAgent } = await import('../a2a/add.ts');
  const { foundDocument, foundRows, knownDocument, knownRows } = await import('../a2a/view.ts');
  const { found, entry, isNew } = await addA2aAgent(place, context);
  const document = { ...foundDocument(found), ...knownDocument(entry), created: isNew };
  terminal.result(document, () => {
    terminal.print(
      isNew ? 'the agent is known now' : 'the agent was known; its entry is up to date',
    );
    terminal.table([
      ...foundRows(found),
      ...knownRows(entry).filter(([title]) => !SHOWN.has(title!)),
    ]);
  });
  return EXIT.ok;
}

/** What stands among what was found already. */
const SHOWN: ReadonlySet<string> = new Set(['calls itself', 'card']);

async function addById(
  agentId: string,
  { options, home, terminal }: CommandContext,
): Promise<PeerEntry> {
  const ofUrl = FOR_URLS.find((name) => options.flag(name));
  if (ofUrl !== undefined) throw usageError(`--${ofUrl} is for a URL`, 'leave it out');
  const changes = await readPeerOptions(options);
  if (changes.name !== undefined) await assertNoA2aAgent(home, changes.name);
  const isProven = publicKeyFromDidKey(agentId) !== undefined;
  if (!isProven) requireAgentId(agentId, changes.switches?.has('label-id') === true);
  const book = await openBook(home, bookOf(options));
  if (book.get(agentId)?.agentId === agentId) {
    throw failure('this peer is known already', { next: `a2a-sdl peers set ${agentId} …` });
  }
  if (!isProven) {
    if (changes.switches?.has('label-id') !== true) {
      terminal.note(
        'warning: this id is a label and proves nothing; its messages are refused without --compat label-id',
      );
    }
    if (changes.signingKeys === undefined) {
      terminal.note('warning: without --sign-key nothing that this peer signs can be verified');
    }
  }
  return book.add({ agentId, ...changes });
}
