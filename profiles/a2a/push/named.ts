// Owns web hooks as named resources, in the wires of 0.3 over REST and of the draft: `tasks/X/pushNotificationConfigs/Y`.
// SPEC.md section 20 (#a2a-push).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import { invalidInput } from '../errors/a2a-error.ts';
import type { Fields } from '../fields/read.ts';
import { readFields } from '../fields/read.ts';
import type { Table } from '../fields/table.ts';
import { writeFields } from '../fields/write.ts';
import { textIn } from '../wires/requests.ts';
import type { HookWire, PushConfig, ShownPush } from './config.ts';
import type { PushWire } from './wire.ts';
import { configIn, pageOf } from './wire.ts';

const CONFIG = 'TaskPushNotificationConfig';
const TASK = /^tasks\/(.+)$/s;
/** Clients that let the receiver make the id name it with nothing at the end. */
const NAME = /^tasks\/(.+?)\/pushNotificationConfigs(?:\/(.*))?$/s;

export function nameOf(taskId: string, configId: string): string {
  return `tasks/${taskId}/pushNotificationConfigs/${configId}`;
}

/** @param requests the messages of the table: who asks for one hook, and who asks for a list. */
export function namedPush(
  table: Table,
  wire: HookWire,
  requests: { readonly one: string; readonly list: string },
): PushWire {
  const writePush = ({ taskId, id, url, token, schemes }: ShownPush): JsonObject =>
    writeFields(table, CONFIG, {
      name: nameOf(taskId, id),
      pushNotificationConfig: {
        id,
        url,
        ...(token !== undefined && { token }),
        ...(schemes !== undefined && { authentication: { schemes } }),
      },
    });
  return {
    listQuery: requests.list,
    readPush: (value) => {
      const { path, config } = configOf(value);
      const fields = readFields(table, CONFIG, config, path.replace(/\.$/, ''));
      const inner = (fields['pushNotificationConfig'] ?? {}) as Fields;
      const read = configIn(inner, wire, `${path}pushNotificationConfig.`);
      return { ...placeOf(value, fields, read), ...tenantIn(value) };
    },
    readRef: (value) => {
      const { name } = readFields(table, requests.one, value);
      const [, taskId = '', configId = ''] = NAME.exec((name ?? '') as string) ?? [];
      if (taskId === '' || configId === '') throw wrongName('name');
      return { taskId, configId, ...tenantIn(value) };
    },
    readPage: (value) => {
      const request = readFields(table, requests.list, value);
      const [, taskId = ''] = TASK.exec((request['parent'] ?? '') as string) ?? [];
      if (taskId === '') throw wrongParent();
      return { taskId, ...tenantIn(value), ...pageOf(request) };
    },
    writePush,
    writePage: ({ configs, nextPageToken }) => ({ configs: configs.map(writePush), nextPageToken }),
    dropped: {},
  };
}

/** As a member of the request, as the request itself, or bare: clients do each of these. */
function configOf(value: JsonObject): { readonly path: string; readonly config: JsonValue } {
  if (isThere(value['config'])) return { path: 'config.', config: value['config'] };
  const { pushNotificationConfig, name, url } = value;
  if (isThere(pushNotificationConfig) || !isThere(url)) return { path: '', config: value };
  const named = name === undefined ? {} : { name };
  return { path: '', config: { ...named, pushNotificationConfig: value } };
}

/** Which hook of which task: all that say so must say the same. */
function placeOf(
  value: JsonObject,
  { name = '' }: Fields,
  config: PushConfig,
): { readonly taskId: string; readonly config: PushConfig } {
  const { parent = '', configId = '' } = value;
  if (typeof parent !== 'string' || typeof configId !== 'string') throw wrongParent();
  const [, inParent] = TASK.exec(parent) ?? [];
  if (parent !== '' && inParent === undefined) throw wrongParent();
  const [, inName, idInName = ''] = NAME.exec(name as string) ?? [];
  if (name !== '' && inName === undefined) throw wrongName('name');
  const taskId = theOne([inParent, inName], 'name', 'is not of this task');
  if (taskId === undefined) throw wrongParent();
  const ids = [configId, idInName, config.id].filter((id) => id !== '');
  const id = theOne(ids, 'name', 'does not end with the id of the config');
  return { taskId, config: { ...config, ...(id !== undefined && { id }) } };
}

function theOne(
  said: readonly (string | undefined)[],
  field: string,
  description: string,
): string | undefined {
  const [first, ...others] = new Set(said.filter((one) => one !== undefined));
  if (others.length > 0) throw invalidInput([{ field, description }]);
  return first;
}

function tenantIn(value: JsonObject): { readonly tenant?: string } {
  return textIn(value as Fields, 'tenant');
}

function isThere(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && (isJsonObject(value) || value !== '');
}

function wrongName(field: string): Error {
  const description = 'expected a name such as tasks/ID/pushNotificationConfigs/ID';
  return invalidInput([{ field, description }]);
}

function wrongParent(): Error {
  return invalidInput([{ field: 'parent', description: 'expected tasks/ and the id of the task' }]);
}
