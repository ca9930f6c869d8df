// Runs all server tests of ACTS against the conformance agent: a process of its own for every run, every binding that a
// test allows.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { ConformanceAgent } from '../../support/a2a/conformance-agent.ts';
import { startConformanceAgent } from '../../support/a2a/conformance-agent.ts';
import { hasVectors } from '../../support/repository/vectors.ts';
import type { Binding } from './bindings/binding.ts';
import { grpc } from './bindings/grpc.ts';
import { jsonRpc } from './bindings/jsonrpc.ts';
import { rest } from './bindings/rest.ts';
import type { ActsTest, BindingName } from './document.ts';
import { readSuite } from './document.ts';
import { CONTRADICTIONS, ELSEWHERE } from './exceptions.ts';
import { ActsFailure, Judge } from './judge.ts';
import { runTest } from './runner.ts';
import type { RunName } from './runs.ts';
import { RUNS, runOf } from './runs.ts';
import type { World } from './world.ts';

/** Several processes compile themselves at once. */
const START_MS = 120_000;

const all = hasVectors ? readSuite() : [];
const ours = all.filter(({ id }) => ELSEWHERE[id] === undefined);
const cases = ours.flatMap((one) => one.transport.map((name) => [one, name] as const));

const agents = new Map<RunName, ConformanceAgent>();

beforeAll(async () => {
  if (!hasVectors) return;
  await Promise.all(
    (Object.keys(RUNS) as RunName[]).map(async (run) => {
      agents.set(run, await startConformanceAgent(...RUNS[run]));
    }),
  );
}, START_MS);
afterAll(async () => {
  const ended = await Promise.all([...agents.values()].map((agent) => agent.stop()));
  for (const { code, stderr } of ended) expect([code, stderr]).toEqual([0, '']);
});

describe.skipIf(!hasVectors)('the suite', () => {
  test('has 111 tests: 102 of servers and 9 of clients', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(111);
    expect([all.length, ours.length]).toEqual([111, 102]);
    const forClients = all.filter(({ isForClients }) => isForClients).map(({ id }) => id);
    expect(Object.keys(ELSEWHERE).sort()).toEqual([...forClients, 'SEC-PUSH-002'].sort());
    const levels = (level: string): number => all.filter((one) => one.level === level).length;
    expect(['must', 'should', 'may'].map(levels)).toEqual([65, 33, 13]);
  });

  test('has every test that is an exception, in its runs', () => {
    const known = new Set(ours.map(({ id }) => id));
    expect(Object.keys(CONTRADICTIONS).filter((id) => !known.has(id))).toEqual([]);
    const counts = Object.keys(RUNS).map((run) => ours.filter((one) => runOf(one) === run).length);
    expect(counts).toEqual([88, 4, 9, 1]);
    const over = (name: string): number => cases.filter(([, binding]) => binding === name).length;
    expect(['jsonrpc', 'rest', 'grpc'].map(over)).toEqual([92, 84, 80]);
  });
});

describe.concurrent('ACTS #a2a-semantics #a2a-streams #a2a-errors #a2a-callers', () => {
  test.each(cases.map(([one, name]) => [one.id, name, one] as const))(
    '%s over %s',
    async (id, name, one) => {
      const world = worldOf(one, name);
      const contradiction = CONTRADICTIONS[id];
      try {
        if (contradiction === undefined) await runTest(world);
        else {
          await expect(runTest(world)).rejects.toSatisfy(
            (cause) => cause instanceof ActsFailure && contradiction.failure.test(cause.message),
            contradiction.reason,
          );
        }
      } finally {
        world.binding.close();
      }
    },
  );
});

function worldOf(one: ActsTest, name: BindingName): World {
  const run = runOf(one);
  const agent = agents.get(run)!;
  return {
    test: one,
    agent,
    binding: bindingTo(agent, name),
    judge: new Judge(),
    token: run === 'auth' ? agent.tokens.user : undefined,
    variables: new Map([
      ...Object.entries(one.variables),
      ['insufficientAuthToken', agent.tokens.insufficient],
    ]),
    responses: new Map(),
  };
}

function bindingTo(agent: ConformanceAgent, name: BindingName): Binding {
  if (name === 'grpc') return grpc(agent.grpc!);
  return name === 'jsonrpc' ? jsonRpc(agent.jsonrpc) : rest(agent.rest);
}
