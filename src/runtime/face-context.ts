// Owns what the runtime gives to faces: who calls, room for the call in the budget of everybody, and facts of the agent.
// ARCHITECTURE.md ("Host and faces").

import type { Callers } from '../door/rights.ts';
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

type FaceContext = Pick<ListenContext, 'authenticate' | 'admit' | 'about' | 'refused' | 'onError'>;

export function createFaceContext(parts: FaceContextParts): FaceContext {
  const { callers, admission, counters, running, about, refused, onError } = parts;

  function ticketFor(face: string, room: Ticket): FaceTicket {
    const stopping = new AbortController();
    const stop = (): void =>
      stopping.abort(new SdlError('DRAINING', 'the runtime stops before the call has ended'));
    running.add(stop);
    const uncount = counters.openCall(face);
    return {
      signal: stopping.signal,
      release: () => {
        if (!running.delete(stop)) return;
        uncount();
        room.release();
      },
    };
  }

  return {
    about,
    refused,
    onError,
    authenticate: async (shown) => {
      if (callers === undefined) throw new SdlError('UNAUTHENTICATED', 'there are no callers here');
      return callers.authenticate(shown);
    },
    admit: (face, { address }) => {
      let room: Ticket;
      try {
        room = admission.admit(address);
      } catch (thrown) {
        counters.countCall(face, toSdlError(thrown).code);
        throw thrown;
      }
      counters.countCall(face, 'admitted');
      return ticketFor(face, room);
    },
  };
}
