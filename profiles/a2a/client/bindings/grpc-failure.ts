// Owns what a call of gRPC that failed means: nobody was reached, the connection was lost, it was no answer, or the agent
// refused. SPEC.md section 20 (#a2a-client-errors, #a2a-client-retries).

import type { Limits } from '../../../../src/transport.ts';
import { TransportError } from '../../../../src/transport.ts';
import { connectionError } from '../../../../transports/fetch/exchange.ts';
import type { Metadata } from '../../grpc/package.ts';
import type { OperationName } from '../../operations/inputs.ts';
import { noAnswer } from '../reading/protocol-fault.ts';
import { grpcRefusal } from '../reading/read-refusal.ts';
import { readStatusDetails } from '../reading/read-status.ts';

/** How the package tells of a status. */
interface Failed extends Error {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

/** What the package says by itself when the other end goes, or says no gRPC. */
const LOST =
  /^(Connection dropped|Call cancelled|Stream refused by server|read ECONNRESET|.*ETIMEDOUT)/;
const GARBAGE =
  /^(Received RST_STREAM|Received HTTP status code 200|No status information|Too many responses|Bandwidth exhausted|Received compressed|Message compressed|Response message parsing)/;
const TOO_LARGE = /^Received message .*larger/;

/** Messages of TLS and of the network by their codes: the package tells no codes. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/self-signed certificate in/, 'SELF_SIGNED_CERT_IN_CHAIN'],
  [/self-signed certificate/, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  [/unable to verify the first certificate/, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  [/unable to get local issuer/, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  [/does not match certificate's altnames/, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  [/certificate has expired/, 'CERT_HAS_EXPIRED'],
  [/wrong version number/, 'ERR_SSL_WRONG_VERSION_NUMBER'],
  [/ECONNREFUSED/, 'ECONNREFUSED'],
];

export function failureOf(thrown: unknown, { wasReached, operation, limits }: FailedCall): unknown {
  if (!isStatus(thrown)) return thrown;
  const { code, details, metadata } = thrown;
  if (!wasReached) return unreached(details);
  const [bytes] = metadata.get('grpc-status-details-bin');
  if (!Buffer.isBuffer(bytes)) {
    if (LOST.test(details)) return new TransportError('lost', 'the connection was lost');
    if (TOO_LARGE.test(details)) return noAnswer(`it is larger than ${limits.maxBytes} bytes`);
    if (GARBAGE.test(details) || !Number.isInteger(code)) return noAnswer('it is none of gRPC');
  }
  const told = Buffer.isBuffer(bytes) ? readStatusDetails(bytes, limits) : [];
  return grpcRefusal(code, details, told, operation);
}

export interface FailedCall {
  /** Something of it may have been sent. */
  readonly wasReached: boolean;
  readonly operation: OperationName;
  readonly limits: Limits;
}

/** Of what the package says only the code is told: the rest may be what the other end sent. */
function unreached(details: string): TransportError {
  const code = CODES.find(([words]) => words.test(details))?.[1] ?? 'no code';
  return connectionError(Object.assign(new Error(details), { code }), false);
}

function isStatus(thrown: unknown): thrown is Failed {
  return thrown instanceof Error && 'metadata' in thrown && 'details' in thrown;
}
