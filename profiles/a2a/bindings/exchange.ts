// Owns one request from who asks to what came of it, as every binding needs it, and what is told of a refusal.
// SPEC.md section 20 (#a2a-callers, #a2a-errors).

import type { CallContext } from '../../../src/door/index.ts';
import { SdlError } from '../../../src/door/index.ts';
import type { FaceTicket, ListenContext } from '../../../src/transport.ts';
import { A2aError, challenged, toA2aError } from '../errors/a2a-error.ts';
import type { Profile } from '../errors/kinds.ts';
import type { Desk } from '../operations/desk.ts';
import type { Performed, Request } from '../operations/perform.ts';
import { perform } from '../operations/perform.ts';
import type { Carrier } from '../operations/received.ts';
import { receivedIn } from '../operations/received.ts';
import { FACE } from '../operations/send.ts';
import { SEALED_EXTENSION } from '../sealed/extension.ts';
import type { AskedCall, Asking } from './caller.ts';
import { callOf, extensionsIn } from './caller.ts';
import { challengeFor, scopeChallengeFor } from './challenge.ts';

export interface Service {
  readonly context: ListenContext;
  readonly desk: Desk;
  readonly profile: Profile;
}

/** What is asked, once the binding has read it. */
export interface Asked extends Pick<Request, 'wire' | 'operation' | 'value'> {
  /** In what it came, for evidence. */
  readonly carrier: Carrier;
}

export class Exchange {
  readonly asking: Asking;
  readonly service: Service;
  readonly #room: FaceTicket;
  readonly #extensions: ReadonlySet<string>;
  #call: AskedCall | undefined;
  /** What came was sealed: the extension was used, whatever the headers say. */
  #isSealed = false;
  /** What is asked, once that is known. */
  #operation = 'request';

  /** @param room that was made for the request. */
  constructor(asking: Asking, service: Service, room: FaceTicket) {
    this.asking = asking;
    this.service = service;
    this.#room = room;
    this.#extensions = extensionsIn(asking);
  }

  /** Throws what the face refuses by itself as an {@link A2aError}. */
  async identify(): Promise<CallContext> {
    this.#call = await callOf(this.asking, this.service.context);
    return this.#call;
  }

  /** After {@link identify}. */
  perform({ wire, operation, value, carrier }: Asked): Promise<Performed> {
    this.#operation = operation;
    return perform(this.service.desk, {
      wire,
      operation,
      value,
      call: this.#call!.receivedIn(receivedIn(wire.name, carrier)),
      extensions: this.#extensions,
      openStream: () => this.#openStream(),
      lastEventId: this.asking.headers['last-event-id'],
      carriage: { peer: this.asking.peer, ticket: this.#room },
      onSealed: () => {
        this.#isSealed = true;
      },
    });
  }

  /** In the words of A2A. What the door has not told is told here. */
  told(thrown: unknown): A2aError {
    const { context } = this.service;
    const error = this.#challenged(toA2aError(thrown));
    if (thrown instanceof A2aError) {
      context.refused({
        face: FACE,
        operation: this.#operation,
        code: error.kind,
        error: error.error,
        ...(this.#call !== undefined && { from: this.#call.principal.id }),
      });
    } else if (!(thrown instanceof SdlError)) context.onError(thrown);
    return error;
  }

  #challenged(error: A2aError): A2aError {
    if (error.kind === 'UNAUTHENTICATED') {
      const { schemes } = this.service.context.schemes(FACE);
      return challenged(error, challengeFor(schemes));
    }
    if (error.kind !== 'PERMISSION_DENIED' || this.#call === undefined) return error;
    return challenged(error, scopeChallengeFor(this.#call.principal));
  }

  #openStream(): void {
    try {
      this.#room.stream(this.#call!.principal.id);
    } catch (thrown) {
      // The door does not know of it: it is a refusal of the face.
      throw toA2aError(thrown);
    }
  }

  /** What is said beside every answer: the extensions that were asked for and are known here. */
  get echoed(): Readonly<Record<string, string>> {
    if (this.#extensions.size === 0 && !this.#isSealed) return {};
    const { rules, sealed } = this.service.desk;
    const isSealing =
      sealed !== undefined && (this.#isSealed || this.#extensions.has(SEALED_EXTENSION));
    const active = rules.extensions
      .filter(({ uri }) => this.#extensions.has(uri) && uri !== SEALED_EXTENSION)
      .map(({ uri }) => uri);
    if (isSealing) active.push(SEALED_EXTENSION);
    return active.length === 0 ? {} : { 'a2a-extensions': active.join(', ') };
  }
}
