// Owns the tests of web hooks: the runner receives what the agent delivers.

import type { JsonObject } from '../../../../src/codec/value.ts';
import { find } from '../dot-path.ts';
import { isTerminalState, stateIn } from '../events.ts';
import { assertFits } from '../steps.ts';
import type { Delivery, Webhook } from '../webhook.ts';
import { openWebhook } from '../webhook.ts';
import type { World } from '../world.ts';
import type { Special, Specials } from './special.ts';

export const PUSH: Specials = {
  'PUSH-DELIV-001': delivered(assertToken),
  'SEC-PUSH-001': delivered(assertToken),
  // The first delivery is refused: it comes again.
  'PUSH-DELIV-002': delivered(({ judge }, deliveries) => {
    const [first, second] = deliveries;
    judge.check(second !== undefined, 'what was refused does not come again');
    judge.check(JSON.stringify(first!.body) === JSON.stringify(second!.body), 'another came');
  }, 1),
  'PUSH-DELIV-003': delivered((world, deliveries) => {
    for (const { method, headers, body } of deliveries) {
      const { judge } = world;
      judge.check(method === 'POST', `the method is ${method}`);
      const type = headers['content-type'];
      judge.check(type === 'application/a2a+json', `the media type is ${type}`);
      judge.check(headers['transfer-encoding'] === undefined, 'it comes in chunks');
      judge.check(Number(headers['content-length']) > 0, 'it has no length');
      assertFits(world, 'StreamResponse', body);
    }
  }),
};

function delivered(
  check: (world: World, deliveries: readonly Delivery[]) => void,
  failures = 0,
): Special {
  const hooks = new WeakMap<World, Webhook>();
  return {
    prepare: async (world) => {
      const hook = await openWebhook(failures);
      hooks.set(world, hook);
      world.variables.set('webhookUrl', hook.url);
    },
    check: async (world) => {
      const hook = hooks.get(world)!;
      try {
        const deliveries = await hook.until(({ body }) => isTerminalState(stateIn(body)));
        const ours = taskOf(world);
        const strange = deliveries.filter(({ body }) => ours !== taskIn(body));
        world.judge.check(strange.length === 0, 'it tells of another task');
        check(world, deliveries);
      } finally {
        await hook.close();
      }
    },
  };
}

function assertToken({ judge }: World, deliveries: readonly Delivery[]): void {
  for (const { headers } of deliveries) {
    const { authorization } = headers;
    judge.check(authorization === 'Bearer test-token', `it shows "${authorization}"`);
  }
}

/** That the test began. */
function taskOf({ variables }: World): string | undefined {
  return variables.get('create.taskId') ?? variables.get('create-task.taskId');
}

function taskIn(body: JsonObject): string | undefined {
  const paths = ['task.id', 'statusUpdate.taskId', 'artifactUpdate.taskId'];
  return paths.map((path) => find(body, path)).find((id) => id !== undefined) as string | undefined;
}
