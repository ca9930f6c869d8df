// Owns one run of one test over one binding, from its preconditions to its last check.

import type { JsonObject } from '../../../src/codec/value.ts';
import { CONTRADICTIONS } from './exceptions.ts';
import { ActsFailure } from './judge.ts';
import { needsMore } from './special/special.ts';
import { SPECIALS } from './special/table.ts';
import { runStep } from './steps.ts';
import type { World } from './world.ts';

/** @throws ActsFailure where the agent is wrong, with the step; any other error where the runner is. */
export async function runTest(world: World): Promise<void> {
  const { test, judge } = world;
  const special = SPECIALS[test.id];
  if (special === undefined && needsMore(test) && CONTRADICTIONS[test.id] === undefined) {
    throw new Error(`${test.id} wants something of the runner that it does not do`);
  }
  await assertPreconditions(world);
  await within('prepare', async () => special?.prepare?.(world));
  for (const step of test.steps) {
    const before = judge.checks;
    await within(step.id, () => runStep(world, step));
    if (judge.checks === before) throw new Error(`${test.id}, ${step.id}: nothing was checked`);
  }
  await within('special', async () => special?.check(world));
}

/** The run is chosen so that they hold: where they do not, that is an error. */
async function assertPreconditions({ test, agent }: World): Promise<void> {
  const { authentication, ...capabilities } = test.capabilities;
  const card = (await (await fetch(agent.card)).json()) as JsonObject;
  const declared = card['capabilities'] as JsonObject;
  for (const [name, wanted] of Object.entries(capabilities)) {
    if ((declared[name] ?? false) !== wanted)
      throw new Error(`${test.id} is in a wrong run: ${name}`);
  }
  if (authentication === true && card['securitySchemes'] === undefined) {
    throw new Error(`${test.id} is in a run without authentication`);
  }
}

async function within(step: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (!(thrown instanceof ActsFailure)) throw thrown;
    throw new ActsFailure(`${step}: ${thrown.message}`, { cause: thrown });
  }
}
