// Owns which of the addresses where it listens an agent tells to others. SPEC.md section 10 (#agent-document).

import type { AgentFacts, Listener } from '../transport.ts';

/** Addresses that others can dial: not a path of this machine, nor every address of it. */
const NETWORK = /^(https?|wss?):\/\/(?!0\.0\.0\.0|\[::\])/;

/** Those of every dialect. */
export function endpointsOf(listeners: readonly Listener[]): AgentFacts['endpoints'] {
  return listeners
    .flatMap((listener) => [listener, ...(listener.faces ?? [])])
    .flatMap(({ name, urls }) => urls.map((url) => ({ name, url })))
    .filter(({ url }) => NETWORK.test(url));
}

/** Those for envelopes. */
export function envelopeUrls(listeners: readonly Listener[]): readonly string[] {
  return listeners
    .filter(({ isFace = false }) => !isFace)
    .flatMap(({ urls }) => urls)
    .filter((url) => NETWORK.test(url));
}
