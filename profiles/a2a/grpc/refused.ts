// Owns what gRPC refuses before the face is asked, in the words of A2A. SPEC.md section 20 (#a2a-grpc).

import type { A2aError } from '../errors/a2a-error.ts';
import { refusal } from '../errors/a2a-error.ts';
import { RPC_CODES } from '../errors/kinds.ts';

/** @param code of the status that the package would send. @default there is not one message */
export function refusedByGrpc(code: number = RPC_CODES.UNIMPLEMENTED): A2aError {
  switch (code) {
    case RPC_CODES.RESOURCE_EXHAUSTED:
      return refusal('TOO_LARGE', 'LIMIT_BYTES', 'the message is too large');
    case RPC_CODES.DEADLINE_EXCEEDED:
      return refusal('DEADLINE_EXCEEDED', 'DEADLINE', 'the deadline of the call is over');
    case RPC_CODES.UNIMPLEMENTED:
      // As the protocol of gRPC has it, for compression that is not known here, too.
      return refusal('METHOD_NOT_FOUND', 'ADDRESS_WRONG', 'one message is expected, as it is');
    default:
      return refusal('INVALID_REQUEST', 'ENVELOPE_INVALID', 'the call is none of gRPC');
  }
}
