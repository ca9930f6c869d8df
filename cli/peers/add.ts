// Owns the command `peers add`: by agent id with what is known of it, or by the address where it tells of itself.
// SPEC.md section 6 (#sec-kid-bound).

import type { PeerEntry } from '../../keys/index.ts';
import { publicKeyFromDidKey } from '../../src/security/index.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { EXIT, failure, usageError } from '../kit/exit.ts';
import { openBook } from '../home/identities.ts';
import { isAddress, requireAgentId } from './address.ts';
import { addByUrl } from './discovery.ts';
import { peerDocument, peerRows } from './view.ts';
import { BOOK_OPTION, bookOf } from './book.ts';
import { KEY_NOTE, PEER_OPTIONS, readPeerOptions } from './options.ts';
import { STORE_OPTION } from '../store/place.ts';
import { TLS_OPTIONS } from '../client/tls.ts';

/** They say how a server is asked, and what is made of its answer. */
const FOR_URLS: readonly string[] = ['yes', 'expect', 'store', ...Object.keys(TLS_OPTIONS)];

export const peersAddCommand: Action = {
  name: 'add',
  summary: 'get to know a peer',
  parameters: [
    {
      name: 'ID|URL',
      description: 'its agent id, or an address that it listens at: http(s), ws(s) or ipc',
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
    'What --tls-ca names is kept with the peer: later commands trust it without the option.',
  ],
  examples: [
    'a2a-sdl peers add https://agents.example --name weather',
    'a2a-sdl peers add https://agents.internal --tls-ca our-authority.pem',
    'a2a-sdl peers add ipc:/home/bob/.a2a-sdl/run/agent.sock --name bob',
    'a2a-sdl peers add did:key:z6Mkp92myXtWkQYxhFmDxqkTwURYZAEjUm9iAuZxyjYzmfSy --url https://agents.example/a2a',
    'a2a-sdl peers add did:key:legacy --sign-key k1=legacy.pem --compat label-id --compat no-replay --canon python',
  ],
  async run(context) {
    const [place] = context.words as [string];
    const isUrl = isAddress(place);
    if (isUrl && !URL.canParse(place)) throw usageError('this address is not a URL');
    const { entry, isNew } = isUrl
      ? await addByUrl(place, context)
      : { entry: await addById(place, context), isNew: true };
    const { terminal, crypto, options } = context;
    const peer = { role: bookOf(options), entry };
    terminal.result({ ...peerDocument(peer, crypto), created: isNew }, () => {
      terminal.print(
        isNew ? 'the peer is known now' : 'the peer was known; its entry is up to date',
      );
      terminal.table(peerRows(peer, crypto));
    });
    return EXIT.ok;
  },
};

async function addById(
  agentId: string,
  { options, home, terminal }: CommandContext,
): Promise<PeerEntry> {
  const ofUrl = FOR_URLS.find((name) => options.flag(name));
  if (ofUrl !== undefined) throw usageError(`--${ofUrl} is for a URL`, 'leave it out');
  const changes = await readPeerOptions(options);
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
