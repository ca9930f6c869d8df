// Golden vectors: the same keys, clock and random bytes give the same bytes, and what was sealed once opens for ever. Run
// with A2A_SDL_WRITE_VECTORS=1 after a change of the form that SPEC.md has.

import { readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, test, vi } from 'vitest';

import { openTask } from '../../../../profiles/a2a/sealed/index.ts';
import type { SealedVector } from '../../../fixtures/sealed/vectors.ts';
import { sealVectors, testIdentity, vectorNow } from '../../../fixtures/sealed/vectors.ts';
import type { Shape } from '../../../support/a2a/sealed.ts';
import { ASKED, BUSY, DONE, ONE, TWO, storedTask } from '../../../support/a2a/sealed.ts';

// Every envelope names the version of the package, which must not change the vectors.
vi.mock('../../../../src/version.ts', () => ({ PACKAGE_VERSION: '0.0.0-test' }));

const FILE = new URL('../../../fixtures/sealed/vectors.json', import.meta.url);
const written = (vectors: readonly SealedVector[]): string =>
  `${JSON.stringify({ warning: 'TEST ONLY: the keys are public', vectors }, null, 2)}\n`;

if (process.env['A2A_SDL_WRITE_VECTORS'] === '1') writeFileSync(FILE, written(await sealVectors()));
const text = readFileSync(FILE, 'utf8');
const { vectors } = JSON.parse(text) as { vectors: SealedVector[] };

describe('#sealed-exchange #sealed-message #sealed-detached #sealed-end golden vectors', () => {
  test('are sealed again with the very same bytes', async () => {
    expect(written(await sealVectors())).toBe(text);
  });

  test.each(vectors)('the request in mode $mode opens', async ({ request, mode }) => {
    const [user, agent] = [await testIdentity('user'), await testIdentity('agent')];
    // A memory of its own: it has not seen them.
    const now = (): number => vectorNow();
    const opened = await openTask(request, { identity: agent, peers: [user], now });
    expect(opened).toMatchObject({ mode, from: user.agentId, problems: [] });
    expect(opened.message).toEqual(ASKED);
  });

  test.each(vectors)('the task in mode $mode opens', async (vector) => {
    const [user, agent] = [await testIdentity('user'), await testIdentity('agent')];
    const task = storedTask({ ...vector, opened: undefined as never });
    const opened = await openTask(task, {
      identity: user,
      peers: [agent],
      request: vector.request,
      policy: 'require',
      now: vectorNow,
    });
    expect(opened).toMatchObject({ from: agent.agentId, state: 'completed', problems: [] });
    expect(opened.messages).toEqual([BUSY, DONE]);
    const parts = [...(ONE['parts'] as Shape[]), ...(TWO['parts'] as Shape[])];
    expect(opened.artifacts).toEqual([{ artifactId: 'list', parts }]);
    expect(opened.receipt).toMatchObject({ events: 3 });
  });
});
