// Sealed tasks through servers of others that only pass parts along: the same content at the other end, a receipt that
// holds, and nothing of it in what the server prints, stores or has in memory.

import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { pythonWith } from '../../../support/a2a/pythons.ts';
import type { Ends } from '../../../support/a2a/sealed.ts';
import { FAMILIES, newEnds } from '../../../support/a2a/sealed.ts';
import type { Binding, Driver } from '../drivers/driver.ts';
import { jsV03 } from '../drivers/js-v03.ts';
import { jsV1 } from '../drivers/js-v1.ts';
import { pythonV03 } from '../drivers/python.ts';
import type { SealedAgent } from './agent.ts';
import { startAgent } from './agent.ts';
import { CASES } from './cases.ts';
import type { Relay } from './relay.ts';
import { startRelay } from './relay.ts';
import { IN_CLEAR, SECRETS } from './secrets.ts';

const BINDINGS: readonly Binding[] = ['JSONRPC', 'HTTP+JSON', 'GRPC'];
const TIMEOUT_MS = 60_000;

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const js = (script: string): string[] => [process.execPath, '--import', 'tsx', here(script)];

interface Stranger {
  readonly name: string;
  /** What starts it. */
  readonly command: readonly string[];
  readonly client: (binding: Binding) => Driver;
  readonly generation: '1.0' | '0.3';
}

const STRANGERS: readonly Stranger[] = [
  { name: '@a2a-js/sdk 1.3', command: js('js-v1.ts'), client: jsV1, generation: '1.0' },
  { name: '@a2a-js/sdk 0.3.14', command: js('js-v03.ts'), client: jsV03, generation: '0.3' },
  ...python('a2a-sdk 1.3.0', (program) => ({
    command: [program, '-B', here('python_v1.py')],
    client: jsV1,
    generation: '1.0',
  })),
  ...python('a2a-sdk 0.3.26', (program) => ({
    command: [program, '-B', here('python_v03.py')],
    // Its own: that of JavaScript cannot read its streams over REST.
    client: (binding) => pythonV03(program, binding),
    generation: '0.3',
  })),
];

/** Where it is installed. */
function python(
  requirement: 'a2a-sdk 1.3.0' | 'a2a-sdk 0.3.26',
  strangerOf: (program: string) => Omit<Stranger, 'name'>,
): Stranger[] {
  const program = pythonWith(requirement);
  return program === undefined ? [] : [{ name: `Python ${requirement}`, ...strangerOf(program) }];
}

describe.each(STRANGERS)(
  '#sealed-message #sealed-visible through a server of $name that passes parts along',
  ({ command, client, generation }) => {
    let ends: Ends;
    let agent: SealedAgent;
    let relay: Relay;
    beforeAll(async () => {
      ends = await newEnds();
      agent = await startAgent(ends);
      relay = await startRelay(command, agent.socket);
    }, TIMEOUT_MS);
    afterAll(async () => {
      await relay?.stop();
      await agent?.stop();
    });

    describe.each(BINDINGS)('over %s', (binding) => {
      const driver = client(binding);
      test.each(CASES)('$title', { timeout: TIMEOUT_MS }, async ({ run }) => {
        const line = await driver.connect(relay.origin, {});
        try {
          const family = FAMILIES[generation === '1.0' ? 0 : 2]!;
          await run({ ends, line, family, isV1: generation === '1.0' });
        } finally {
          await line.close();
        }
      });
    });

    test(
      'which knows none of it: in its log, its store and its memory',
      { timeout: TIMEOUT_MS },
      () => {
        const { store, memory } = relay.findings([IN_CLEAR]);
        expect({ store, memory }).toEqual({ store: [IN_CLEAR], memory: [IN_CLEAR] });
        expect(agent.refusals).toEqual([]);
        const nothing = { log: [], store: [], memory: [] };
        expect(relay.findings(Object.values(SECRETS))).toEqual(nothing);
      },
    );
  },
);
