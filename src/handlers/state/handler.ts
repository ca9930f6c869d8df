// Owns `state.v1` that comes by itself: a peer changes a document of its own, step by step. SPEC.md section 9 (#state, #state-base).

import type { JsonArray, JsonValue } from '../../codec/value.ts';
import type { ContentHandler, RequestContext } from '../../content.ts';
import type { MaybePromise } from '../../crypto/provider.ts';
import { isText } from '../../envelope/fields.ts';
import { SdlError } from '../../errors.ts';
import type { StateDocument } from '../../state/document.ts';
import type { StateBook } from './book.ts';

/** A document that was changed, after it was stored. */
export interface StateChange {
  /** `doc` of the payload; empty for the one without a name. */
  readonly name: string;
  readonly document: StateDocument;
}

export interface StateOptions {
  readonly book: StateBook;
  /** @default nothing */
  readonly onChange?: (change: StateChange, context: RequestContext) => MaybePromise<void>;
}

const MAX_NAME_LENGTH = 256;

/** Answers with the hash that the next patch starts from, as `base` of an empty patch. */
export function createStateHandler({ book, onChange }: StateOptions): ContentHandler {
  return {
    ct: 'state.v1',
    async handle(value, context) {
      const payload = value as unknown as StateMessage;
      const name = nameOf(payload.doc);
      const document = await book.apply(context.peer.agentId, name, payload);
      await onChange?.({ name, document }, context);
      return {
        ct: 'state.v1',
        payload: { base: document.hash, patch: [], ...(name !== '' && { doc: name }) },
      };
    },
  };
}

/** What the schema of `state.v1` makes sure of, and `doc`, which it leaves open. */
interface StateMessage {
  readonly base: string;
  readonly patch: JsonArray;
  readonly doc?: JsonValue;
}

function nameOf(doc: JsonValue | undefined): string {
  if (doc === undefined) return '';
  if (isText(doc, MAX_NAME_LENGTH)) return doc;
  throw new SdlError('PAYLOAD_INVALID', `/doc must be text of 1 to ${MAX_NAME_LENGTH} characters`, {
    details: { path: '/doc' },
  });
}
