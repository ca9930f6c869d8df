// Owns how two documents become the JSON patch between them. RFC 6902; SPEC.md section 9 (#state).

import fastJsonPatch from 'fast-json-patch';
import type { JsonArray, JsonObject, JsonValue } from '../codec/value.ts';
import { newJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import { MAX_PATCH_OPERATIONS } from './apply-patch.ts';
import { excessOf, measure } from './extent.ts';
import { PlainForm, fromPlain } from './plain-form.ts';

const WRAPPER = '/0';

/** Operations that turn `before` into `after`, exactly: `1` and `1.0` are different here. */
export function makePatch(before: JsonValue, after: JsonValue): JsonArray {
  assertFits(before);
  assertFits(after);
  const form = new PlainForm();
  const plainAfter = form.toPlain(after);
  // Each in an array of its own: the comparison takes neither a scalar nor a change of kind as its root.
  const steps = fastJsonPatch.compare([form.toPlain(before)], [plainAfter]);
  if (steps.length > MAX_PATCH_OPERATIONS) {
    return [operation('replace', '', fromPlain(plainAfter))];
  }
  return steps.map((step) => {
    const path = step.path.slice(WRAPPER.length);
    return 'value' in step
      ? operation(step.op, path, fromPlain(step.value as JsonValue))
      : operation(step.op, path);
  });
}

function operation(op: string, path: string, value?: JsonValue): JsonObject {
  const members = newJsonObject();
  members['op'] = op;
  members['path'] = path;
  if (value !== undefined) members['value'] = value;
  return members;
}

function assertFits(document: JsonValue): void {
  const excess = excessOf(measure(document));
  if (excess !== undefined) throw new SdlError('STATE_PATCH', `the document ${excess}`);
}
