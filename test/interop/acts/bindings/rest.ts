// Owns requests over REST.

import type { JsonObject, JsonValue } from '../../../../src/codec/value.ts';
import type { ToldError } from '../errors.ts';
import { nameOf } from '../errors.ts';
import { ActsFailure } from '../judge.ts';
import type { Method } from '../requests.ts';
import type { Binding } from './binding.ts';
import { ask, dataOf, isStream, post } from './http.ts';

interface Route {
  readonly verb: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** The members of the request that are in neither path nor query. */
  readonly body?: JsonObject;
}

export function rest(url: string): Binding {
  const send = (method: Method, request: JsonObject, token?: string, accept?: string) => {
    const { verb, path, body } = routeOf(method, request);
    return body === undefined
      ? ask(verb, url + path, token, accept)
      : post(url + path, body, token, accept);
  };
  return {
    name: 'rest',
    call: async (method, request, token) => {
      const response = await send(method, request, token);
      const { status, headers } = response;
      const body = (await response.json()) as JsonObject;
      const told = response.ok ? { value: body } : { error: toldBy(response, body) };
      return { status, headers, ...told };
    },
    stream: async (method, request, token) => {
      const response = await send(method, request, token, 'text/event-stream');
      if (isStream(response)) return { events: dataOf(response) };
      if (response.ok) throw new ActsFailure('the stream is none');
      return { error: toldBy(response, (await response.json()) as JsonObject) };
    },
    close: () => undefined,
  };
}

function routeOf(method: Method, request: JsonObject): Route {
  const { id, taskId, ...others } = request;
  const task = `/tasks/${encodeURIComponent((taskId ?? id) as string)}`;
  const configs = `${task}/pushNotificationConfigs`;
  const config = `${configs}/${encodeURIComponent(id as string)}`;
  switch (method) {
    case 'SendMessage':
      return { verb: 'POST', path: '/message:send', body: request };
    case 'SendStreamingMessage':
      return { verb: 'POST', path: '/message:stream', body: request };
    case 'GetTask':
      return { verb: 'GET', path: task + queryOf(others) };
    case 'ListTasks':
      return { verb: 'GET', path: `/tasks${queryOf(others)}` };
    case 'CancelTask':
      return { verb: 'POST', path: `${task}:cancel` };
    case 'SubscribeToTask':
      return { verb: 'GET', path: `${task}:subscribe` };
    case 'CreateTaskPushNotificationConfig':
      return { verb: 'POST', path: configs, body: id === undefined ? others : { ...others, id } };
    case 'ListTaskPushNotificationConfigs':
      return { verb: 'GET', path: configs };
    case 'GetTaskPushNotificationConfig':
      return { verb: 'GET', path: config };
    case 'DeleteTaskPushNotificationConfig':
      return { verb: 'DELETE', path: config };
    default:
      return { verb: 'GET', path: '/extendedAgentCard' };
  }
}

function queryOf(members: JsonObject): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) query.set(name, textOf(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

function toldBy(response: Response, body: JsonObject): ToldError {
  const { code, message, details } = (body['error'] ?? {}) as JsonObject;
  if (code !== response.status || typeof message !== 'string') {
    throw new ActsFailure(`no refusal of 1.0: ${response.status} ${JSON.stringify(body)}`);
  }
  return { name: nameOf('rest', response.status, details), message, data: details };
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
