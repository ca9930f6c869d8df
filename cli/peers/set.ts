// Owns the command `peers set`: change what is known of a peer.

import type { PeerEntry } from '../../keys/index.ts';
import { assertNoA2aAgent } from '../a2a/names.ts';
import { NO_CA, readAuthorities } from '../client/tls.ts';
import { shellWord } from '../home/private-folder.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { EXIT, usageError } from '../kit/exit.ts';
import { peerDocument, peerRows } from './view.ts';
import { BOOK_OPTION, openPeer } from './book.ts';
import { KEY_NOTE, PEER_OPTIONS, readPeerOptions } from './options.ts';

export const peersSetCommand: Action = {
  name: 'set',
  summary: 'change what is known of a peer',
  parameters: [{ name: 'PEER', description: 'its name, or its agent id or the beginning of that' }],
  options: {
    ...PEER_OPTIONS,
    'remove-url': {
      type: 'string',
      multiple: true,
      value: 'URL',
      description: 'an address that is no longer right',
    },
    'tls-ca': {
      type: 'string',
      value: 'FILE',
      description: 'authorities that may vouch for its servers (PEM), kept with the peer',
    },
    [NO_CA]: { type: 'boolean', description: 'trust the authorities of the system again' },
    as: BOOK_OPTION,
  },
  notes: [
    'An address is added, before those that are known; anything else replaces what was there, and the rest stays.',
    KEY_NOTE,
  ],
  examples: [
    'a2a-sdl peers set alice --min-mode enc+sig',
    'a2a-sdl peers set alice --url ipc:/home/alice/.a2a-sdl/run/agent.sock',
    'a2a-sdl peers set alice --tls-ca her-authority.pem',
    'a2a-sdl peers set alice --allow-ct task.v1 --allow-ct toolcall.v1',
  ],
  async run(context) {
    const { words, options, terminal, crypto } = context;
    const changes = {
      ...(await readPeerOptions(options)),
      ...(await readAuthorityChange(context)),
    };
    const removed = new Set(options.texts('remove-url'));
    if (Object.keys(changes).length + removed.size === 0) {
      throw usageError('nothing to change', 'say what, such as --min-mode enc+sig');
    }
    if (changes.name !== undefined) await assertNoA2aAgent(context.home, changes.name);
    const { book, role, entry } = await openPeer(context, words[0]!);
    const endpoints = endpointsAfter(entry, changes.endpoints ?? [], removed);
    const updated = await book.update(entry.agentId, { ...changes, endpoints });
    const changed = { role, entry: updated };
    terminal.result(peerDocument(changed, crypto), () => terminal.table(peerRows(changed, crypto)));
    return EXIT.ok;
  },
};

function endpointsAfter(
  { endpoints, name, agentId }: PeerEntry,
  added: readonly string[],
  removed: ReadonlySet<string>,
): string[] {
  const unknown = [...removed].find((url) => !endpoints.includes(url));
  if (unknown !== undefined) {
    throw usageError(
      `${unknown} is no address of this peer`,
      `see "a2a-sdl peers show ${shellWord(name ?? agentId)}"`,
    );
  }
  const kept = endpoints.filter((url) => !removed.has(url));
  return [...new Set([...added, ...kept])];
}

async function readAuthorityChange(
  context: CommandContext,
): Promise<{ tlsCa?: string | undefined }> {
  const isTakenBack = context.options.flag(NO_CA);
  const tlsCa = await readAuthorities(context);
  if (isTakenBack && tlsCa !== undefined) {
    throw usageError(`--tls-ca and --${NO_CA} contradict each other`, 'give one of them');
  }
  if (isTakenBack) return { tlsCa: undefined };
  return tlsCa === undefined ? {} : { tlsCa };
}
