// Owns content types that an application adds. SPEC.md sections 8 and 9 (#exchange, #content-types).

import type { JsonValue } from '../../codec/value.ts';
import type { Answer, ContentHandler, RequestContext } from '../../content.ts';
import type { MaybePromise } from '../../crypto/provider.ts';
import type { Schema } from '../../schema/descriptor.ts';
import { isAnswer, isAsyncIterable } from '../answer.ts';
import type { StandardOutput, StandardSchema } from './standard-schema.ts';
import { isStandardSchema, parseWith } from './standard-schema.ts';

/** A payload of the usual content type, or an explicit answer. */
type ContentValue = JsonValue | Answer;

/**
 * What may be returned: one value is the answer; of an iterable the last value is, and those before it are events. What
 * a generator returns is its last value. Nothing at all answers an event.
 */
type Handled = MaybePromise<ContentValue | undefined | void> | AsyncIterable<ContentValue>;

interface ContentOptions {
  readonly ct: string;
  /** The content type of what is returned. @default ct */
  readonly reply?: string;
}

/** A content type with a JSON Schema. Payloads are handed over as they were read: no number has changed. */
export interface JsonContentDefinition extends ContentOptions {
  readonly schema: Schema;
  readonly handle: (payload: JsonValue, context: RequestContext) => Handled;
}

/** A content type with a validator of another library, whose output is handed over. */
export interface StandardContentDefinition<S extends StandardSchema> extends ContentOptions {
  readonly schema: S;
  /** What peers are sent as the schema, and what is checked first. @default {} */
  readonly jsonSchema?: Schema;
  readonly handle: (payload: StandardOutput<S>, context: RequestContext) => Handled;
}

const MAX_CONTENT_TYPE = 128;
const ANYTHING: Schema = Object.freeze({});

/** A handler for a content type of one's own. */
export function defineContent<S extends StandardSchema>(
  definition: StandardContentDefinition<S>,
): ContentHandler;
export function defineContent(definition: JsonContentDefinition): ContentHandler;
export function defineContent(
  definition: JsonContentDefinition | StandardContentDefinition<StandardSchema>,
): ContentHandler {
  const { ct, reply = ct, schema } = definition;
  checkName('ct', ct);
  checkName('reply', reply);
  if (typeof definition.handle !== 'function') throw new TypeError('"handle" expected a function');
  if (isStandardSchema(schema)) {
    const { handle, jsonSchema = ANYTHING } =
      definition as StandardContentDefinition<StandardSchema>;
    return Object.freeze<ContentHandler>({
      ct,
      schema: jsonSchema,
      replies: [reply],
      handle: async function* parseAndHandle(payload, context) {
        yield* toAnswers(handle(await parseWith(schema, payload), context), reply);
      },
    });
  }
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null)) {
    throw new TypeError('"schema" expected a JSON Schema or a Standard Schema validator');
  }
  const { handle } = definition as JsonContentDefinition;
  return Object.freeze<ContentHandler>({
    ct,
    schema,
    replies: [reply],
    handle: async function* handleAsRead(payload, context) {
      yield* toAnswers(handle(payload, context), reply);
    },
  });
}

async function* toAnswers(handled: Handled, ct: string): AsyncGenerator<Answer, void> {
  const last = isAsyncIterable(handled)
    ? yield* answersOf(handled as AsyncGenerator<ContentValue, ContentValue | void>, ct)
    : await handled;
  if (last !== undefined) yield toAnswer(last, ct);
}

async function* answersOf(
  contents: AsyncGenerator<ContentValue, ContentValue | void>,
  ct: string,
): AsyncGenerator<Answer, ContentValue | void> {
  const iterator = contents[Symbol.asyncIterator]();
  let hasEnded = false;
  try {
    for (;;) {
      const step = await iterator.next();
      hasEnded = step.done === true;
      if (step.done === true) return step.value;
      yield toAnswer(step.value, ct);
    }
  } finally {
    // The reader has stopped: the author's own `finally` must run too.
    if (!hasEnded) await iterator.return?.(undefined);
  }
}

function toAnswer(content: ContentValue, ct: string): Answer {
  return isAnswer(content) ? content : { ct, payload: content };
}

function checkName(option: string, ct: string): void {
  if (typeof ct === 'string' && ct !== '' && ct.length <= MAX_CONTENT_TYPE) return;
  throw new TypeError(`"${option}" expected text of 1 to ${MAX_CONTENT_TYPE} characters`);
}
