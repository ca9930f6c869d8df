// Owns how a refusal is read in every form that agents use: JSON-RPC, `google.rpc.Status`, problem details, bare members,
// or a status of HTTP or gRPC alone. SPEC.md section 20 (#a2a-client-errors).

import type { JsonObject, JsonValue } from '../../../../src/door/index.ts';
import { isJsonObject } from '../../../../src/transport.ts';
import type { Kind } from '../../errors/kinds.ts';
import { KINDS, RPC_CODES } from '../../errors/kinds.ts';
import type { OperationName } from '../../operations/inputs.ts';
import { A2aRemoteError } from '../remote-error.ts';

const NAMES = Object.keys(KINDS) as Kind[];
/** Of those that share a code the first counts. */
const BY_RPC_CODE: ReadonlyMap<number, Kind> = new Map(
  NAMES.toReversed().map((kind) => [KINDS[kind].jsonRpc, kind]),
);
const SERVER_ERROR = -32_000;

const BY_STATUS: ReadonlyMap<number, Kind> = new Map<number, Kind>([
  [400, 'INVALID_PARAMS'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'METHOD_NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [409, 'ABORTED'],
  [413, 'TOO_LARGE'],
  [415, 'MEDIA_TYPE_NOT_SUPPORTED'],
  [421, 'WRONG_HOST'],
  [422, 'INVALID_PARAMS'],
  [429, 'RESOURCE_EXHAUSTED'],
  [501, 'UNSUPPORTED_OPERATION'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

const BY_RPC_STATUS: ReadonlyMap<number, Kind> = new Map<number, Kind>([
  [RPC_CODES.INVALID_ARGUMENT, 'INVALID_PARAMS'],
  [RPC_CODES.DEADLINE_EXCEEDED, 'DEADLINE_EXCEEDED'],
  [RPC_CODES.NOT_FOUND, 'METHOD_NOT_FOUND'],
  [RPC_CODES.PERMISSION_DENIED, 'PERMISSION_DENIED'],
  [RPC_CODES.RESOURCE_EXHAUSTED, 'RESOURCE_EXHAUSTED'],
  [RPC_CODES.FAILED_PRECONDITION, 'UNSUPPORTED_OPERATION'],
  [RPC_CODES.ABORTED, 'ABORTED'],
  [RPC_CODES.UNIMPLEMENTED, 'UNSUPPORTED_OPERATION'],
  [RPC_CODES.UNAVAILABLE, 'UNAVAILABLE'],
  [RPC_CODES.UNAUTHENTICATED, 'UNAUTHENTICATED'],
]);

/** What a status means for these: the agent knows the path, but not the task. */
const OF_TASKS: ReadonlySet<OperationName> = new Set([
  'get',
  'cancel',
  'subscribe',
  'createPush',
  'getPush',
  'listPush',
  'deletePush',
]);

/** The member `error` of an answer of JSON-RPC. @param status of HTTP. */
export function rpcRefusal(error: JsonObject, status: number): A2aRemoteError {
  const { code, message, data } = error;
  const rpcCode = typeof code === 'number' ? code : undefined;
  const named = kindNamedIn(data);
  return new A2aRemoteError({
    kind: named ?? kindOfCode(rpcCode, status),
    words: wordsOf(message, data),
    ...(rpcCode !== undefined && { rpcCode }),
    status,
    ...(data !== undefined && { data }),
    isRetryable: hasRetry(data),
  });
}

/** An answer of REST whose status is no success. @param body `undefined` where it is no JSON. */
export function restRefusal(
  status: number,
  body: JsonValue | undefined,
  operation: OperationName,
): A2aRemoteError {
  const told = body !== undefined && isJsonObject(body) ? body : {};
  const inner = isJsonObject(told['error'] ?? null) ? (told['error'] as JsonObject) : told;
  const data = inner['details'] ?? inner['data'];
  const code = typeof inner['code'] === 'number' && inner['code'] < 0 ? inner['code'] : undefined;
  const named = kindNamedIn(data) ?? kindOfProblem(inner['type']);
  return new A2aRemoteError({
    kind:
      named ??
      (code === undefined ? undefined : BY_RPC_CODE.get(code)) ??
      kindOfStatus(status, told, operation),
    words: wordsOf(inner['message'] ?? inner['detail'] ?? inner['title'], data, status),
    ...(code !== undefined && { rpcCode: code }),
    status,
    ...(data !== undefined && { data }),
    isRetryable: hasRetry(data) || inner['retryable'] === true,
  });
}

/** A call of gRPC whose status is no success. @param details of `google.rpc.Status`, where they can be read. */
export function grpcRefusal(
  code: number,
  words: string,
  details: readonly JsonObject[],
  operation: OperationName,
): A2aRemoteError {
  return new A2aRemoteError({
    kind: kindNamedIn(details) ?? kindOfWords(words) ?? kindOfRpc(code, operation),
    words: wordsOf(words, undefined),
    ...(details.length > 0 && { data: details }),
    isRetryable: hasRetry(details),
  });
}

/** Some agents begin with the name of the error, such as `TaskNotFoundError: `. */
function kindOfWords(words: string): Kind | undefined {
  const [, name = ''] = /^([A-Z][A-Za-z]{1,60})Error\b/.exec(words) ?? [];
  const kind = name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  return NAMES.find((known) => known === kind || known === `${kind}_ERROR`);
}

function kindOfRpc(code: number, operation: OperationName): Kind {
  if (code === RPC_CODES.NOT_FOUND && OF_TASKS.has(operation)) return 'TASK_NOT_FOUND';
  if (code === RPC_CODES.FAILED_PRECONDITION && operation === 'cancel')
    return 'TASK_NOT_CANCELABLE';
  return BY_RPC_STATUS.get(code) ?? 'INTERNAL_ERROR';
}

function kindOfCode(code: number | undefined, status: number): Kind {
  if (code !== undefined && code !== SERVER_ERROR && BY_RPC_CODE.has(code)) {
    return BY_RPC_CODE.get(code)!;
  }
  return (status === 200 ? undefined : BY_STATUS.get(status)) ?? 'INTERNAL_ERROR';
}

function kindOfStatus(status: number, body: JsonObject, operation: OperationName): Kind {
  const isToldOf = Object.keys(body).length > 0 && OF_TASKS.has(operation);
  if (status === 404 && isToldOf) return 'TASK_NOT_FOUND';
  if (status === 404 && operation === 'extendedCard') return 'EXTENDED_AGENT_CARD_NOT_CONFIGURED';
  if (status === 409 && operation === 'cancel') return 'TASK_NOT_CANCELABLE';
  return BY_STATUS.get(status) ?? (status >= 500 ? 'INTERNAL_ERROR' : 'INVALID_REQUEST');
}

/** `ErrorInfo.reason`, where it is one of the protocol or of this package. */
function kindNamedIn(details: JsonValue | undefined): Kind | undefined {
  for (const detail of listOf(details)) {
    const { reason } = detail;
    const kind = NAMES.find((name) => name === reason);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/** The last part of the address of a problem, such as `task-not-found`. */
function kindOfProblem(type: JsonValue | undefined): Kind | undefined {
  if (typeof type !== 'string') return undefined;
  const name = type
    .slice(type.lastIndexOf('/') + 1)
    .replaceAll('-', '_')
    .toUpperCase();
  return NAMES.find((kind) => kind === name);
}

function hasRetry(details: JsonValue | undefined): boolean {
  return listOf(details).some((detail) => detail['retryDelay'] !== undefined);
}

function listOf(details: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(details) ? (details as readonly JsonValue[]).filter(isJsonObject) : [];
}

/** In the words of the agent; where it has none, what its status says. */
function wordsOf(message: JsonValue | undefined, data: JsonValue | undefined, status = 0): string {
  const detail = data !== undefined && isJsonObject(data) ? data['detail'] : undefined;
  const words = [message, detail].flatMap((said) =>
    typeof said === 'string' && said !== '' ? [said] : [],
  );
  if (words.length > 0) return [...new Set(words)].join(': ');
  return status === 0 ? 'the agent does not say why' : `the agent answered with status ${status}`;
}
