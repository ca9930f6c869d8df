// Owns what is kept with a message that came sealed: its envelope as it was received, and what answers to it need. Only
// this face reads it. SPEC.md section 22 (#sealed-tasks).

import type { JsonObject, Message, Task } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import type { Strength } from '../sealed/exchange.ts';

/** The name of this face where a message says what it came in. */
const FACE = 'a2a';

/** Of one request. */
export interface SealedSource {
  /** The same for every repeat of the request, and for no other. */
  readonly key: string;
  readonly strength: Strength;
  readonly envelope: JsonObject;
  /** For `ListenContext.seal`. */
  readonly facts: JsonObject;
  /** As it stands in clear. */
  readonly messageId: string;
}

export function sourceOf(source: SealedSource): NonNullable<Message['source']> {
  return { face: FACE, value: { sealed: { ...source } } };
}

/** `undefined` for a message that came otherwise. */
export function sealedIn({ source }: Pick<Message, 'source'>): SealedSource | undefined {
  const sealed = source?.face === FACE ? source.value['sealed'] : undefined;
  return isJsonObject(sealed) ? (sealed as unknown as SealedSource) : undefined;
}

/** What a task says of itself that was begun by a sealed message. */
export const SEALED_MARK: JsonObject = { sealed: true };

export function isSealedTask({ source }: Pick<Task, 'source'>): boolean {
  const { face, value } = source;
  return face === FACE && isJsonObject(value) && value['sealed'] === true;
}

/** Ids of sealed tasks are made of their requests; no other task of this face has one of this form. */
const SEALED_ID = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

export function isSealedId(id: string): boolean {
  return SEALED_ID.test(id);
}
