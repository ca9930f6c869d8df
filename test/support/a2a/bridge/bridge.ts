// Owns bridges for tests: agents of this package whose tasks are done by agents of official A2A.

import { onTestFinished } from 'vitest';

import type {
  A2aAgent,
  A2aBridgeOptions,
  A2aTask,
  BoundCredential,
} from '../../../../profiles/a2a/index.ts';
import { a2aBridge, connectA2a } from '../../../../profiles/a2a/index.ts';
import type { AgentOptions, TestAgent } from '../agent.ts';
import { TOKENS, openAgent } from '../agent.ts';
import { message } from '../client-suite.ts';

/** Closed after the test, or by whoever opened it outside of one. */
export function openBridge(
  options: A2aBridgeOptions,
  { runtime, ...agent }: AgentOptions = {},
): Promise<TestAgent> {
  return openAgent({ ...agent, runtime: { ...a2aBridge(options), ...runtime } });
}

export interface TestBridge extends TestAgent {
  /** Speaks 1.0 to it. */
  readonly client: A2aAgent;
  /** The task that the words begin, when it rests. */
  readonly ask: (text: string) => Promise<A2aTask>;
}

/** For one test, without long waiting. */
export async function bridgeFor(
  options: A2aBridgeOptions,
  agent: AgentOptions = {},
): Promise<TestBridge> {
  const bridge = await openBridge({ doubtMs: 300, maxAwayMs: 60_000, ...options }, agent);
  onTestFinished(() => bridge.runtime.close({ graceMs: 0 }));
  const client = await connectA2a(bridge.origin, { credentials: [tokenAt(bridge, 'user')] });
  return { ...bridge, client, ask: (text) => askOf(client, text) };
}

async function askOf(client: A2aAgent, text: string): Promise<A2aTask> {
  const sent = await client.send({ message: message(text) }, { timeoutMs: 60_000 });
  if (!('task' in sent)) throw new Error('it was answered without a task');
  return sent.task;
}

/** What this caller shows there. */
export function tokenAt({ origin }: TestAgent, caller: string): BoundCredential {
  return { origin, scheme: 'bearer', token: TOKENS[caller]! };
}

/** Why it failed: the code and the words. */
export function failureOf({ status }: A2aTask): readonly [string, unknown, string | undefined] {
  const failure = status.message?.metadata?.['failure'] as { readonly code?: unknown } | undefined;
  return [status.state, failure?.code, status.message?.text];
}
