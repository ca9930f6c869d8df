// Owns clients that seal what they say to agents of ours, for tests.

import type {
  A2aAgent,
  A2aClientOptions,
  ClientSealing,
  InterfaceWish,
} from '../../../profiles/a2a/index.ts';
import { connectA2a } from '../../../profiles/a2a/index.ts';
import type { MessageContent } from '../../../src/tasks/message.ts';
import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { A2aStep } from '../../../profiles/a2a/client/following/fold.ts';
import type { SealedSide } from './user.ts';
import { TOKENS } from '../a2a/agent.ts';
import { message } from '../a2a/client-suite.ts';

/** Every binding and version that is spoken. */
export const WISHES: readonly (InterfaceWish & { readonly name: string })[] = (
  ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const
).flatMap((binding) =>
  (['1.0', '0.3'] as const).map((version) => ({ name: `${binding} ${version}`, binding, version })),
);

export interface SealedClientOptions extends Omit<A2aClientOptions, 'sealed'> {
  readonly sealed?: ClientSealing;
}

/** The user of a side, who shows a token of the path. */
export function sealedClient(
  { user }: Pick<SealedSide, 'user'>,
  origin: string,
  { sealed, ...options }: SealedClientOptions = {},
): Promise<A2aAgent> {
  const store = createMemoryStore({ now: Date.now });
  const token = TOKENS['user']!;
  const origins = [origin, ...(options.typedUrls ?? [])];
  return connectA2a(origin, {
    credentials: origins.map((at) => ({ origin: new URL(at).origin, scheme: 'bearer', token })),
    timeoutMs: 10_000,
    ...options,
    sealed: { identity: user, store, ...sealed },
  });
}

/** All steps until the task rests. */
export async function stepsOf(
  agent: A2aAgent,
  said: string | MessageContent,
  place: { readonly taskId?: string } = {},
): Promise<readonly A2aStep[]> {
  const asked = typeof said === 'string' ? message(said) : said;
  const steps: A2aStep[] = [];
  const isOver = ({ status }: A2aStep['task']): boolean =>
    ['completed', 'failed', 'canceled', 'rejected', 'input-required'].includes(status.state);
  for await (const step of agent.follow({ send: { message: asked, ...place } }, { isOver })) {
    if (!('type' in step)) steps.push(step);
  }
  return steps;
}
