// Owns an agent that speaks SWP, with all that it tells of what it refused.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import type { CallerEntry } from '../../../profiles/auth/index.ts';
import { createCallers } from '../../../profiles/auth/index.ts';
import type { SwpOptions } from '../../../profiles/swp/index.ts';
import { swp } from '../../../profiles/swp/index.ts';
import type { Outcome } from '../../../src/pipeline/receive.ts';
import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import type { Runtime } from '../../../src/runtime/runtime.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import { createIdentity } from '../../../src/security/identity/identity.ts';
import type { OnTask } from '../../../src/tasks/context.ts';

export interface SwpAgent {
  readonly runtime: Runtime;
  /** `HOST:PORT` or `unix:PATH`. */
  readonly address: string;
  /** Codes of what the face refused, in order. */
  readonly refusals: () => readonly string[];
  readonly outcomes: readonly Outcome[];
  /** Resolves when it has refused so many times. */
  readonly refused: (count: number) => Promise<readonly Outcome[]>;
}

export interface SwpAgentOptions {
  readonly face?: Partial<SwpOptions>;
  readonly entries?: readonly CallerEntry[];
  readonly anonymous?: readonly string[];
  readonly runtime?: Partial<RuntimeOptions>;
}

/** Echoes what it is asked for. */
const echo: OnTask = async (task) => `did ${task.text}`;

export async function openSwpAgent(
  onTask: OnTask = echo,
  { face = {}, entries = [], anonymous = ['swp'], runtime: more = {} }: SwpAgentOptions = {},
): Promise<SwpAgent> {
  const outcomes: Outcome[] = [];
  let wake = (): void => undefined;
  const runtime = createRuntime({
    identity: await createIdentity(),
    callers: createCallers({ entries, anonymous }),
    onTask,
    ...more,
    on: {
      ...more.on,
      outcome: (outcome) => {
        outcomes.push(outcome);
        wake();
      },
    },
  });
  const isUnix = face.path !== undefined;
  const [listener] = await runtime.listen(swp(isUnix ? face : { port: 0, ...face }));
  onTestFinished(() => runtime.close({ graceMs: 0 }));
  const ofFace = (): readonly Outcome[] => outcomes.filter(({ refusal }) => refusal !== undefined);
  return {
    runtime,
    address: listener!.urls[0]!,
    outcomes,
    refusals: () => ofFace().map(({ refusal }) => refusal!),
    refused: async (count) => {
      while (ofFace().length < count) await new Promise<void>((resolve) => (wake = resolve));
      return ofFace();
    },
  };
}

/** The path of a socket in a folder that is gone after the test. Short, as it has to be. */
export function socketPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'w-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 's');
}
