// Owns how an exchange ends that its caller does not wait for any more. SPEC.md section 12 (#errors-transport).

import { TransportError } from '../../src/transport.ts';

/** `timeout` where the signal says that the time was over, `aborted` where the caller gave up. */
export function abortedError({ reason }: AbortSignal): TransportError {
  if (reason instanceof TransportError) return reason;
  return reason instanceof Error && reason.name === 'TimeoutError'
    ? new TransportError('timeout', 'there was no answer in time')
    : new TransportError('aborted', 'the exchange was aborted');
}
