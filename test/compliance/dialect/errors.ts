// Cases 45, 46 and 48: every refusal in the form of the face, nothing of a cause in it, and each on record.

import { expect } from 'vitest';

import type { ErrorCode } from '../../../src/errors.ts';
import { ERRORS, SdlError } from '../../../src/errors.ts';
import type { Outcome } from '../../../src/pipeline/receive.ts';
import type { DialectAgent } from '../../support/dialect/agent.ts';
import { doing } from '../../support/dialect/works.ts';
import { readMetrics } from '../../support/wire/prometheus.ts';
import type { Case } from './case.ts';
import { allOf, refusalOf } from './case.ts';

const SECRET = 'the password is swordfish';
const OPERATIONS = ['start', 'message', 'get', 'list', 'follow', 'cancel'];

export const ERROR_CASES: readonly Case[] = [
  {
    number: 45,
    title: 'every code of the table is told in the form of the face',
    run: async ({ face, newAgent }) => {
      const agent = await newAgent({
        accepts: ({ text }) => {
          throw new SdlError(text as ErrorCode, SECRET);
        },
      });
      for (const code of Object.keys(ERRORS) as ErrorCode[]) {
        // Each by somebody new: what refuses a caller for reasons of security is remembered of it.
        const refusal = await refusalOf((await face.caller(agent)).start(code));
        expect([code, refusal.code, refusal.retryable]).toEqual([
          code,
          face.codeOf(code),
          face.mayPass?.(code) ?? ERRORS[code].retryable,
        ]);
        expect(refusal.text).toContain(ERRORS[code].words);
        expect(refusal.text).not.toContain(SECRET);
      }
    },
  },
  {
    number: 46,
    title: 'nothing of what broke inside leaves the agent',
    run: async ({ face, newAgent }) => {
      const errors: unknown[] = [];
      const agent = await newAgent({
        accepts: ({ text }) => {
          if (text === 'break') throw new Error(SECRET, { cause: SECRET });
        },
        on: { error: (cause) => void errors.push(cause) },
      });
      const owner = await face.caller(agent);
      const { code, text } = await refusalOf(owner.start('break'));
      expect(code).toBe(face.codeOf('INTERNAL'));
      expect(text).not.toContain('swordfish');
      const failed = await owner.run(
        doing(async () => {
          throw new Error(SECRET, { cause: SECRET });
        }),
      );
      expect(failed).toMatchObject({ state: 'failed', failure: { code: 'INTERNAL' } });
      expect(JSON.stringify(failed)).not.toContain('swordfish');
      // The embedder is told.
      expect(errors.some((cause) => (cause as Error).message.includes('swordfish'))).toBe(true);
    },
  },
  {
    number: 48,
    title: 'each operation and each refusal is in the audit log, the outcomes and the metrics',
    run: async ({ face, newAgent }) => {
      const outcomes: Outcome[] = [];
      const agent = await newAgent({ on: { outcome: (outcome) => void outcomes.push(outcome) } });
      const owner = await face.caller(agent);
      const { id } = await owner.run(doing(async (_task, ctx) => (await ctx.ask('?')).text));
      await owner.say(id, 'hello');
      await allOf(owner.follow(id));
      await owner.get(id);
      await owner.list();
      await owner.cancel(id).catch(() => undefined);
      await refusalOf(owner.say(id, 'too late'));
      expect(await verdictsOf(agent)).toEqual(
        expect.arrayContaining([...OPERATIONS.map((name) => `${name} ok`), 'message TASK_ENDED']),
      );
      face.change(agent, owner, 'narrow');
      await refusalOf(owner.start(doing(async () => 'never')));
      const { ok, problems, size } = await (await agent.audit()).verify();
      expect([ok, problems]).toEqual([true, []]);
      // A request of an envelope has a reply too.
      const isMessage = ({ operation }: Outcome): boolean => operation === undefined;
      const proven = outcomes.filter(({ isProven }) => isProven);
      expect(size).toBeGreaterThanOrEqual(proven.length);
      expect(size).toBeLessThanOrEqual(proven.length + proven.filter(isMessage).length);
      expect(outcomes.at(-1)!.error?.code).toBe('NOT_AUTHORIZED');
    },
  },
];

/** `operation verdict` of everything that went through the door. */
async function verdictsOf({ runtime }: DialectAgent): Promise<string[]> {
  const { metrics } = await runtime.listenContext();
  const { samples } = readMetrics(metrics()).get('a2a_sdl_operations_total')!;
  return [...samples.keys()].map((sample) => {
    const [, operation] = /operation="(\w+)"/.exec(sample)!;
    const [, verdict] = /verdict="(\w+)"/.exec(sample)!;
    return `${operation} ${verdict}`;
  });
}
