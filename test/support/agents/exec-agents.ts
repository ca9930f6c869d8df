// Runs commands as tasks, and tells which processes are alive.

import { readFileSync } from 'node:fs';
import { createExecAgent } from '../../../cli/daemon/exec/agent.ts';
import type { ExecAgentOptions, ExecEnd } from '../../../cli/daemon/exec/agent.ts';
import { createTaskEngine } from '../../../src/tasks/engine/engine.ts';
import type { TaskEngineOptions } from '../../../src/tasks/engine/options.ts';
import type { TaskEngine } from '../../../src/tasks/engine/contract.ts';
import type { StartedTask } from '../../../src/tasks/request.ts';
import type { StartParts } from './tasks.ts';
import { start } from './tasks.ts';

export interface ExecRuns {
  readonly engine: TaskEngine;
  /** How each run ended, in order. */
  readonly ends: ExecEnd[];
  readonly start: (id: string, parts?: StartParts) => Promise<StartedTask>;
}

export function execRuns(
  command: string,
  agentOptions: Partial<ExecAgentOptions> = {},
  engineOptions: Partial<TaskEngineOptions> = {},
): ExecRuns {
  const ends: ExecEnd[] = [];
  const onTask = createExecAgent({ command, onEnd: (end) => void ends.push(end), ...agentOptions });
  const engine = createTaskEngine({ onTask, ...engineOptions });
  return {
    engine,
    ends,
    start: (id, parts) => start(engine, { id, ...parts }),
  };
}

/** One word for {@link execRuns}, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function nodeCommand(script: string): string {
  return `${quoted(process.execPath)} -e ${quoted(script)}`;
}

export function shellCommand(script: string): string {
  return `/bin/sh -c ${quoted(script)}`;
}

/** Resolves when the process is gone; one that is dead but not collected by its parent counts as gone. */
export async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // Not Linux, or gone in between: the next look tells.
    return true;
  }
}
