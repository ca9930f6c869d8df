// Owns how a task gets to its upstream: one that cannot be found is waited for. SPEC.md section 20.2 (#bridge-choice,
// #bridge-failures).

import { BackOff } from '../../../src/client/index.ts';
import { SdlError, TaskError } from '../../../src/door/index.ts';
import type { A2aAgent } from '../client/agent.ts';
import { neverReached, notFollowed } from './failures.ts';
import type { BridgeParts } from './parts.ts';
import { notice, patienceOf } from './parts.ts';
import type { Upstreams } from './upstreams.ts';

export async function connected(
  parts: Omit<BridgeParts, 'agent'>,
  upstreams: Upstreams,
): Promise<A2aAgent> {
  const { ctx, upstream, teller } = parts;
  const { signal } = ctx;
  const { doubtMs: _doubt, ...patience } = patienceOf(parts);
  const backOff = new BackOff({
    ...patience,
    isKnown: true,
    // Nothing was asked of it yet: what is wrong may be mended meanwhile, but for a card that does not hold.
    isPassing: (thrown) => !(thrown instanceof SdlError),
    onAway: () => notice(parts, 'cannot be found'),
  });
  for (;;) {
    try {
      return await upstreams.connect(upstream, signal);
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      await backOff.after(thrown).catch(() => {
        throw explained(thrown, parts);
      });
    }
    if (signal.aborted) throw signal.reason;
  }

  function explained(thrown: unknown, { upstream: { name } }: typeof parts): unknown {
    if (thrown instanceof SdlError) {
      const words = `the card of ${name} cannot be used (${thrown.code})`;
      return new TaskError(words, { code: 'UPSTREAM_REFUSED', cause: thrown });
    }
    const { taskId, sending } = teller.kept;
    const isSent = taskId !== undefined || sending !== undefined;
    return isSent ? notFollowed(name, thrown) : neverReached(name, thrown);
  }
}
