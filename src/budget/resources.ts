// Owns the one table of what callers share: where each resource is counted, how much of it there is in all, for one owner
// and for all strangers together, what is kept back, and what happens when it is full. SPEC.md section 13 (#budget).

/** `half`: strangers together, and reserves. `reserve`: nobody is known to be a stranger yet. `none`: first come. */
type Sharing = 'half' | 'reserve' | 'none';

export interface Resource {
  readonly what: string;
  readonly unit: 'count' | 'bytes';
  /** `node`: in the memory of each node. `store`: for all nodes together. */
  readonly counted: 'node' | 'store';
  /** In all; options may say otherwise. `Infinity`: nothing bounds it but what it is made of. */
  readonly bound: number;
  /** Whose share `perOwner` is. */
  readonly owner: string;
  readonly perOwner: number;
  readonly sharing: Sharing;
  /** What happens to who finds it full. */
  readonly full: string;
}

const MIB = 1_048_576;

function row(
  what: string,
  [counted, unit]: readonly [Resource['counted'], Resource['unit']],
  [bound, perOwner, owner]: readonly [number, number, string],
  sharing: Sharing,
  full: string,
): Resource {
  return { what, counted, unit, bound, perOwner, owner, sharing, full };
}

const HERE = ['node', 'count'] as const;
const BYTES_HERE = ['node', 'bytes'] as const;
const STORED = ['store', 'count'] as const;
const BYTES_STORED = ['store', 'bytes'] as const;

export type ResourceName =
  | 'unproven'
  | 'messages'
  | 'waiters'
  | 'streams'
  | 'joiners'
  | 'daily'
  | 'disk'
  | 'places'
  | 'tasks'
  | 'task_bytes'
  | 'hooks'
  | 'chunks'
  | 'state'
  | 'sessions'
  | 'nonces'
  | 'replies'
  | 'http_connections'
  | 'ws_connections'
  | 'ipc_connections'
  | 'swp_connections'
  | 'grpc_connections';

export const RESOURCES: Readonly<Record<ResourceName, Resource>> = {
  unproven: row(
    'messages and calls whose sender is not proven yet',
    HERE,
    [1_024, 256, 'address'],
    'reserve',
    'LIMIT_RATE',
  ),
  messages: row('messages at work', HERE, [1_024, 256, 'agent or caller'], 'half', 'LIMIT_RATE'),
  waiters: row(
    'requests and calls that only wait for a task',
    HERE,
    [1_024, 256, 'agent or caller'],
    'half',
    'an envelope is answered at once with the task as it is, a call gets LIMIT_RATE',
  ),
  streams: row(
    'of what waits, what takes events',
    HERE,
    [512, 64, 'agent or caller'],
    'half',
    'an envelope is answered without events, a call gets LIMIT_RATE',
  ),
  joiners: row(
    'copies of a message that wait for the answer to it',
    HERE,
    [1_024, 4, 'message'],
    'reserve',
    'the oldest copy gets LIMIT_RATE',
  ),
  daily: row(
    'messages of strangers in a day: the store keeps an audit entry of each for ever',
    HERE,
    [100_000, 100_000, 'node'],
    'none',
    'LIMIT_RATE',
  ),
  disk: row(
    'free disk: strangers need 1 GiB of it, known peers 256 MiB, the operator 64 MiB',
    HERE,
    [Infinity, Infinity, 'class'],
    'none',
    'UNAVAILABLE',
  ),
  places: row(
    'tasks that are worked on',
    HERE,
    [128, 16, 'owner'],
    'half',
    'the task waits for its turn',
  ),
  tasks: row(
    'tasks, ended ones among them',
    STORED,
    [10_000, 1_000, 'owner'],
    'half',
    'the oldest ended tasks of the owner go, then LIMIT_RATE',
  ),
  task_bytes: row(
    'bytes of tasks and of their web hooks',
    BYTES_STORED,
    [64 * MIB, 16 * MIB, 'owner'],
    'half',
    'the oldest ended tasks of the owner go, then LIMIT_RATE',
  ),
  hooks: row('web hooks of tasks', STORED, [Infinity, 32, 'task'], 'none', 'LIMIT_RATE'),
  chunks: row(
    'bytes of artifacts that are not whole yet',
    BYTES_HERE,
    [256 * MIB, 96 * MIB, 'agent'],
    'half',
    'LIMIT_RATE',
  ),
  state: row('state documents', STORED, [4_096, 100, 'agent'], 'half', 'LIMIT_RATE'),
  sessions: row('sessions', STORED, [10_000, 100, 'agent'], 'half', 'LIMIT_RATE'),
  nonces: row(
    'live nonces, with their replies',
    STORED,
    [1_000_000, 10_000, 'agent'],
    'half',
    'REPLAY_FULL',
  ),
  replies: row(
    'bytes of replies of more than 8,192 bytes that are kept for retries',
    BYTES_STORED,
    [Infinity, 64 * MIB, 'agent'],
    'none',
    'REPLAY_FULL',
  ),
  http_connections: row(
    'connections over HTTP, those of WebSocket at first among them',
    HERE,
    [1_024, 128, 'address'],
    'none',
    'the connection is closed',
  ),
  ws_connections: row(
    'connections over WebSocket',
    HERE,
    [1_024, 64, 'address'],
    'none',
    'the connection is closed',
  ),
  ipc_connections: row(
    'connections over the Unix socket, which only the user of the machine can open',
    HERE,
    [1_024, 1_024, 'socket'],
    'none',
    'the connection is closed',
  ),
  swp_connections: row(
    'connections over SWP',
    HERE,
    [8_192, 1_024, 'address'],
    'none',
    'the connection is closed',
  ),
  grpc_connections: row(
    'connections over gRPC',
    HERE,
    [1_024, 128, 'address'],
    'none',
    'the connection is closed',
  ),
};

export const RESOURCE_NAMES = Object.keys(RESOURCES) as readonly ResourceName[];
