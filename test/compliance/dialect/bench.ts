// Owns the bench that cases run on: one agent for all that need nothing special, and agents of their own for the others.

import { afterAll, beforeAll, onTestFinished } from 'vitest';

import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import { peerFromBundle } from '../../../src/security/peers/new-peer.ts';
import { DialectAgent } from '../../support/dialect/agent.ts';
import type { Face } from '../../support/dialect/faces.ts';
import type { Place, StoreKind } from '../../support/dialect/stores.ts';
import { http } from '../../../transports/http/index.ts';
import type { Bench } from './case.ts';

export interface SuiteBench extends Bench {
  /** An agent that knows another one and may give it tasks. */
  readonly delegating: (helper: DialectAgent) => Promise<DialectAgent>;
}

/** @param races how often what may go either way is tried. */
export function benchFor(face: Face, kind: StoreKind, races = 0): SuiteBench {
  let agent: DialectAgent;
  const opened: (() => Promise<unknown>)[] = [];

  const newPlace = (): Place => {
    const place = kind.newPlace();
    return {
      connect: async () => {
        const store = await place.connect();
        opened.unshift(() => store.close());
        return store;
      },
    };
  };
  const open = async (
    options: Partial<RuntimeOptions> = {},
    as?: DialectAgent,
  ): Promise<DialectAgent> =>
    DialectAgent.open({ store: await newPlace().connect(), ...options }, as);
  const newAgent: Bench['newAgent'] = async (options, as) => {
    const made = await open(options, as);
    onTestFinished(() => made.close());
    return made;
  };

  beforeAll(async () => {
    agent = await open();
  });
  afterAll(async () => {
    await agent.close();
    for (const close of opened) await close();
  });

  return {
    face,
    get agent() {
      return agent;
    },
    races,
    caller: () => face.caller(agent),
    newPlace,
    newAgent,
    delegating: async (helper) => {
      const made = await newAgent({ transports: [http()] });
      const { identity: there } = helper.shared;
      const { identity: here, now } = made.shared;
      const endpoints = [helper.url('http')];
      made.shared.book.add(peerFromBundle(there.bundle, { endpoints }, now()));
      helper.shared.book.add(peerFromBundle(here.bundle, {}, now()));
      return made;
    },
  };
}
