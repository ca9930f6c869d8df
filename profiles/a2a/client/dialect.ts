// Owns official A2A as a dialect of a client: which names and addresses it knows, and an agent that is looked for when
// something is first asked of it. SPEC.md section 20 (#a2a-client-connect).

import type { Dialect } from '../../../src/client/index.ts';
import type { A2aAgent } from './agent.ts';
import { isCardUrl } from './discovery/card-places.ts';
import type { A2aClientOptions } from './options.ts';

const NAME = 'a2a';

export interface A2aDialectOptions extends A2aClientOptions {
  /** Agents by what they are called here: the address that the operator typed. @default none */
  readonly agents?: Readonly<Record<string, string>> | ((name: string) => string | undefined);
  /** Told of each agent that was found: its card, how that was proven, and which address of it is used and why. */
  readonly onConnect?: (agent: A2aAgent) => void;
}

/** The client's side of {@link a2a}. */
export function a2aDialect(options: A2aDialectOptions = {}): Dialect {
  const { agents = {}, onConnect, ...client } = options;
  const addressOf =
    typeof agents === 'function'
      ? agents
      : (name: string) => (Object.hasOwn(agents, name) ? agents[name] : undefined);
  return {
    dialect: NAME,
    claims: (target) => {
      if (isCardUrl(target) || addressOf(target) !== undefined) return 'certain';
      return /^https?:\/\//i.test(target) && URL.canParse(target) ? 'possible' : 'none';
    },
    // Who only listens loads nothing of it.
    connect: async (target, { limits, now, signal }) => {
      const [{ connectA2a }, { createForeignA2a }] = await Promise.all([
        import('./connect.ts'),
        import('./foreign-a2a.ts'),
      ]);
      const url = addressOf(target) ?? target;
      const agent = await connectA2a(url, { limits, now, ...client, signal });
      onConnect?.(agent);
      return createForeignA2a(agent, signal);
    },
  };
}
