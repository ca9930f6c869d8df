// Owns how a refusal is told over gRPC: a code, words, and `google.rpc.Status` with its details. SPEC.md section 20
// (#a2a-errors, #a2a-grpc).

import type { JsonObject } from '../../../src/door/index.ts';
import type { A2aError } from '../errors/a2a-error.ts';
import { errorDetails, TYPES } from '../errors/forms.ts';
import type { Profile } from '../errors/kinds.ts';
import { RPC_CODES, rpcStatusOf } from '../errors/kinds.ts';
import type { Table } from '../fields/table.ts';
import { defineTable } from '../fields/table.ts';
import { writeProtobuf } from '../protobuf/write.ts';

/** `google.rpc`, as far as it is told. */
export const RPC: Table = defineTable({
  package: 'google.rpc',
  enums: {},
  messages: {
    Status: { code: [1, 'int32'], message: [2, 'string'], details: [3, 'Any[]'] },
    Any: { typeUrl: [1, 'string'], value: [2, 'bytes'] },
    ErrorInfo: {
      reason: [1, 'string'],
      domain: [2, 'string'],
      metadata: [3, 'map<string,string>'],
    },
    BadRequest: { fieldViolations: [1, 'FieldViolation[]'] },
    FieldViolation: { field: [1, 'string'], description: [2, 'string'] },
    RetryInfo: { retryDelay: [1, 'Duration'] },
    Duration: { seconds: [1, 'int64'] },
  },
});

/** Clients take about eight kilobytes of metadata, and a character may need nine of them. */
const MAX_WORDS = 400;
const LONE_SURROGATE = /\p{Surrogate}/gu;

export interface ToldStatus {
  readonly code: number;
  readonly details: string;
  /** For `grpc-status-details-bin`. */
  readonly bytes: Buffer;
}

export function toldStatus(error: A2aError, profile: Profile): ToldStatus {
  const code = RPC_CODES[rpcStatusOf(error.kind, profile)];
  const details = wordsOf(error);
  const status = { code, message: details, details: errorDetails(error).map(anyOf) };
  return { code, details, bytes: writeProtobuf(RPC, 'Status', status) };
}

function anyOf({ '@type': type, ...detail }: JsonObject): JsonObject {
  const message = (type as string).slice(`${TYPES}.`.length);
  const { retryDelay, ...rest } = detail;
  const value =
    retryDelay === undefined
      ? rest
      : { retryDelay: { seconds: Number.parseInt(retryDelay as string, 10) } };
  const bytes = writeProtobuf(RPC, message, value);
  return { typeUrl: type!, value: bytes.toString('base64') };
}

function wordsOf({ words }: A2aError): string {
  const cut = words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
  return cut.replaceAll(LONE_SURROGATE, '\ufffd');
}
