// Owns which dialect an agent is spoken to in: envelopes where a peer is known, since only they are proven end to end.
// SPEC.md section 20 (#a2a-client-connect).

import { SdlError } from '../../errors.ts';
import type { Dialer } from '../../transport.ts';
import type { Dialect, DialectContext } from './dialect.ts';
import { isDialect } from './dialect.ts';
import { createForeignAgent } from './agent.ts';
import type { RemoteAgent } from '../remote-agent.ts';
import { UnknownPeerError } from '../target.ts';

/** The ways out by what they are; one may be both. */
export function sorted(transports: readonly (Dialer | Dialect)[]): {
  readonly dialers: readonly Dialer[];
  readonly dialects: readonly Dialect[];
} {
  return {
    dialers: transports.filter((one): one is Dialer => 'schemes' in one),
    dialects: transports.filter(isDialect),
  };
}

export class Dialects {
  readonly #dialects: readonly Dialect[];
  readonly #context: DialectContext;
  readonly #closing = new AbortController();

  constructor(dialects: readonly Dialect[], context: Omit<DialectContext, 'signal'>) {
    this.#dialects = dialects;
    this.#context = { ...context, signal: this.#closing.signal };
  }

  /** @param speakSdl throws an UnknownPeerError where no peer is known by this name or address. */
  connect(target: string, speakSdl: () => RemoteAgent): RemoteAgent {
    const certain = this.#dialects.find((one) => one.claims(target) === 'certain');
    if (certain !== undefined) return this.#speak(certain, target);
    try {
      return speakSdl();
    } catch (thrown) {
      const possible = this.#dialects.find((one) => one.claims(target) === 'possible');
      if (!(thrown instanceof UnknownPeerError) || possible === undefined) throw thrown;
      return this.#speak(possible, target);
    }
  }

  /** What is under way ends. */
  close(): void {
    this.#closing.abort(new SdlError('DRAINING', 'the client is closed'));
  }

  #speak(dialect: Dialect, target: string): RemoteAgent {
    return createForeignAgent(target, dialect, this.#context);
  }
}
