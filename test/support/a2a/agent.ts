// Owns an agent that speaks official A2A, for tests that ask it with plain requests of HTTP.

import { onTestFinished } from 'vitest';

import type { CallerEntry } from '../../../profiles/auth/index.ts';
import { createCallers, hashSecret } from '../../../profiles/auth/index.ts';
import type { A2aOptions } from '../../../profiles/a2a/index.ts';
import { a2a } from '../../../profiles/a2a/index.ts';
import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import type { Runtime } from '../../../src/runtime/runtime.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import { createIdentity } from '../../../src/security/identity/identity.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import { http } from '../../../transports/http/index.ts';

/** What clients show, by the name of the caller. */
export const TOKENS: Readonly<Record<string, string>> = {
  user: 'the-token-of-the-user-1',
  other: 'the-token-of-the-other-2',
  tenant: 'the-token-of-a-tenant-3',
  narrow: 'the-token-of-the-narrow-4',
};

export const ENTRIES: readonly CallerEntry[] = [
  entryOf('user', {}),
  entryOf('other', {}),
  entryOf('tenant', { tenant: 'acme' }),
  entryOf('narrow', { contentTypes: ['toolcall.v1'], tools: ['sys.ping'] }),
];

function entryOf(name: string, more: Partial<CallerEntry>): CallerEntry {
  const secret = { sha256: hashSecret(TOKENS[name]!) };
  return { name, proof: { scheme: 'bearer', secret }, ...more };
}

/** Does what the first word of its message says. */
export const onTask: OnTask = async function* work(task, ctx) {
  const [word = ''] = task.text.split(/\s/, 1);
  switch (word) {
    case 'ask':
    case 'auth': {
      const kind = word === 'ask' ? 'input' : 'auth';
      const reply = await ctx.ask('which?', { kind });
      yield `told ${reply.text}`;
      return;
    }
    case 'fail':
      throw new TaskError('there is no paper', { code: 'NO_PAPER' });
    case 'reject':
      throw new TaskError('not on Sundays', { code: 'SUNDAY', rejects: true });
    case 'hold':
      await new Promise<void>((resolve) => {
        ctx.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      return;
    case 'next':
      yield `then ${(await ctx.next()).text}`;
      return;
    case 'answer':
      await ctx.answer('answered at once');
      return;
    case 'same':
      await ctx.artifact({ id: 'same', parts: task.history[0]!.parts.slice(1) });
      return;
    case '':
    case 'echo':
      await ctx.artifact({ id: 'same', parts: task.history[0]!.parts });
      return;
    case 'files': {
      const named = { mediaType: 'text/plain', filename: 'output.txt' };
      const bytes = new TextEncoder().encode('tck');
      await ctx.artifact({ id: 'bytes', parts: [{ bytes, ...named }] });
      const url = 'https://example.com/output.txt';
      await ctx.artifact({ id: 'address', parts: [{ url, ...named }] });
      return;
    }
    case 'modes':
      yield JSON.stringify(task.metadata);
      return;
    case 'chunks':
      yield ctx.progress('begun');
      yield ctx.artifact({ id: 'log', text: 'one ' });
      yield ctx.artifact({ id: 'log', text: 'two', append: true, last: true });
      return;
    default:
      yield `done ${task.text}`;
  }
};

export interface TestAgent {
  readonly runtime: Runtime;
  /** Where REST begins, without a slash at its end. */
  readonly origin: string;
  readonly rpc: string;
  /** `HOST:PORT`, where gRPC is spoken. */
  readonly grpc?: string;
}

export type GrpcAgent = Required<TestAgent>;

export interface AgentOptions {
  readonly face?: A2aOptions;
  readonly runtime?: Partial<RuntimeOptions>;
  /** Who shows nothing is let in. @default true */
  readonly isOpen?: boolean;
}

/** The agent before it listens. */
export async function runtimeFor({ isOpen = true, runtime }: AgentOptions): Promise<Runtime> {
  return createRuntime({
    identity: await createIdentity(),
    callers: createCallers({ entries: ENTRIES, anonymous: isOpen ? ['a2a'] : [] }),
    onTask,
    ...runtime,
  });
}

/** Closed after the test, or by whoever opened it outside of one. */
export async function openAgent(options: AgentOptions = {}): Promise<TestAgent> {
  const { face = {} } = options;
  const runtime = await runtimeFor(options);
  const [host, official] = await runtime.listen(http({ port: 0 }), a2a(face));
  const { origin } = new URL(host!.urls[0]!);
  const grpc = official!.faces?.[0]?.urls[0];
  return { runtime, origin, rpc: `${origin}/rpc`, ...(grpc !== undefined && { grpc }) };
}

/** For one test. */
export async function agentFor(options: AgentOptions = {}): Promise<TestAgent> {
  const agent = await openAgent(options);
  onTestFinished(() => agent.runtime.close({ graceMs: 0 }));
  return agent;
}

/** That speaks gRPC, too. */
export async function openGrpcAgent({ face, ...options }: AgentOptions = {}): Promise<GrpcAgent> {
  const agent = await openAgent({ ...options, face: { grpc: { port: 0 }, ...face } });
  return agent as GrpcAgent;
}

/** For one test. */
export async function grpcAgentFor(options: AgentOptions = {}): Promise<GrpcAgent> {
  const agent = await openGrpcAgent(options);
  onTestFinished(() => agent.runtime.close({ graceMs: 0 }));
  return agent;
}
