// Owns what clients do with the web hooks of their tasks: make, look at, list and drop them. SPEC.md section 20
// (#a2a-push).

import type { CallContext, NewHook } from '../../../src/door/index.ts';
import { invalidInput, noSuchTask, refusal } from '../errors/a2a-error.ts';
import type { Desk } from '../operations/desk.ts';
import type { PushConfig, ShownPush } from './config.ts';
import { hookOf, shownPush } from './config.ts';
import type { PushInput, PushPage, PushPageInput, PushRef } from './wire.ts';

export async function createPush(
  desk: Desk,
  call: CallContext,
  { taskId, config }: PushInput,
): Promise<ShownPush> {
  // Servers of 0.3 name one without a name after its task, and replace it.
  const named = config.wire === 'v03' ? { id: taskId, ...config } : config;
  const hook = askedHook(desk, named);
  return shownPush(taskId, await desk.tasks.setHook(call, taskId, hook));
}

export async function getPush(
  desk: Desk,
  call: CallContext,
  { taskId, configId }: PushRef,
): Promise<ShownPush> {
  const hooks = await desk.tasks.hooks(call, taskId);
  const found =
    hooks.find(({ id }) => id === (configId ?? taskId)) ??
    (configId === undefined ? hooks[0] : undefined);
  if (found === undefined) throw noSuchTask();
  return shownPush(taskId, found);
}

export async function listPush(
  desk: Desk,
  call: CallContext,
  { taskId, pageSize, pageToken }: PushPageInput,
): Promise<PushPage> {
  const after = pageToken === undefined ? 0 : numberIn(pageToken);
  const hooks = (await desk.tasks.hooks(call, taskId)).filter(({ number }) => number > after);
  const page = hooks.slice(0, pageSize);
  return {
    configs: page.map((hook) => shownPush(taskId, hook)),
    nextPageToken: hooks.length > pageSize ? `after-${page.at(-1)!.number}` : '',
  };
}

/** Dropping one that is not there changes nothing. */
export async function deletePush(
  desk: Desk,
  call: CallContext,
  { taskId, configId }: PushRef,
): Promise<void> {
  if (configId === undefined) {
    throw invalidInput([{ field: 'pushNotificationConfigId', description: 'is required' }]);
  }
  await desk.tasks.dropHook(call, taskId, configId);
}

/** Throws INVALID_PARAMS for one that is not taken. */
export function askedHook({ push }: Desk, config: PushConfig): NewHook {
  if (push === undefined) throw noPush();
  return hookOf(config, push);
}

function numberIn(token: string): number {
  const [, digits] = /^after-(\d{1,9})$/.exec(token) ?? [];
  if (digits !== undefined) return Number(digits);
  throw invalidInput([{ field: 'pageToken', description: 'was not made here' }]);
}

export function noPush(): Error {
  return refusal(
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
    'CT_UNSUPPORTED',
    'push notifications are not supported here',
  );
}
