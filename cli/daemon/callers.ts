// Owns the callers of the daemon: those of its configuration and those of the book, which may change while it runs.

import type { PeerBook } from '../../keys/index.ts';
import type { CallerEntry, Callers, Standing } from '../../profiles/auth/index.ts';
import { assertCallers, assertTokenSupport, createCallers } from '../../profiles/auth/index.ts';
import { CallerBook } from '../callers/book.ts';
import type { Home } from '../home/home.ts';
import { usageError } from '../kit/exit.ts';
import type { DaemonConfig } from '../serve/config.ts';
import type { DaemonLog } from '../serve/log.ts';

interface CallersSetting {
  readonly config: Pick<DaemonConfig, 'callers' | 'anonymous'>;
  readonly home: Home;
  readonly peers: PeerBook;
  readonly now: () => number;
  readonly log: Pick<DaemonLog, 'error'>;
}

export interface LiveCallers {
  readonly callers: Callers;
  /** Takes in what the command line wrote into the book. */
  reloadIfChanged(): Promise<void>;
}

export async function openCallers(setting: CallersSetting): Promise<LiveCallers> {
  const { config, home, peers, now, log } = setting;
  const book = await CallerBook.open(home);
  const merge = (): readonly CallerEntry[] =>
    together(config.callers, book.list(), (name, cause) =>
      log.error(`the caller "${name}" of the book is left out`, cause),
    );
  let entries = merge();
  await assertTokenSupport(entries).catch((thrown: unknown) => {
    throw usageError((thrown as Error).message);
  });
  const callers = createCallers({
    entries: () => entries,
    anonymous: config.anonymous,
    peer: (agentId) => standingOf(peers, agentId, now()),
    now,
    onProblem: ({ caller, cause }) => log.error(`the caller "${caller}" cannot be checked`, cause),
  });
  return {
    callers,
    async reloadIfChanged() {
      if (await book.reloadIfChanged()) entries = merge();
    },
  };
}

/** One of the book that clashes with another is left out alone: what else is written there, such as an end, counts. */
function together(
  configured: readonly CallerEntry[],
  written: readonly CallerEntry[],
  onClash: (name: string, cause: unknown) => void,
): readonly CallerEntry[] {
  const all = [...configured, ...written];
  if (clashIn(all) === undefined) return all;
  const kept = [...configured];
  for (const entry of written) {
    const clash = clashIn([...kept, entry]);
    if (clash === undefined) kept.push(entry);
    else onClash(entry.name, clash);
  }
  return kept;
}

function clashIn(entries: readonly CallerEntry[]): unknown {
  try {
    assertCallers(entries);
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

/** What the book of peers says of an agent now. */
function standingOf(peers: PeerBook, agentId: string, nowMs: number): Standing | undefined {
  const peer = peers.snapshot().find(agentId);
  if (peer === undefined || peer.revoked) return undefined;
  if ((peer.notBefore ?? -Infinity) > nowMs || (peer.notAfter ?? Infinity) < nowMs)
    return undefined;
  return {
    share: 'known',
    isAdmin: false,
    allows: (wish) =>
      'ct' in wish ? isAmong(peer.contentTypes, wish.ct) : isAmong(peer.tools, wish.tool),
  };
}

function isAmong(names: readonly string[] | undefined, name: string): boolean {
  return names === undefined || names.includes('*') || names.includes(name);
}
