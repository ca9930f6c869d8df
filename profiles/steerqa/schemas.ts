// Owns which schema a message has to fit. Each is compiled when it is first needed. SPEC.md section 18 (#steerqa-messages).

import dimensionOffer from '../../schemas/steerqa/dimension_offer.v1.json' with { type: 'json' };
import earlyPartial from '../../schemas/steerqa/early_partial.v1.json' with { type: 'json' };
import envelope from '../../schemas/steerqa/envelope.v1.json' with { type: 'json' };
import error from '../../schemas/steerqa/error.v1.json' with { type: 'json' };
import event from '../../schemas/steerqa/event.v1.json' with { type: 'json' };
import hintPartial from '../../schemas/steerqa/hint_partial.v1.json' with { type: 'json' };
import intentOffer from '../../schemas/steerqa/intent_offer.v1.json' with { type: 'json' };
import intentResult from '../../schemas/steerqa/intent_result.v1.json' with { type: 'json' };
import replicaResult from '../../schemas/steerqa/replica_result.v1.json' with { type: 'json' };
import type { JsonObject, JsonValue } from '../../src/door/index.ts';
import { compileTrusted } from '../../src/schema/index.ts';
import type { Schema, TrustedSchema } from '../../src/schema/index.ts';
import type { SteerqaKind } from './messages.ts';
import { readMoment } from './moment.ts';

const SCHEMAS: Readonly<Record<SteerqaKind | 'envelope', Schema>> = {
  envelope,
  intent_offer: intentOffer,
  dimension_offer: dimensionOffer,
  intent_result: intentResult,
  replica_result: replicaResult,
  early_partial: earlyPartial,
  hint_partial: hintPartial,
  error,
  event,
};

/** What the content types of the SDL wire carry. */
export const CARRIED: Readonly<Record<'offer' | 'result' | 'event', Schema>> = {
  offer: { anyOf: [dimensionOffer, intentOffer] },
  result: { anyOf: [intentResult, replicaResult, earlyPartial, hintPartial] },
  event,
};

const compiled = new Map<SteerqaKind | 'envelope', TrustedSchema>();

function schemaOf(kind: SteerqaKind | 'envelope'): TrustedSchema {
  let schema = compiled.get(kind);
  if (schema === undefined) compiled.set(kind, (schema = compileTrusted(SCHEMAS[kind])));
  return schema;
}

/** The bodies that a result has exactly one of. */
const RESULT_KINDS = {
  intent_packet: 'intent_result',
  verdict: 'replica_result',
  early_result: 'early_partial',
  arbitration_hint: 'hint_partial',
} as const satisfies Record<string, SteerqaKind>;

/** What kind of message this says it is; `undefined` for one that says nothing of the kind. */
export function kindOf(value: JsonObject): SteerqaKind | undefined {
  const has = (name: string): boolean => Object.hasOwn(value, name);
  const type = has('message_type') ? value['message_type'] : undefined;
  if (type === 'task_offer') return has('dimension') ? 'dimension_offer' : 'intent_offer';
  if (type === 'error') return 'error';
  if (type === 'task_result') {
    const bodies = Object.keys(RESULT_KINDS).filter(has) as (keyof typeof RESULT_KINDS)[];
    return bodies.length === 1 ? RESULT_KINDS[bodies[0]!] : undefined;
  }
  return !has('message_type') && has('type') && has('sequence_id') ? 'event' : undefined;
}

/** What of a message does not fit: a JSON pointer with names that the schema knows, and words. */
export interface Misfit {
  readonly path: string;
  readonly words: string;
}

/** @param isStrict all eight fields of the envelope have to be there, also in results and errors. */
export function misfitOf(
  kind: SteerqaKind,
  value: JsonObject,
  isStrict = false,
): Misfit | undefined {
  const failure =
    schemaOf(kind).validate(value) ??
    (isStrict && kind !== 'event' ? schemaOf('envelope').validate(value) : undefined);
  if (failure !== undefined) {
    const { path, keyword } = failure;
    return { path, words: `${path === '' ? 'the message' : path} does not fit: ${keyword}` };
  }
  const member = kind === 'event' ? 'ts' : 'issued_at';
  const moment: JsonValue | undefined = value[member];
  if (typeof moment === 'string' && readMoment(moment) === undefined) {
    return { path: `/${member}`, words: `/${member} is no moment with an offset` };
  }
  return undefined;
}

/** The message checked against the schema of what it says it is. */
export function checkMessage(
  value: JsonValue,
  isStrict = false,
): { readonly kind?: SteerqaKind; readonly misfit?: Misfit } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { misfit: { path: '', words: 'the message is no JSON object' } };
  }
  const kind = kindOf(value as JsonObject);
  if (kind === undefined) {
    return { misfit: { path: '/message_type', words: 'it is none of the messages of SteerQA' } };
  }
  const misfit = misfitOf(kind, value as JsonObject, isStrict);
  return { kind, ...(misfit !== undefined && { misfit }) };
}
