// Owns what a task keeps of its `task.v1`: the payload as it came, and what messages that it sends later need, even after
// a restart. SPEC.md sections 2 and 10 (#trace-forward, #grant).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { isJsonArray, isJsonObject } from '../../codec/value.ts';
import type { RequestContext } from '../../content.ts';
import type { Trace } from '../../envelope/types.ts';
import { SdlError } from '../../errors.ts';
import { readGrant } from '../../security/policy/grant-shape.ts';
import type { Task, TaskSource } from '../../tasks/task.ts';

export interface TaskOriginFacts {
  /** The payload of `task.v1` without `authz`; none for a task of another dialect. */
  readonly payload: JsonObject | undefined;
  /** Where the request stood in its chain of calls; none for one that did not say. */
  readonly trace: Trace | undefined;
  /** Grants that name us as their holder. Only their audiences can verify them. */
  readonly grants: readonly JsonObject[];
}

const FACE = 'sdl';
const MAX_GRANTS = 16;

/** @param kept the payload as it is kept: without `authz`, whose grants are read from the whole one. */
export function sourceOf(
  kept: JsonObject,
  payload: JsonValue,
  context: Pick<RequestContext, 'request' | 'agentId'>,
): TaskSource {
  const { root_id, span_id, hops = 0 } = context.request.trace ?? {};
  const grants = grantsIn(payload).filter((grant) => holderOf(grant) === context.agentId);
  const value = {
    payload: kept,
    ...(root_id !== undefined && span_id !== undefined && { trace: { root_id, span_id, hops } }),
    ...(grants.length > 0 && { grants }),
  };
  return { face: FACE, value };
}

export function originOf({ source }: Pick<Task, 'source'>): TaskOriginFacts {
  const value = source.face === FACE && isJsonObject(source.value) ? source.value : {};
  const { payload, trace, grants = [] } = value;
  return {
    payload: isJsonObject(payload) ? payload : undefined,
    trace: trace as Trace | undefined,
    grants: (grants as readonly JsonObject[]).slice(),
  };
}

/** The `task.v1` payload of a task; of one of another dialect, what it would say. */
export function taskPayload(task: Pick<Task, 'source' | 'history'>): JsonObject {
  const { payload } = originOf(task);
  if (payload !== undefined) return payload;
  const { text, data } = task.history[0]!;
  return { kind: 'task.v1', goal: text, inputs: isJsonObject(data) ? data : {} };
}

function grantsIn(payload: JsonValue): JsonObject[] {
  const authz = isJsonObject(payload) ? payload['authz'] : undefined;
  const grants = isJsonObject(authz) ? authz['grants'] : undefined;
  return isJsonArray(grants) ? grants.slice(0, MAX_GRANTS).filter(isJsonObject) : [];
}

/** What cannot be read is of no use to anybody. */
function holderOf(grant: JsonObject): string | undefined {
  try {
    return readGrant(grant, '').sub;
  } catch (thrown) {
    if (thrown instanceof SdlError) return undefined;
    throw thrown;
  }
}
