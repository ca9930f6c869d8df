// Owns how an upstream hears that nobody wants its task any more. SPEC.md section 20.2 (#bridge-cancel).

import type { HandedPart } from '../../../src/door/index.ts';
import { A2aRemoteError } from '../client/remote-error.ts';
import { upstreamIn } from './teller.ts';
import type { Upstreams } from './upstreams.ts';

/** Throws where it has to be tried again. */
export async function cancelHanded(
  { agentId, id }: HandedPart,
  upstreams: Upstreams,
  signal: AbortSignal,
): Promise<void> {
  const upstream = upstreams.named(upstreamIn(agentId));
  // The operator has taken it away: nobody knows any more where it is.
  if (upstream === undefined) return;
  const agent = await upstreams.connect(upstream, signal);
  try {
    await agent.cancel(id, { signal });
  } catch (thrown) {
    // It has ended by itself, or is gone.
    if (!(thrown instanceof A2aRemoteError) || thrown.retryable) throw thrown;
  }
}
