// Owns what the runtime gives to faces: who calls, room for the call in the budget of everybody, and facts of the agent.
// ARCHITECTURE.md ("Host and faces").

import type { ShareClass } from '../budget/index.ts';
import type { MaybePromise } from '../crypto/provider.ts';
import type { Principal, Shown } from '../door/principal.ts';
import type { Authenticated, CallerSchemes, Callers } from '../door/rights.ts';
import { SdlError, toSdlError } from '../errors.ts';
import type { AdmissionControl, Ticket } from '../pipeline/admission.ts';
import { isOperatorsSocket } from '../pipeline/known-addresses.ts';
import type { AgentFacts, FaceRefusal, FaceTicket, ListenContext } from '../transport.ts';
import type { Counters } from './counters.ts';

interface FaceContextParts {
  readonly callers: Callers | undefined;
  /** Whose share somebody uses now. */
  readonly shareOf: (principal: Principal) => ShareClass;
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
  const { callers, shareOf, admission, counters, running, about, refused, onError } = parts;

  return {
    about,
    refused,
    onError,
    authenticate: (shown) => authenticate(callers, shown),
    schemes: (face) => callers?.schemes?.(face) ?? NO_SCHEMES,
    admit: (face, peer) => {
      let room: Ticket;
      try {
        room = admission.admit(peer.account?.countedAs ?? peer.address, isOperatorsSocket(peer));
      } catch (thrown) {
        counters.countCall(face, toSdlError(thrown).code);
        throw thrown;
      }
      counters.countCall(face, 'admitted');
      return new RunningTicket(room, shareOf, running, counters.openCall(face));
    },
  };
}

/** What is shown and proves nothing is charged to its connection; who is let in without proof has proven nothing. */
async function authenticate(callers: Callers | undefined, shown: Shown): Promise<Authenticated> {
  try {
    if (callers === undefined) throw noCallers();
    const known = await callers.authenticate(shown);
    if (known.principal.scheme !== 'none') shown.account?.proven();
    return known;
  } catch (thrown) {
    if (toSdlError(thrown).row.wire !== 'INTERNAL') shown.account?.charge('refusal');
    throw thrown;
  }
}

function noCallers(): SdlError {
  return new SdlError('UNAUTHENTICATED', 'there are no callers here');
}

/** One that hears of it when the runtime stops. */
class RunningTicket implements FaceTicket {
  readonly #room: Ticket;
  readonly #shareOf: FaceContextParts['shareOf'];
  readonly #running: Set<() => void>;
  readonly #uncount: () => void;
  /** Made for who asks for its signal: most never do. */
  #stopping: AbortController | undefined;
  #isStopped = false;

  constructor(
    room: Ticket,
    shareOf: FaceContextParts['shareOf'],
    running: Set<() => void>,
    uncount: () => void,
  ) {
    this.#room = room;
    this.#shareOf = shareOf;
    this.#running = running;
    this.#uncount = uncount;
    running.add(this.#stop);
  }

  get signal(): AbortSignal {
    this.#stopping ??= new AbortController();
    if (this.#isStopped) this.#stopping.abort(stopped());
    return this.#stopping.signal;
  }

  identified(principal: Principal): void {
    this.#room.identified(principal.id, this.#shareOf(principal));
  }

  claim(agentId: string, share: ShareClass): MaybePromise<void> {
    return this.#room.claim(agentId, share);
  }

  wait(): boolean {
    return this.#room.wait();
  }

  join(run: string, onCrowded: (error: SdlError) => void): () => void {
    return this.#room.join(run, onCrowded);
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
