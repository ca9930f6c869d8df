// Authority along a chain of agents: each shows what it was given, and gives no more than it has.

import { describe, expect, test } from 'vitest';

import type { TaskUpdate } from '../../src/client/task-update.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { attenuateGrant, issueGrant } from '../../src/security/policy/grant.ts';
import type { GrantScope } from '../../src/security/policy/grant-shape.ts';
import { readGrant } from '../../src/security/policy/grant-shape.ts';
import type { OnTask } from '../../src/tasks/context.ts';
import type { DelegateOptions } from '../../src/tasks/delegation.ts';
import { TaskError } from '../../src/tasks/error.ts';
import type { Agent } from '../support/agents/agents.ts';
import { NOW, crypto } from '../support/agents/agents.ts';
import { agentsThatKnowEachOther, know } from '../support/agents/delegating-agents.ts';

const HOUR_MS = 3_600_000;
const WORK = { ct: ['task.v1', 'toolcall.v1'], tools: ['task.cancel', 'task.reply'] };
const NOTHING = { contentTypes: [], tools: [] };

function idOf(agent: Agent): string {
  return agent.identity.agentId;
}

/** The holder's grant for one agent, as its first holder hands it to the next. */
async function grantFor(
  audience: Agent,
  holder: Agent,
  next: Agent,
  maxHops = 4,
  allow: GrantScope = WORK,
): Promise<JsonObject> {
  const content = {
    id: 'root',
    iss: idOf(audience),
    sub: idOf(holder),
    aud: idOf(audience),
    allow,
    maxHops,
    notAfterMs: NOW + HOUR_MS,
  };
  const root = await issueGrant(content, audience.identity.root.reveal(), crypto);
  const narrower = { id: 'child', sub: idOf(next) };
  return attenuateGrant(root, narrower, holder.identity.root.reveal(), crypto);
}

function give(alice: Agent, bob: Agent, grants: readonly JsonObject[]): Promise<TaskUpdate> {
  return alice.runtime.connect(idOf(bob)).task('x', { authz: { grants } }).result();
}

function passingTo(next: () => string, options: () => DelegateOptions = () => ({})): OnTask {
  return async (_task, ctx) => {
    const { failure, artifacts } = await ctx.delegate(next(), 'x', options()).result();
    if (failure !== undefined) throw new TaskError(failure.message, failure);
    return artifacts[0]!.text;
  };
}

const done: OnTask = async () => 'done';

describe('#grant a delegated task', () => {
  test('is done where the grant that came along allows it, and refused without', async () => {
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: { onTask: passingTo(() => id('carol')) },
      carol: { onTask: done },
    }));
    const { alice, bob, carol } = agents;
    know(carol, bob, NOTHING);
    const grant = await grantFor(carol, alice, bob);
    expect((await give(alice, bob, [grant])).artifacts[0]!.text).toBe('done');
    const refused = await give(alice, bob, []);
    expect(refused.failure).toMatchObject({ code: 'CHILD_REFUSED' });
  });

  test('shows the grant that its author names before the one that came along', async () => {
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: passingTo(
          () => id('carol'),
          () => ({ grant: own() }),
        ),
      },
      carol: { onTask: done },
    }));
    const { alice, bob, carol } = agents;
    know(carol, bob, NOTHING);
    const held = await grantFor(carol, bob, bob);
    const own = (): JsonObject => held;
    const useless = await grantFor(carol, alice, bob, 4, { ct: [], tools: [] });
    expect((await give(alice, bob, [useless])).status).toBe('completed');
  });

  test('knows only grants that can be read and name the agent as holder', async () => {
    const seen: string[] = [];
    const agents = await agentsThatKnowEachOther(() => ({
      alice: {},
      bob: {
        onTask: async (_task, ctx) => {
          seen.push(...ctx.grants.map((grant) => readGrant(grant, '').aud));
        },
      },
      carol: {},
    }));
    const { alice, bob, carol } = agents;
    const good = await grantFor(carol, alice, bob);
    const foreign = await grantFor(carol, alice, alice);
    await give(alice, bob, [foreign, { id: 'no grant' }, good]);
    expect(seen).toEqual([idOf(carol)]);
  });

  test('carries a grant further, narrowed, to an agent that does not know who stood between', async () => {
    const shown: JsonObject[] = [];
    let asked: DelegateOptions = {};
    const agents = await agentsThatKnowEachOther((id) => ({
      alice: {},
      bob: {
        onTask: passingTo(
          () => id('carol'),
          () => asked,
        ),
      },
      carol: {
        onTask: (task, ctx) => {
          shown.push(...ctx.grants);
          return passingTo(() => id('dave'))(task, ctx);
        },
      },
      dave: { onTask: done },
    }));
    const { alice, bob, carol, dave } = agents;
    know(dave, carol, NOTHING);
    dave.book.entries.delete(idOf(bob));
    const grant = await grantFor(dave, alice, bob);

    expect((await give(alice, bob, [grant])).failure?.code).toBe('CHILD_REFUSED');
    const deadline = NOW + 60_000;
    asked = { handOn: [idOf(dave)], allow: { ct: ['task.v1'], tools: [] }, deadline };
    expect((await give(alice, bob, [grant])).artifacts[0]!.text).toBe('done');
    expect(readGrant(shown[0], '')).toMatchObject({
      iss: idOf(bob),
      sub: idOf(carol),
      aud: idOf(dave),
      allow: { ct: ['task.v1'], tools: [] },
      maxHops: 2,
      notAfterMs: deadline,
    });

    asked = { handOn: [idOf(dave)], allow: { ct: ['*'], tools: ['*'] } };
    expect((await give(alice, bob, [grant])).failure?.code).toBe('NOT_AUTHORIZED');
    const spent = await grantFor(dave, alice, bob, 1);
    asked = { handOn: [idOf(dave)] };
    expect((await give(alice, bob, [spent])).failure?.code).toBe('NOT_AUTHORIZED');
    expect((await give(alice, bob, [])).failure?.code).toBe('GRANT_MISSING');
  });
});
