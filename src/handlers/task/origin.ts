// Owns what a task keeps of its request, because messages that it sends later need it, even after a restart.
// SPEC.md sections 2 and 10 (#trace-forward, #grant).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { isJsonArray, isJsonObject } from '../../codec/value.ts';
import type { RequestContext } from '../../content.ts';
import type { Trace } from '../../envelope/types.ts';
import { SdlError } from '../../errors.ts';
import { readGrant } from '../../security/policy/grant-shape.ts';
import type { Task } from '../../tasks/task.ts';

export interface TaskOriginFacts {
  /** Where the request stood in its chain of calls; none for one that did not say. */
  readonly trace: Trace | undefined;
  /** Grants that name us as their holder. Only their audiences can verify them. */
  readonly grants: readonly JsonObject[];
}

const MAX_GRANTS = 16;

/** For the task's metadata. */
export function originMetadata(payload: JsonValue, context: RequestContext): JsonObject {
  const { root_id, span_id, hops = 0 } = context.request.trace ?? {};
  const grants = grantsIn(payload).filter((grant) => holderOf(grant) === context.agentId);
  return {
    ...(root_id !== undefined && span_id !== undefined && { trace: { root_id, span_id, hops } }),
    ...(grants.length > 0 && { grants }),
  };
}

export function originOf({ metadata }: Pick<Task, 'metadata'>): TaskOriginFacts {
  const { trace, grants = [] } = metadata;
  return {
    trace: trace as Trace | undefined,
    grants: (grants as readonly JsonObject[]).slice(),
  };
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
