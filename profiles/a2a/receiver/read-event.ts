// Owns what a notification tells, in the words of whatever wire it came in. SPEC.md section 20 (#a2a-hook-receiver,
// #a2a-push-delivery).

import type { JsonObject } from '../../../src/door/index.ts';
import { TransportError, isJsonObject, readJson, resolveLimits } from '../../../src/transport.ts';
import { A2A_TYPE } from '../bindings/media.ts';
import type { SpokenVersion } from '../client/discovery/choose.ts';
import type { A2aEvent } from '../client/model.ts';
import { readEvent } from '../client/reading/read-frames.ts';
import { DRAFT_SHAPE } from '../wires/draft/wire.ts';
import type { Shape } from '../wires/shape.ts';
import { V03_JSONRPC_SHAPE } from '../wires/v03/jsonrpc-wire.ts';
import { V1_SHAPE } from '../wires/v1/wire.ts';

const SHAPES: Readonly<Record<SpokenVersion, Shape>> = {
  '1.0': V1_SHAPE,
  '0.3': V03_JSONRPC_SHAPE,
  draft: DRAFT_SHAPE,
};

export interface ToldEvent {
  readonly event: A2aEvent;
  readonly version: SpokenVersion;
}

/** In words that hold nothing of the body. */
export class UnreadableHook extends Error {
  override readonly name = 'UnreadableHook';
}

/** @param said of its headers. Throws an {@link UnreadableHook}. */
export function readHookEvent(
  bytes: Uint8Array,
  said: { readonly version: string; readonly type: string; readonly maxBytes: number },
): ToldEvent {
  const value = objectIn(bytes, said.maxBytes);
  let fault: unknown;
  for (const version of versionsOf(said.version, said.type, value)) {
    try {
      return { event: readEvent(SHAPES[version], value), version };
    } catch (thrown) {
      if (!(thrown instanceof TransportError)) throw thrown;
      fault ??= thrown;
    }
  }
  const words = fault instanceof Error ? fault.message.replace(/^.*can be read: /, '') : '';
  throw new UnreadableHook(`the body is no event of A2A: ${words}`);
}

function objectIn(bytes: Uint8Array, maxBytes: number): JsonObject {
  let value;
  try {
    value = readJson(bytes, resolveLimits({ maxBytes }));
  } catch {
    throw new UnreadableHook('the body is no JSON that can be used');
  }
  if (!isJsonObject(value)) throw new UnreadableHook('the body is no JSON object');
  return value;
}

/** Which wires it may be of, the likeliest first. Not every sender says its version. */
function versionsOf(version: string, type: string, { kind }: JsonObject): readonly SpokenVersion[] {
  const [, short] = /^(\d+\.\d+)(?:\.\d+)?$/.exec(version.trim()) ?? [];
  if (short === '1.0') return ['1.0'];
  if (short === '0.3') return type === A2A_TYPE && kind === undefined ? ['draft', '0.3'] : ['0.3'];
  if (version !== '') throw new UnreadableHook('this version of A2A is not spoken here');
  return typeof kind === 'string' ? ['0.3'] : ['1.0', 'draft', '0.3'];
}

export function taskIdOf(event: A2aEvent): string | undefined {
  if (event.type === 'task') return event.task.id;
  return event.type === 'message' ? undefined : event.taskId;
}
