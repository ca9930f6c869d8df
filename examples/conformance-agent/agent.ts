// Owns the conformance agent: one runtime with official A2A on it, as its command line says.

import { createIdentity, createRuntime } from 'a2a-sdl';
import type { A2aOptions, CardSkill } from 'a2a-sdl/profiles/a2a';
import { a2a } from 'a2a-sdl/profiles/a2a';
import { createCallers } from 'a2a-sdl/profiles/auth';
import { http } from 'a2a-sdl/transports/http';

import { acceptsFor, onTask } from './author.ts';
import type { CallerName } from './callers.ts';
import { entriesOf, newTokens } from './callers.ts';
import type { AgentOptions } from './options.ts';

/** What is told when it can be asked. */
interface ReadyLine {
  readonly event: 'ready';
  readonly http: string;
  readonly card: string;
  readonly jsonrpc: string;
  readonly rest: string;
  /** Host and port, where gRPC is spoken. */
  readonly grpc?: string;
  readonly tokens: Readonly<Record<CallerName, string>>;
}

interface RunningAgent {
  readonly ready: ReadyLine;
  close(): Promise<void>;
}

/** Suites ask fast, from one address, and leave much behind. */
const ROOM = {
  admission: {
    ratePerSecond: 100_000,
    burst: 100_000,
    maxInFlight: 4_096,
    maxInFlightPerPeer: 2_048,
    maxStreams: 2_048,
    maxStreamsPerPeer: 1_024,
  },
  tasks: {
    maxTasks: 100_000,
    maxTasksPerOwner: 100_000,
    maxConcurrent: 4_096,
    maxConcurrentPerOwner: 1_024,
  },
  connections: { maxConnections: 4_096, maxConnectionsPerAddress: 1_024 },
  attempts: { maxFailures: 1_000_000 },
} as const;

const DESCRIPTION = 'Does what the public conformance suites of A2A ask an agent for.';
const SKILL: CardSkill = {
  id: 'conformance',
  name: 'Conformance',
  description: 'What it does is chosen by how a message begins, such as tck-complete-task.',
  tags: ['conformance'],
  examples: ['tck-complete-task'],
};
const EXTENDED_SKILL: CardSkill = {
  id: 'extended',
  name: 'Extended',
  description: 'Only callers that are known are told of it.',
  tags: ['conformance', 'extended'],
};

/** The 1.0.0 suite wants parts of any type to be taken. */
const INPUT_MODES: readonly string[] = [
  'text/plain',
  'text/markdown',
  'text/html',
  'text/csv',
  'application/json',
  'application/xml',
  'application/pdf',
  'application/octet-stream',
  'application/x-protobuf',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'audio/mpeg',
  'audio/wav',
  'video/mp4',
];

export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const { profile, auth } = options;
  const tokens = newTokens();
  const inputModes = profile === '1.0.0' ? undefined : INPUT_MODES;
  const runtime = createRuntime({
    identity: await createIdentity(),
    name: 'conformance-agent',
    callers: createCallers({
      entries: entriesOf(tokens),
      anonymous: auth === 'none' ? ['a2a'] : [],
      attempts: ROOM.attempts,
    }),
    admission: ROOM.admission,
    tasks: ROOM.tasks,
    onTask,
    accepts: acceptsFor(inputModes),
  });
  const face = faceOptions(options, inputModes);
  const [host, listener] = await runtime.listen(
    http({ ...options.http, ...ROOM.connections }),
    a2a(face),
  );
  const { origin } = new URL(host!.urls[0]!);
  const grpc = listener!.faces?.[0]?.urls[0];
  return {
    ready: {
      event: 'ready',
      http: origin,
      card: listener!.urls[0]!,
      jsonrpc: `${origin}/rpc`,
      rest: origin,
      ...(grpc !== undefined && { grpc }),
      tokens,
    },
    close: () => runtime.close({ graceMs: 0 }),
  };
}

function faceOptions(
  { profile, card, capabilities, auth, contextIds, grpc }: AgentOptions,
  inputModes: readonly string[] | undefined,
): A2aOptions {
  const isAll = capabilities === 'all';
  return {
    profile,
    sealed: isAll ? 'prefer' : 'none',
    card,
    contextIds,
    description: DESCRIPTION,
    skills: [SKILL],
    streaming: isAll,
    pushNotifications: isAll,
    // The suites receive what web hooks are told on the same machine.
    allowLoopbackHooks: true,
    ...(grpc !== undefined && { grpc: { ...grpc, ...ROOM.connections } }),
    ...(inputModes !== undefined && { inputModes }),
    // Suites take a scheme that is named for one that everybody has to use.
    ...(auth === 'none' && { security: () => undefined }),
    ...(isAll && {
      extended: ({ principal }) =>
        auth === 'bearer' && principal.caller === 'insufficient'
          ? 'forbidden'
          : { description: `${DESCRIPTION} You are known.`, skills: [SKILL, EXTENDED_SKILL] },
    }),
  };
}
