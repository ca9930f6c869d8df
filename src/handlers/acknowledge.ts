// Owns what answers a request that merely brings something: a state document with `/status` received.
// SPEC.md section 9 (#state-base).

import type { JsonObject } from '../codec/value.ts';
import type { Answer, RequestContext } from '../content.ts';
import { INITIAL_STATE, makeState } from '../state/document.ts';

/** The acknowledgement of a request, with further members of the document; nothing answers an event. */
export function acknowledge(
  { request }: RequestContext,
  members: JsonObject = {},
): Answer | undefined {
  if (request.type === 'evt') return undefined;
  return {
    ct: 'state.v1',
    payload: { ...makeState(INITIAL_STATE, { ...members, status: 'received' }) },
  };
}
