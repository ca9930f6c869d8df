// Owns the methods of JSON-RPC in each wire, and which wire a request is of. SPEC.md section 20 (#a2a-versions).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import type { OperationName } from '../operations/inputs.ts';
import type { WireName } from '../wires/wire.ts';
import type { AskedVersion } from './version.ts';

type RpcWire = Exclude<WireName, 'v03-rest'>;
type Methods = Readonly<Record<string, OperationName>>;

const COMMON: Methods = {
  SendMessage: 'send',
  SendStreamingMessage: 'stream',
  GetTask: 'get',
  ListTasks: 'list',
  CancelTask: 'cancel',
  SubscribeToTask: 'subscribe',
  GetTaskPushNotificationConfig: 'getPush',
  DeleteTaskPushNotificationConfig: 'deletePush',
  GetExtendedAgentCard: 'extendedCard',
};

/** Also the calls of gRPC. */
export const METHODS_V1: Methods = {
  ...COMMON,
  CreateTaskPushNotificationConfig: 'createPush',
  ListTaskPushNotificationConfigs: 'listPush',
};

const METHODS: Readonly<Record<RpcWire, Methods>> = {
  v1: METHODS_V1,
  draft: {
    ...COMMON,
    SetTaskPushNotificationConfig: 'createPush',
    ListTaskPushNotificationConfig: 'listPush',
  },
  'v03-jsonrpc': {
    'message/send': 'send',
    'message/stream': 'stream',
    'tasks/get': 'get',
    'tasks/cancel': 'cancel',
    'tasks/resubscribe': 'subscribe',
    'tasks/pushNotificationConfig/set': 'createPush',
    'tasks/pushNotificationConfig/get': 'getPush',
    'tasks/pushNotificationConfig/list': 'listPush',
    'tasks/pushNotificationConfig/delete': 'deletePush',
    'agent/getAuthenticatedExtendedCard': 'extendedCard',
  },
};

/** `undefined` for a method that the wire does not have. */
export function operationOf(wire: RpcWire, method: string): OperationName | undefined {
  const methods = METHODS[wire];
  return Object.hasOwn(methods, method) ? methods[method] : undefined;
}

/** The name of an operation, for who asks. Throws a TypeError for one that the wire does not have. */
export function methodOf(wire: RpcWire, operation: OperationName): string {
  const methods = METHODS[wire];
  const method = Object.keys(methods).find((name) => methods[name] === operation);
  if (method === undefined) throw new TypeError(`the wire has no method for "${operation}"`);
  return method;
}

/** @param version one that is supported, or none. */
export function rpcWireOf(
  version: Exclude<AskedVersion, 'other'>,
  method: string,
  params: JsonValue | undefined,
): RpcWire {
  if (version === '1.0') return 'v1';
  const [only, ...more] = (Object.keys(METHODS) as RpcWire[]).filter(
    (wire) => operationOf(wire, method) !== undefined,
  );
  if (only !== undefined && more.length === 0) return only;
  if (method.includes('/')) return 'v03-jsonrpc';
  return version === '0.3' || isOfDraft(params) ? 'draft' : 'v1';
}

/** It has a shape that 1.0 does not know. */
function isOfDraft(params: JsonValue | undefined): boolean {
  if (!isJsonObject(params)) return false;
  const { message, configuration, name, parent } = params;
  return (
    isThere(name) ||
    isThere(parent) ||
    (isJsonObject(message) && isDraftMessage(message)) ||
    (isJsonObject(configuration) &&
      (isThere(configuration['blocking']) || isThere(configuration['pushNotificationConfig'])))
  );
}

function isDraftMessage({ role, parts }: JsonObject): boolean {
  if (role === 'user' || role === 'agent') return true;
  if (!Array.isArray(parts)) return false;
  return (parts as readonly JsonValue[]).some(
    (part) => isJsonObject(part) && isThere(part['file']),
  );
}

function isThere(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}
