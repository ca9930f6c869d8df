// Owns who asks: every request is let in by what it shows. SPEC.md section 20 (#a2a-callers).

import type { CallContext } from '../../../src/door/index.ts';
import type { ListenContext } from '../../../src/transport.ts';
import type { HttpCall } from '../../../transports/http/index.ts';
import { toA2aError } from '../errors/a2a-error.ts';
import { FACE } from '../operations/send.ts';

export async function callOf(http: HttpCall, context: ListenContext): Promise<CallContext> {
  const { authorization, 'x-api-key': apiKey } = http.headers;
  const { address, certificate } = http.peer;
  const shown = {
    face: FACE,
    address,
    ...(authorization !== undefined && { authorization }),
    ...(apiKey !== undefined && { apiKey }),
    ...(certificate !== undefined && { certificate }),
  };
  // The door does not know of it: it is a refusal of the face.
  const authenticated = await context.authenticate(shown).catch((thrown: unknown) => {
    throw toA2aError(thrown);
  });
  const { agentId } = context.about();
  return { ...authenticated, face: FACE, agentId, signal: http.signal, now: Date.now };
}

/** The URIs of the extensions that the caller asks for. */
export function extensionsIn({ headers }: Pick<HttpCall, 'headers'>): ReadonlySet<string> {
  const texts = [headers['a2a-extensions'], headers['x-a2a-extensions']];
  return new Set(
    texts.flatMap((text) => (text ?? '').split(',')).flatMap((uri) => uri.trim() || []),
  );
}
