// Owns how the operations of ACTS become requests of A2A 1.0, which every binding then says in its own way.

import { randomUUID } from 'node:crypto';

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { members } from './document.ts';

export type Method =
  | 'SendMessage'
  | 'SendStreamingMessage'
  | 'GetTask'
  | 'ListTasks'
  | 'CancelTask'
  | 'SubscribeToTask'
  | 'CreateTaskPushNotificationConfig'
  | 'GetTaskPushNotificationConfig'
  | 'ListTaskPushNotificationConfigs'
  | 'DeleteTaskPushNotificationConfig'
  | 'GetExtendedAgentCard';

/** `card`: the public one, which is no operation of a binding. */
export type Asked = { readonly method: Method; readonly request: JsonObject } | 'card';

export const STREAMS: ReadonlySet<Method> = new Set(['SendStreamingMessage', 'SubscribeToTask']);

/** The message of the protocol that comes back; nothing from one. */
export const ANSWERS: Readonly<Record<Method, string | undefined>> = {
  SendMessage: 'SendMessageResponse',
  SendStreamingMessage: 'StreamResponse',
  GetTask: 'Task',
  ListTasks: 'ListTasksResponse',
  CancelTask: 'Task',
  SubscribeToTask: 'StreamResponse',
  CreateTaskPushNotificationConfig: 'TaskPushNotificationConfig',
  GetTaskPushNotificationConfig: 'TaskPushNotificationConfig',
  ListTaskPushNotificationConfigs: 'ListTaskPushNotificationConfigsResponse',
  DeleteTaskPushNotificationConfig: undefined,
  GetExtendedAgentCard: 'AgentCard',
};

const MESSAGES: Readonly<Record<string, Method>> = {
  send_message: 'SendMessage',
  send_streaming_message: 'SendStreamingMessage',
};
/** Whose params are the request. */
const PLAIN: Readonly<Record<string, readonly [Method, readonly string[]]>> = {
  get_task: ['GetTask', ['id', 'historyLength']],
  list_tasks: ['ListTasks', ['contextId', 'includeArtifacts']],
  cancel_task: ['CancelTask', ['id']],
  subscribe_to_task: ['SubscribeToTask', ['id']],
  get_push_notification_config: ['GetTaskPushNotificationConfig', ['taskId', 'id']],
  list_push_notification_configs: ['ListTaskPushNotificationConfigs', ['taskId']],
  delete_push_notification_config: ['DeleteTaskPushNotificationConfig', ['taskId', 'id']],
};

export function askedBy(operation: string, params: JsonObject): Asked {
  const plain = PLAIN[operation];
  if (plain !== undefined) {
    const [method, known] = plain;
    members(params, operation, known);
    return { method, request: params };
  }
  const sending = MESSAGES[operation];
  if (sending !== undefined) return { method: sending, request: sendRequest(params, operation) };
  switch (operation) {
    case 'set_push_notification_config': {
      const { taskId, pushNotificationConfig } = members(params, operation, [
        'taskId',
        'pushNotificationConfig',
      ]);
      const config = pushNotificationConfig as JsonObject;
      const request = { taskId: taskId as JsonValue, ...config };
      return { method: 'CreateTaskPushNotificationConfig', request };
    }
    case 'get_agent_card': {
      const { extended } = members(params, operation, ['extended']);
      return extended === true ? { method: 'GetExtendedAgentCard', request: {} } : 'card';
    }
    default:
      throw new Error(`there is no operation "${operation}"`);
  }
}

/** What stands beside the message belongs into it. */
function sendRequest(params: JsonObject, operation: string): JsonObject {
  const known = ['message', 'configuration', 'taskId', 'contextId'];
  const { message, configuration, taskId, contextId } = members(params, operation, known);
  return {
    message: {
      messageId: randomUUID(),
      ...(message as JsonObject),
      ...(taskId !== undefined && { taskId }),
      ...(contextId !== undefined && { contextId }),
    },
    ...(configuration !== undefined && { configuration }),
  };
}

/** Messages of raw requests have no id, which the protocol demands. */
export function withMessageId(body: JsonObject): JsonObject {
  const params = body['params'] as JsonObject | undefined;
  const message = params?.['message'] as JsonObject | undefined;
  if (message === undefined) return body;
  return {
    ...body,
    params: { ...params, message: { messageId: randomUUID(), ...message } },
  };
}
