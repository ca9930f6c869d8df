// The messages that are measured.

import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { envelopeValue } from '../../src/envelope/encode.ts';
import { taskRequest } from '../support/wire/envelopes.ts';

/** About 3 KB: a task with some inputs. */
export function typicalEnvelope(): JsonObject {
  const request = taskRequest();
  const inputs = {
    document: 'The quick brown fox jumps over the lazy dog. '.repeat(8),
    options: { language: 'en', max_words: 120, temperature: 0.7, tags: ['summary', 'short'] },
    sources: [1, 2, 3].map((id) => ({ id, url: `https://example.com/${id}`, weight: id * 0.25 })),
  };
  const payload = { ...(request.payload as object), inputs } as unknown as JsonValue;
  return envelopeValue({ ...request, payload }) as JsonObject;
}
