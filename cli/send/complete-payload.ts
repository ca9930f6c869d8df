// Owns what may be left out of a payload that is written by hand: members that have one usual value are filled in, and
// of the others all that are missing are named at once. SPEC.md section 9 (#content-types).

import { randomUUID } from 'node:crypto';

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import { SchemaRegistry } from '../../src/schema/index.ts';
import { failure } from '../kit/exit.ts';

/** The same as the client of this package fills in for `send`, `call` and negotiations. */
const COMPLETE: Readonly<Record<string, (given: JsonObject) => JsonObject>> = {
  'task.v1': (given) => ({
    kind: 'task.v1',
    inputs: {},
    deliverables: [],
    acceptance: [],
    context: {},
    ...given,
    constraints: completeConstraints(given['constraints'] ?? {}),
  }),
  'toolcall.v1': (given) => ({ call_id: randomUUID(), args: {}, expect: {}, ...given }),
  'negotiation.v1': (given) => ({ need: {}, have: {}, ask: [], supported_ct: [], ...given }),
};

function completeConstraints(given: JsonValue): JsonValue {
  if (!isJsonObject(given)) return given;
  return { time_budget_s: 60, compute_budget: 'low', safety: {}, ...given };
}

/** What the commands that take a payload say of it. */
export const COMPLETE_NOTE: string =
  'Members of a payload that have a usual value may be left out: {"goal": "…"} is a task.v1.';

/** The least that has to be written. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  'task.v1': '{"goal":"sum 1 2 3"}',
  'toolcall.v1': '{"tool":"math.add","args":{"values":[1,2,3]}}',
  'toolresult.v1': '{"call_id":"c1","ok":true,"result":{"sum":6},"logs":[],"metrics":{}}',
  'state.v1':
    '{"base":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","patch":[]}',
  'artifact.v1': '{"items":[{"name":"note","media_type":"text/plain","text":"hello"}],"refs":[]}',
  'error.v1': '{"code":"INTERNAL","message":"internal error","details":{},"retryable":false}',
  'negotiation.v1': '{}',
  'trustsync.v1': '{"op":"discover"}',
  'session.v1': '{"op":"open","profile":{},"nonce":"at-least-8-characters"}',
};

/** What was given stays as it is. Throws for members that nobody but the user can know. */
export function completePayload(ct: string, payload: JsonValue): JsonValue {
  if (!isJsonObject(payload)) return payload;
  const complete = Object.hasOwn(COMPLETE, ct) ? COMPLETE[ct]!(payload) : payload;
  const missing = requiredOf(ct).filter((name) => !Object.hasOwn(complete, name));
  if (missing.length === 0) return complete;
  const example = EXAMPLES[ct];
  throw failure(`the payload of ${ct} lacks ${missing.join(', ')}`, {
    code: 'PAYLOAD_INVALID',
    next:
      example === undefined
        ? `see "a2a-sdl schema show ${ct}"`
        : `write such as ${example}; see "a2a-sdl schema show ${ct}"`,
  });
}

function requiredOf(ct: string): string[] {
  const registry = new SchemaRegistry();
  // What this package has no schema for is judged by who receives it.
  if (!registry.contentTypes.has(ct)) return [];
  const { embedded } = registry.descriptorFor(ct);
  const required = isJsonObject(embedded) ? embedded['required'] : undefined;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
