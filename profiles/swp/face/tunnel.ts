// Owns the tunnel: sealed envelopes of the SDL wire in the opaque octets of a Task, through the same checks as on any
// other transport. SPEC.md section 19 (#swp-tunnel).

import type { JsonObject } from '../../../src/door/index.ts';
import type {
  Encoding,
  JsonValue,
  ListenContext,
  PeerFacts,
  Reply,
} from '../../../src/transport.ts';
import { SdlError, decodeMessage, isJsonObject } from '../../../src/transport.ts';
import type { EventMessage, ResultMessage, TaskMessage } from '../wire/message.ts';
import { failureText } from './conditions.ts';

export const TUNNEL_KIND = 'a2a-sdl.v1';

/** Names of Tasks that went through: more are kept for nobody. */
const MAX_REMEMBERED = 10_000;
const NOTHING = new Uint8Array(0);

/** Which octets a task_id stood for, so that others under it are found to be a conflict. Of this process alone. */
export class Tunnels {
  readonly #digests = new Map<string, string>();

  digestOf(key: string): string | undefined {
    return this.#digests.get(key);
  }

  remember(key: string, digest: string): void {
    this.#digests.delete(key);
    this.#digests.set(key, digest);
    const [oldest] = this.#digests.keys();
    if (this.#digests.size > MAX_REMEMBERED) this.#digests.delete(oldest!);
  }
}

interface TunnelEnds {
  readonly context: Pick<ListenContext, 'receive' | 'limits'>;
  readonly peer: PeerFacts;
  readonly signal: AbortSignal;
  /** Resolves when it was written: envelopes are numbered, and none may be left out. */
  readonly sendEvent: (event: EventMessage) => Promise<void>;
}

/** Lets one envelope through, and gives the Result that ends its Task. */
export async function passEnvelope(
  { taskId, input }: TaskMessage,
  { context, peer, signal, sendEvent }: TunnelEnds,
): Promise<ResultMessage> {
  let answer: Reply | undefined;
  const inbound = { bytes: input, encoding: encodingOf(input), peer, wantsStream: true, signal };
  for await (const reply of context.receive(inbound)) {
    if (reply.type === 'res') answer = reply;
    else await sendEvent({ type: 'event', taskId, message: '', eventPayload: reply.bytes });
  }
  // Nothing answers an event.
  if (answer === undefined) {
    return { type: 'result', taskId, ok: true, output: NOTHING, errorMessage: '' };
  }
  const error = errorIn(answer, context);
  return {
    type: 'result',
    taskId,
    ok: error === undefined,
    // Also of a refusal: only the sealed answer proves it.
    output: answer.bytes,
    errorMessage: error === undefined ? '' : failureText(error),
  };
}

function errorIn(
  { bytes, encoding }: Reply,
  { limits }: Pick<ListenContext, 'limits'>,
): { readonly code: string; readonly message: string } | undefined {
  const answer = decoded(bytes, encoding, limits);
  if (answer['ct'] !== 'error.v1') return undefined;
  const { payload } = answer;
  const { code, message } = isJsonObject(payload) ? payload : ({} as JsonObject);
  return {
    code: textOr(code, 'INTERNAL'),
    message: textOr(message, 'the reason is in the sealed answer'),
  };
}

function decoded(
  bytes: Uint8Array,
  encoding: Encoding,
  limits: ListenContext['limits'],
): JsonObject {
  try {
    const value = decodeMessage(bytes, encoding, limits);
    return isJsonObject(value) ? value : {};
  } catch (thrown) {
    if (thrown instanceof SdlError) return {};
    throw thrown;
  }
}

function textOr(value: JsonValue | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

/** A map of CBOR begins in this range; an object of JSON never does. */
function encodingOf([first = 0]: Uint8Array): Encoding {
  return first >= 0xa0 && first <= 0xbf ? 'cbor' : 'json';
}
