// Owns what is known of a message whose answer did not come back: it has not arrived, it was refused, or nobody can tell.
// The client and the bridge judge by the same. SPEC.md sections 20.1 and 20.2 (#a2a-client-retries, #bridge-doubt).

import { TransportError } from '../../../src/transport.ts';
import { A2aRemoteError } from './remote-error.ts';

const RATE = 429;
const UNAVAILABLE = 503;

/** A message was sent, and whether the agent works on it is not known. */
export class OutcomeUnknownError extends TransportError {}

/** It was not taken: nothing was sent, or it was turned away before anything was done. */
export function hasNotArrived(thrown: unknown): boolean {
  if (thrown instanceof TransportError)
    return thrown.fault === 'unreachable' || isForbidden(thrown);
  return (
    thrown instanceof A2aRemoteError && (thrown.status === RATE || thrown.status === UNAVAILABLE)
  );
}

/** The rules here do not allow the address: nothing was sent, and nothing ever will be. */
export function isForbidden(thrown: unknown): thrown is TransportError {
  return thrown instanceof TransportError && thrown.fault === 'forbidden';
}

/** The agent itself said no, and why. What a server on the way says of itself is no such word. */
export function isRefusal(thrown: unknown): thrown is A2aRemoteError {
  return thrown instanceof A2aRemoteError && (thrown.isSpoken || (thrown.status ?? 0) < 500);
}

/** What is thrown for a message that was sent: where nobody can tell what became of it, that is said. */
export function doubted(thrown: unknown): unknown {
  if (hasNotArrived(thrown) || isRefusal(thrown)) return thrown;
  if (thrown instanceof A2aRemoteError) {
    const words = `the answer has status ${thrown.status} and is no word of the agent`;
    return new OutcomeUnknownError('protocol', `${words}: outcome unknown`, thrown);
  }
  if (!(thrown instanceof TransportError)) return thrown;
  const { fault, message } = thrown;
  if (fault !== 'lost' && fault !== 'timeout' && fault !== 'protocol') return thrown;
  return new OutcomeUnknownError(fault, `${message}: outcome unknown`, thrown);
}
