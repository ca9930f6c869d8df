// Owns where the state of this user's agent is: one folder, and what stands where in it. SPEC.md section 10 (#key-files).

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

import { usageError } from '../kit/exit.ts';

/** The two identities of a home: the daemon is `agent`, the command line speaks as `operator`. */
export const ROLES = ['agent', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** Paths only: asking for a home makes nothing. */
export interface Home {
  readonly root: string;
  /** The folder of identities, a `KeyDirectory`. */
  readonly keys: string;
  /** Whom each identity knows. The books stand apart from the identities, which have a folder to themselves. */
  readonly peers: Readonly<Record<Role, string>>;
  /** Who may speak to the agent in other dialects. */
  readonly callers: string;
  /** The agents of official A2A that the user has agreed to. */
  readonly a2aAgents: string;
  /** What this home proves itself with to them. */
  readonly credentials: string;
  readonly data: string;
  /** The daemon's SQLite database. */
  readonly store: string;
  /** What the command line has learned of peers, as the operator. */
  readonly operatorStore: string;
  /** Which node this home is to the daemons that share a store with it. */
  readonly node: string;
  /** What lives only as long as the daemon. */
  readonly run: string;
  /** The daemon's Unix socket. */
  readonly socket: string;
}

/** `--home`, else `$A2A_SDL_HOME`, else `~/.a2a-sdl`. */
export function resolveHome(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Home {
  if (option === '') throw usageError('--home needs a folder');
  const named = option ?? (env['A2A_SDL_HOME'] || undefined);
  return homeAt(named ?? join(env['HOME'] || homedir(), '.a2a-sdl'));
}

export function homeAt(path: string): Home {
  const root = resolve(path);
  const data = join(root, 'data');
  const run = join(root, 'run');
  const peers = join(root, 'peers');
  return Object.freeze({
    root,
    keys: join(root, 'keys'),
    peers: Object.freeze({
      agent: join(peers, 'agent.json'),
      operator: join(peers, 'operator.json'),
    }),
    // Beside the books of peers: one lock and one watch for all who may speak to the agent.
    callers: join(peers, 'callers.json'),
    a2aAgents: join(root, 'a2a', 'agents.json'),
    credentials: join(root, 'a2a', 'credentials.json'),
    data,
    store: join(data, 'store.db'),
    operatorStore: join(data, 'operator.db'),
    node: join(data, 'node.json'),
    run,
    socket: join(run, 'agent.sock'),
  });
}
