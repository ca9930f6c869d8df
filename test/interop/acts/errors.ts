// Owns the names that ACTS has for errors, and how each binding tells them at 1.0.1. One that is told in two ways that do
// not fit together has no name.

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { isJsonObject } from '../../../src/codec/value.ts';

export interface ToldError {
  /** `undefined` for what ACTS has no name for. */
  readonly name: string | undefined;
  readonly message: string;
  /** As the binding tells them: a list, where there are any. */
  readonly data: JsonValue | undefined;
}

interface Row {
  readonly jsonrpc: number;
  readonly rest: number;
  readonly grpc: string;
  /** Of its ErrorInfo. */
  readonly reason: string;
}

const PRECONDITION = 'FAILED_PRECONDITION';
const ARGUMENT = 'INVALID_ARGUMENT';

const ROWS: Readonly<Record<string, Row>> = {
  TaskNotFoundError: row(-32_001, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'),
  TaskNotCancelableError: row(-32_002, 400, PRECONDITION, 'TASK_NOT_CANCELABLE'),
  PushNotificationNotSupportedError: row(
    -32_003,
    400,
    PRECONDITION,
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
  ),
  UnsupportedOperationError: row(-32_004, 400, PRECONDITION, 'UNSUPPORTED_OPERATION'),
  ContentTypeNotSupportedError: row(-32_005, 400, ARGUMENT, 'CONTENT_TYPE_NOT_SUPPORTED'),
  InvalidAgentResponseError: row(-32_006, 500, 'INTERNAL', 'INVALID_AGENT_RESPONSE'),
  ExtensionSupportRequiredError: row(-32_008, 400, PRECONDITION, 'EXTENSION_SUPPORT_REQUIRED'),
  VersionNotSupportedError: row(-32_009, 400, PRECONDITION, 'VERSION_NOT_SUPPORTED'),
  InvalidParamsError: row(-32_602, 400, ARGUMENT, 'INVALID_PARAMS'),
};

function row(jsonrpc: number, rest: number, grpc: string, reason: string): Row {
  return { jsonrpc, rest, grpc, reason };
}

/** @param code of JSON-RPC, status of HTTP, or name of the status of gRPC. */
export function nameOf<Binding extends 'jsonrpc' | 'rest' | 'grpc'>(
  binding: Binding,
  code: Row[Binding],
  data: JsonValue | undefined,
): string | undefined {
  const reason = reasonIn(data);
  const known = Object.entries(ROWS).find(
    ([, one]) => one[binding] === code && one.reason === reason,
  );
  return known?.[0];
}

/** Of its ErrorInfo, which stands first. */
function reasonIn(data: JsonValue | undefined): JsonValue | undefined {
  const [info] = Array.isArray(data) ? (data as readonly JsonValue[]) : [];
  const isInfo = isJsonObject(info) && info['@type'] === 'type.googleapis.com/google.rpc.ErrorInfo';
  return isInfo ? info['reason'] : undefined;
}

/** As the tests look at it. */
export function errorForm({ name, message, data }: ToldError): JsonObject {
  return {
    message,
    ...(name !== undefined && { code: name, error_type: name }),
    ...(data !== undefined && { data }),
  };
}
