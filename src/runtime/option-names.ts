// Owns the names of a runtime's options: one that is not known is refused, and who used an old one is told the new one.

import type {
  EventOptions,
  RuntimeOptions,
  SharedOptions,
  TimeoutOptions,
  TrustOptions,
} from './options.ts';

type Names<T> = Readonly<Record<keyof T, true>>;

interface Groups {
  readonly on: Names<EventOptions>;
  readonly trust: Names<TrustOptions>;
  readonly shared: Names<SharedOptions>;
  readonly timeouts: Names<TimeoutOptions>;
}

const TOP: Names<RuntimeOptions> = {
  identity: true,
  name: true,
  role: true,
  instance: true,
  peers: true,
  store: true,
  policy: true,
  limits: true,
  crypto: true,
  transports: true,
  onTask: true,
  cancelHanded: true,
  tools: true,
  contents: true,
  schemas: true,
  tasks: true,
  versions: true,
  admission: true,
  callers: true,
  accepts: true,
  audit: true,
  evidence: true,
  receipts: true,
  now: true,
  randomBytes: true,
  on: true,
  trust: true,
  shared: true,
  timeouts: true,
};

const GROUPS: Groups = {
  on: {
    artifacts: true,
    toolResult: true,
    peerError: true,
    state: true,
    outcome: true,
    receipt: true,
    task: true,
    error: true,
  },
  trust: { approvers: true, quorum: true, taskAdmins: true },
  shared: { replayStore: true, rateLimiter: true },
  timeouts: { handlerMs: true, joinMs: true },
};

/** Names of version 0.1 that have another form now. */
const OLD: ReadonlyMap<string, string> = new Map([
  ['dialers', 'transports'],
  ['handlerTimeoutMs', 'timeouts.handlerMs'],
]);

/** Throws a TypeError that names the option, and the right name where it can be told. */
export function assertOptionNames(options: RuntimeOptions): void {
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(TOP, name)) throw unknownOption(name, name, Object.keys(TOP));
    if (Object.hasOwn(GROUPS, name)) assertMembers(name as keyof Groups, options);
  }
}

function assertMembers(group: keyof Groups, options: RuntimeOptions): void {
  const given: unknown = options[group];
  if (given === undefined) return;
  const known = Object.keys(GROUPS[group]);
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`"${group}" expected an object with any of: ${known.join(', ')}`);
  }
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) throw unknownOption(`${group}.${name}`, name, known);
  }
}

function unknownOption(path: string, name: string, known: readonly string[]): TypeError {
  const right = rightNameOf(name);
  const advice =
    right === undefined || right === path
      ? `there are: ${known.join(', ')}`
      : `did you mean "${right}"?`;
  return new TypeError(`"${path}" is not an option of a runtime; ${advice}`);
}

/** Where an old name, or a name in the wrong place, belongs. */
function rightNameOf(name: string): string | undefined {
  const old = OLD.get(name);
  if (old !== undefined) return old;
  const wanted = name.toLowerCase();
  const top = Object.keys(TOP).find((known) => known.toLowerCase() === wanted);
  if (top !== undefined) return top;
  for (const [group, members] of Object.entries(GROUPS)) {
    const member = Object.keys(members as object).find((known) =>
      [known, `${group}${known}`].some((form) => form.toLowerCase() === wanted),
    );
    if (member !== undefined) return `${group}.${member}`;
  }
  return undefined;
}
