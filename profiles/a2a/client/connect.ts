// Owns the way to one agent of official A2A: found by its card, spoken to at the address that was chosen.
// SPEC.md section 20 (#a2a-client-connect, #a2a-client-sealed).

import type { A2aAgent } from './agent.ts';
import type { DiscoveredAgent } from './discovery/discover.ts';
import { discover } from './discovery/discover.ts';
import type { A2aClientOptions, ResolvedClientOptions } from './options.ts';
import { resolveClientOptions } from './options.ts';
import { createA2aAgent } from './spoken-agent.ts';

/**
 * The agent behind an address that the operator typed: of its card, of its host, or below which its card is. Throws a
 * TransportError where there is none, an SdlError for a card that does not hold or names no address that can be used, a
 * SealedError where it has to be sealed to and cannot be.
 */
export async function connectA2a(
  url: string,
  options: A2aClientOptions & { readonly signal?: AbortSignal } = {},
): Promise<A2aAgent> {
  const { signal = new AbortController().signal, ...client } = options;
  const resolved = resolveClientOptions(client);
  const found = await discover(url, resolved, signal);
  return orSealed(found, url, resolved);
}

/** What can seal is loaded only where somebody seals. */
async function orSealed(
  found: DiscoveredAgent,
  typed: string,
  client: ResolvedClientOptions,
): Promise<A2aAgent> {
  const { sealing } = client;
  const { identity, policy } = sealing;
  if (identity === undefined && policy !== 'require') {
    return createA2aAgent(found, client, 'nobody here seals');
  }
  const [{ whomToSealTo }, { ReachedAgents }, { createSealedAgent }] = await Promise.all([
    import('./sealing/whom.ts'),
    import('./sealing/reached.ts'),
    import('./sealing/sealed-agent.ts'),
  ]);
  const reached = new ReachedAgents(sealing.places());
  const whom = await whomToSealTo(found, typed, sealing, reached, client.now);
  const reason = 'reason' in whom ? whom.reason : '';
  const agent = createA2aAgent(found, client, reason);
  if ('reason' in whom || identity === undefined) return agent;
  return createSealedAgent(agent, { ...whom, identity, sealing, typed, client });
}
