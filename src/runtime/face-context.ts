// Owns what the runtime gives to faces: who calls, room for the call in the budget of everybody, and facts of the agent.
// ARCHITECTURE.md ("Host and faces").

import type { MaybePromise } from '../crypto/provider.ts';
import type { CallerSchemes, Callers } from '../door/rights.ts';
import { SdlError, toSdlError } from '../errors.ts';
import type { AdmissionControl, Ticket } from '../pipeline/admission.ts';
import type { AgentFacts, FaceRefusal, FaceTicket, ListenContext } from '../transport.ts';
import type { Counters } from './counters.ts';

interface FaceContextParts {
  readonly callers: Callers | undefined;
  readonly admission: AdmissionControl;
  readonly counters: Counters;
  /** What the runtime calls when it stops and waits no longer. */
  readonly running: Set<() => void>;
  readonly about: () => AgentFacts;
  readonly refused: (refusal: FaceRefusal) => void;
  readonly onError: (cause: unknown) => void;
}

type FaceContext = Pick<
  ListenContext,
  'authenticate' | 'schemes' | 'admit' | 'about' | 'refused' | 'onError'
>;

const NO_SCHEMES: CallerSchemes = Object.freeze({ schemes: [], isOptional: false });

export function createFaceContext(parts: FaceContextParts): FaceContext {
  const { callers, admission, counters, running, about, refused, onError } = parts;

  return {
    about,
    refused,
    onError,
    authenticate: (shown) => callers?.authenticate(shown) ?? Promise.reject(noCallers()),
    schemes: (face) => callers?.schemes?.(face) ?? NO_SCHEMES,
    admit: (face, { address }) => {
      let room: Ticket;
      try {
        room = admission.admit(address);
      } catch (thrown) {
        counters.countCall(face, toSdlError(thrown).code);
        throw thrown;
      }
      counters.countCall(face, 'admitted');
      return new RunningTicket(room, running, counters.openCall(face));
    },
  };
}

function noCallers(): SdlError {
  return new SdlError('UNAUTHENTICATED', 'there are no callers here');
}

/** One that hears of it when the runtime stops. */
class RunningTicket implements FaceTicket {
  readonly #room: Ticket;
  readonly #running: Set<() => void>;
  readonly #uncount: () => void;
  /** Made for who asks for its signal: most never do. */
  #stopping: AbortController | undefined;
  #isStopped = false;

  constructor(room: Ticket, running: Set<() => void>, uncount: () => void) {
    this.#room = room;
    this.#running = running;
    this.#uncount = uncount;
    running.add(this.#stop);
  }

  get signal(): AbortSignal {
    this.#stopping ??= new AbortController();
    if (this.#isStopped) this.#stopping.abort(stopped());
    return this.#stopping.signal;
  }

  claim(agentId: string): MaybePromise<void> {
    return this.#room.claim(agentId);
  }

  stream(principalId: string): void {
    this.#room.stream(principalId);
  }

  release(): void {
    if (!this.#running.delete(this.#stop)) return;
    this.#uncount();
    this.#room.release();
  }

  readonly #stop = (): void => {
    this.#isStopped = true;
    this.#stopping?.abort(stopped());
  };
}

function stopped(): SdlError {
  return new SdlError('DRAINING', 'the runtime stops before the call has ended');
}
