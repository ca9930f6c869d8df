// Owns the parameters of every operation in every wire, as JSON: what JSON-RPC carries whole, and REST in path, query
// and body. SPEC.md section 20 (#a2a-client-wires).

import type { JsonObject, JsonValue } from '../../../../src/door/index.ts';
import type { Fields } from '../../fields/read.ts';
import { writeFields } from '../../fields/write.ts';
import type { OperationName } from '../../operations/inputs.ts';
import { messageForm } from '../../wires/forms.ts';
import type { Shape } from '../../wires/shape.ts';
import type { WireName } from '../../wires/wire.ts';
import type { A2aHook } from '../model.ts';
import type { Asked, AskedList, AskedMessage } from './asked.ts';

type Writers = {
  readonly [Name in OperationName]: (asked: Asked[Name], shape: Shape) => JsonObject;
};

/** The member of a configuration that holds a web hook. */
const HOOK_MEMBER: Readonly<Record<WireName, string>> = {
  v1: 'taskPushNotificationConfig',
  'v03-jsonrpc': 'pushNotificationConfig',
  'v03-rest': 'pushNotification',
  draft: 'pushNotificationConfig',
};

const WRITERS: Writers = {
  send: messageParams,
  stream: messageParams,
  get: ({ id, historyLength }) => present({ id, historyLength }),
  list: listParams,
  cancel: ({ id }) => ({ id }),
  subscribe: ({ id }) => ({ id }),
  createPush: ({ taskId, hook, isBare = false }, { name }) => {
    const config = hookForm(hook, name);
    if (name === 'v1') return { ...config, taskId };
    if (name === 'v03-jsonrpc') return { taskId, pushNotificationConfig: config };
    const resource = present({
      name: hook.id === undefined ? undefined : hookName(taskId, hook.id),
      pushNotificationConfig: config,
    });
    if (isBare) return resource;
    return present({ parent: `tasks/${taskId}`, configId: hook.id, config: resource });
  },
  getPush: hookParams,
  listPush: ({ taskId }, { name }) => {
    if (name === 'v1') return { taskId };
    return name === 'v03-jsonrpc' ? { id: taskId } : { parent: `tasks/${taskId}` };
  },
  deletePush: hookParams,
  extendedCard: () => ({}),
};

/** @param tenant that the card names for this interface. */
export function paramsOf<Name extends OperationName>(
  operation: Name,
  asked: Asked[Name],
  shape: Shape,
  tenant: string | undefined,
): JsonObject {
  const params = WRITERS[operation](asked, shape);
  const hasTenants = shape.name === 'v1' || shape.name === 'draft';
  return hasTenants && tenant !== undefined ? { tenant, ...params } : params;
}

function messageParams(asked: AskedMessage, shape: Shape): JsonObject {
  const { message, taskId, contextId, metadata } = asked;
  const place = {
    ...(taskId !== undefined && { taskId }),
    ...(contextId !== undefined && { contextId }),
  };
  const request: Fields = {
    message: messageForm(shape, message, place),
    ...(metadata !== undefined && { metadata }),
  };
  return {
    ...writeFields(shape.table, 'SendMessageRequest', request),
    configuration: configurationOf(asked, shape),
  };
}

function configurationOf(asked: AskedMessage, { name }: Shape): JsonObject {
  const { isWaiting = true, historyLength, acceptedOutputModes, hook } = asked;
  return present({
    acceptedOutputModes: acceptedOutputModes && [...acceptedOutputModes],
    historyLength,
    [HOOK_MEMBER[name]]: hook && hookForm(hook, name),
    ...(name === 'v1' ? { returnImmediately: !isWaiting } : { blocking: isWaiting }),
  });
}

function hookForm({ id, url, token, authentication }: A2aHook, wire: WireName): JsonObject {
  return present({
    id,
    url,
    token,
    authentication:
      authentication &&
      present({
        ...(wire === 'v1'
          ? { scheme: authentication.scheme }
          : { schemes: [authentication.scheme] }),
        credentials: authentication.credentials,
      }),
  });
}

function hookParams({ taskId, id }: Asked['getPush'], { name }: Shape): JsonObject {
  if (name === 'v1') return { taskId, id };
  return name === 'v03-jsonrpc'
    ? { id: taskId, pushNotificationConfigId: id }
    : { name: hookName(taskId, id) };
}

function hookName(taskId: string, id: string): string {
  return `tasks/${taskId}/pushNotificationConfigs/${id}`;
}

function listParams(asked: AskedList, { name, states }: Shape): JsonObject {
  const { contextId, state, since, pageSize, pageToken, historyLength, includeArtifacts } = asked;
  const from = since === undefined ? undefined : new Date(since).toISOString();
  return present({
    contextId,
    status: state && states[state],
    pageSize,
    pageToken,
    historyLength,
    statusTimestampAfter: from,
    // The draft had another name for it, and agents of it know one of the two.
    lastUpdatedAfter: name === 'draft' ? since : undefined,
    includeArtifacts,
  });
}

function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}
