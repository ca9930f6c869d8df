// Owns the matrix: one set of cases for every client of others, over every binding. A driver says which cases its client
// has no words for; every other case is run, and none goes missing.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { securityOf } from '../../../profiles/a2a/index.ts';
import type { TestAgent } from '../../support/a2a/agent.ts';
import { ENTRIES, TOKENS } from '../../support/a2a/agent.ts';
import type { Home } from '../../support/a2a/homes.ts';
import { OWN_PORT } from '../../support/a2a/homes.ts';
import type { StoreKind } from '../../support/dialect/stores.ts';
import { CARDS } from './cases/cards.ts';
import type { Bench, Case } from './cases/case.ts';
import { CONTENT } from './cases/content.ts';
import { HOOKS } from './cases/hooks.ts';
import { REFUSALS } from './cases/refusals.ts';
import { SENDING } from './cases/sending.ts';
import { TASKS } from './cases/tasks.ts';
import type { Driver } from './drivers/driver.ts';
import { open } from './drivers/driver.ts';

const CASES: readonly Case[] = [
  ...SENDING,
  ...TASKS,
  ...CONTENT,
  ...CARDS,
  ...REFUSALS,
  ...HOOKS,
].toSorted((one, other) => one.number - other.number);

export interface Setting {
  readonly kind: StoreKind;
  /** @default on a port of its own */
  readonly home?: Home;
}

export function describeClient(driver: Driver, { kind, home = OWN_PORT }: Setting): void {
  describe(`${driver.name}, to an agent ${home.name} with ${kind.name}`, () => {
    const closes: (() => Promise<unknown>)[] = [];
    const newAgent: Bench['newAgent'] = async (face = {}, place = kind.newPlace()) => {
      const store = await place.connect();
      const agent = await home.open({
        isOpen: false,
        face: {
          description: 'Does what it is told.',
          grpc: { port: 0 },
          allowLoopbackHooks: true,
          // Some clients show a token only where the card asks for one.
          security: () => securityOf(ENTRIES),
          extended: ({ principal }) => ({ description: `For ${principal.id}.` }),
          ...face,
        },
        runtime: {
          store,
          name: 'matrix',
          accepts: ({ text }) => (text === 'at once' ? 'answered at once' : undefined),
        },
      });
      let closed: Promise<void> | undefined;
      const close = (): Promise<void> => (closed ??= agent.close());
      closes.unshift(close, () => store.close());
      return { ...agent, close };
    };
    let agent: TestAgent;
    beforeAll(async () => {
      agent = await newAgent();
    });
    afterAll(async () => {
      for (const close of closes) await close();
    });

    const ran: number[] = [];
    const chosen = CASES.filter(({ number }) => !(number in driver.cannot));
    test.each(chosen)('$number: $title', async (one) => {
      ran.push(one.number);
      const opened: Bench['open'] = async (connection, at = agent) => {
        const client = await open(driver, at.origin, connection);
        onTestFinished(() => client.close());
        return client;
      };
      await one.run({
        driver,
        agent,
        open: opened,
        client: (as = 'user', at = agent) => opened({ token: TOKENS[as]! }, at),
        newAgent,
        newPlace: () => kind.newPlace(),
      });
    });

    test('every case was run, but for those that the client has no words for', () => {
      const numbers = CASES.map(({ number }) => number);
      expect(numbers).toEqual(CASES.map((_, at) => at + 1));
      expect(numbers.filter((number) => !ran.includes(number))).toEqual(
        Object.keys(driver.cannot).map(Number),
      );
    });
  });
}
