// Owns the way to one agent of official A2A: found by its card, spoken to at the address that was chosen.
// SPEC.md section 20 (#a2a-client-connect).

import type { A2aAgent } from './agent.ts';
import { discover } from './discovery/discover.ts';
import type { A2aClientOptions } from './options.ts';
import { resolveClientOptions } from './options.ts';
import { createA2aAgent } from './spoken-agent.ts';

/**
 * The agent behind an address that the operator typed: of its card, of its host, or below which its card is. Throws a
 * TransportError where there is none, an SdlError for a card that does not hold or names no address that can be used.
 */
export async function connectA2a(
  url: string,
  options: A2aClientOptions & { readonly signal?: AbortSignal } = {},
): Promise<A2aAgent> {
  const { signal = new AbortController().signal, ...client } = options;
  const resolved = resolveClientOptions(client);
  return createA2aAgent(await discover(url, resolved, signal), resolved);
}
