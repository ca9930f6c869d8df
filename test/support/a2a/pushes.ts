// Owns web hooks in each wire and binding: how one is asked for, and what of it comes back.

import type { Json } from './ask.ts';
import { at } from './ask.ts';

/** A web hook in words of no wire. */
export interface PushWish {
  readonly id?: string;
  readonly url: string;
  readonly token?: string;
  readonly scheme?: string;
  readonly credentials?: string;
}

/** What comes back. */
export interface SeenPush {
  readonly id: Json | undefined;
  readonly url: Json | undefined;
  readonly token: Json | undefined;
  readonly scheme: Json | undefined;
  /** Never anything. */
  readonly credentials: Json | undefined;
}

type PushWire = 'v1' | 'v03' | 'draft';

const SOME: PushWish = { url: 'https://example.com/hook' };

/** As it stands in a message, or inside of the request that makes it. */
export function pushObject(wire: PushWire, push: PushWish): Readonly<Record<string, Json>> {
  const { id, url, token, scheme, credentials } = push;
  const named = wire === 'v1' ? { scheme: scheme ?? '' } : { schemes: [scheme ?? ''] };
  return {
    url,
    ...(id !== undefined && { id }),
    ...(token !== undefined && { token }),
    ...(scheme !== undefined && {
      authentication: { ...named, ...(credentials !== undefined && { credentials }) },
    }),
  };
}

/** The member of `configuration` that brings one. */
export function pushMember(wire: PushWire, binding: 'jsonrpc' | 'rest'): string {
  if (wire === 'v1') return 'taskPushNotificationConfig';
  return wire === 'v03' && binding === 'rest' ? 'pushNotification' : 'pushNotificationConfig';
}

export interface PushAsk {
  readonly operation: 'createPush' | 'getPush' | 'listPush' | 'deletePush';
  readonly id: string;
  readonly configId: string;
  readonly push?: PushWish | undefined;
  readonly filter?: Readonly<Record<string, string | number | boolean>> | undefined;
}

export function pushParams(wire: PushWire, ask: PushAsk): Readonly<Record<string, Json>> {
  const { operation, id, configId, push = SOME, filter = {} } = ask;
  const config = pushObject(wire, push);
  const isOne = operation === 'getPush' || operation === 'deletePush';
  if (wire === 'v1') {
    if (isOne) return { taskId: id, id: configId };
    return { taskId: id, ...(operation === 'listPush' ? filter : config) };
  }
  if (wire === 'draft') {
    const parent = `tasks/${id}`;
    if (isOne) return { name: `${parent}/pushNotificationConfigs/${configId}` };
    if (operation === 'listPush') return { parent, ...filter };
    const named = push.id === undefined ? {} : { configId: push.id };
    return { parent, ...named, config: { pushNotificationConfig: config } };
  }
  if (isOne) return { id, ...(configId !== '' && { pushNotificationConfigId: configId }) };
  return operation === 'listPush' ? { id } : { taskId: id, pushNotificationConfig: config };
}

/** What a POST over REST carries, and what stands in its query. */
export function pushBody(
  wire: PushWire,
  id: string,
  push: PushWish = SOME,
): { readonly body: Json; readonly query: string } {
  const config = pushObject(wire, push);
  if (wire === 'v1') return { body: config, query: '' };
  if (wire === 'v03') {
    const name = `tasks/${id}/pushNotificationConfigs/${push.id ?? ''}`;
    return { body: { name, pushNotificationConfig: config }, query: '' };
  }
  const query = push.id === undefined ? '' : `?configId=${encodeURIComponent(push.id)}`;
  return { body: { pushNotificationConfig: config }, query };
}

export function seenPush(wire: PushWire, shown: Json | undefined): SeenPush {
  const config = wire === 'v1' ? shown : at(shown, 'pushNotificationConfig');
  return {
    id: at(config, 'id'),
    url: at(config, 'url'),
    token: at(config, 'token'),
    scheme: at(config, wire === 'v1' ? 'authentication.scheme' : 'authentication.schemes.0'),
    credentials: at(config, 'authentication.credentials'),
  };
}
