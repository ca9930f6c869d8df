// Owns how an operation is asked for over REST: its method, its path, its query and its body. SPEC.md section 20
// (#a2a-client-wires).

import type { JsonObject } from '../../../../src/door/index.ts';
import type { OperationName } from '../../operations/inputs.ts';
import type { Shape } from '../../wires/shape.ts';
import type { Asked } from './asked.ts';
import { paramsOf } from './params.ts';

export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With its query; to be put behind the address of the interface. */
  readonly path: string;
  readonly body?: JsonObject;
}

const CONFIGS = 'pushNotificationConfigs';

export function restRequestOf<Name extends OperationName>(
  operation: Name,
  asked: Asked[Name],
  shape: Shape,
  tenant: string | undefined,
): RestRequest {
  const params = paramsOf(operation, asked, shape, undefined);
  const request = requestOf(operation, asked, params, shape);
  return { ...request, path: `${prefixOf(shape, tenant)}${request.path}` };
}

function prefixOf({ name }: Shape, tenant: string | undefined): string {
  if (name === 'v03-rest') return '/v1';
  return tenant === undefined ? '' : `/${encodeURIComponent(tenant)}`;
}

function requestOf(
  operation: OperationName,
  asked: Asked[OperationName],
  params: JsonObject,
  { name }: Shape,
): RestRequest {
  const { id = '', taskId = '' } = (asked ?? {}) as {
    readonly id?: string;
    readonly taskId?: string;
  };
  const task = `/tasks/${encodeURIComponent(taskId === '' ? id : taskId)}`;
  switch (operation) {
    case 'send':
      return { method: 'POST', path: '/message:send', body: params };
    case 'stream':
      return { method: 'POST', path: '/message:stream', body: params };
    case 'get': {
      const { id: _inPath, ...query } = params;
      return { method: 'GET', path: `${task}${queryOf(query)}` };
    }
    case 'list':
      return { method: 'GET', path: `/tasks${queryOf(params)}` };
    case 'cancel':
      return { method: 'POST', path: `${task}:cancel`, body: {} };
    case 'subscribe':
      // 0.3 and the draft say GET in their definitions; servers of 0.3 know no other.
      return name === 'v1'
        ? { method: 'POST', path: `${task}:subscribe`, body: {} }
        : { method: 'GET', path: `${task}:subscribe` };
    case 'createPush':
      return createPush(task, params, name);
    case 'listPush':
      return { method: 'GET', path: `${task}/${CONFIGS}` };
    case 'getPush':
    case 'deletePush': {
      const path = `${task}/${CONFIGS}/${encodeURIComponent(id)}`;
      return { method: operation === 'getPush' ? 'GET' : 'DELETE', path };
    }
    default:
      return { method: 'GET', path: name === 'v03-rest' ? '/card' : '/extendedAgentCard' };
  }
}

function createPush(task: string, params: JsonObject, name: Shape['name']): RestRequest {
  const path = `${task}/${CONFIGS}`;
  if (name !== 'draft') return { method: 'POST', path, body: params };
  const { configId, config } = params;
  const query = configId === undefined ? '' : queryOf({ configId });
  return { method: 'POST', path: `${path}${query}`, body: config as JsonObject };
}

function queryOf(params: JsonObject): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    query.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}
