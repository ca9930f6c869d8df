// Owns who asks: every request is let in by what it shows. SPEC.md section 20 (#a2a-callers).

import type { CallContext, Ceiling, Principal, Received } from '../../../src/door/index.ts';
import type { Authenticated, ListenContext } from '../../../src/transport.ts';
import type { HttpCall } from '../../../transports/http/index.ts';
import { toA2aError } from '../errors/a2a-error.ts';
import { FACE } from '../operations/send.ts';

/** What a binding knows of a request before it reads what is asked. */
export type Asking = Pick<HttpCall, 'headers' | 'shown' | 'signal' | 'peer'>;

/** A call whose signal is made only for who asks for it: most are answered before anybody does. */
export class AskedCall implements CallContext {
  readonly principal: Principal;
  readonly face: string = FACE;
  readonly agentId: string;
  declare readonly ceiling?: Ceiling;
  declare readonly received?: Received;
  readonly now: () => number = Date.now;
  readonly #asking: Pick<Asking, 'signal'>;

  constructor(
    asking: Pick<Asking, 'signal'>,
    agentId: string,
    { principal, ceiling }: Authenticated,
    received?: Received,
  ) {
    this.principal = principal;
    this.agentId = agentId;
    if (ceiling !== undefined) this.ceiling = ceiling;
    if (received !== undefined) this.received = received;
    this.#asking = asking;
  }

  get signal(): AbortSignal {
    return this.#asking.signal;
  }

  /** The same, once it is known in what it came. */
  receivedIn(received: Received): AskedCall {
    return new AskedCall(this.#asking, this.agentId, this, received);
  }
}

export async function callOf(asking: Asking, context: ListenContext): Promise<AskedCall> {
  try {
    return new AskedCall(asking, agentIdIn(context), await context.authenticate(asking.shown));
  } catch (thrown) {
    // The door does not know of it: it is a refusal of the face.
    throw toA2aError(thrown);
  }
}

/** An agent keeps its id, whatever else changes of it. */
const agentIds = new WeakMap<ListenContext, string>();

function agentIdIn(context: ListenContext): string {
  const known = agentIds.get(context);
  if (known !== undefined) return known;
  const { agentId } = context.about();
  agentIds.set(context, agentId);
  return agentId;
}

const NO_EXTENSIONS: ReadonlySet<string> = new Set();

/** The URIs of the extensions that the caller asks for. */
export function extensionsIn({ headers }: Pick<Asking, 'headers'>): ReadonlySet<string> {
  const { 'a2a-extensions': asked, 'x-a2a-extensions': askedBefore } = headers;
  if (asked === undefined && askedBefore === undefined) return NO_EXTENSIONS;
  return new Set(
    [asked, askedBefore]
      .flatMap((text) => (text ?? '').split(','))
      .flatMap((uri) => uri.trim() || []),
  );
}
