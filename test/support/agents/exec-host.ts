// A program that runs a command as a task, prints the first line of its output, and then ends as it is told.
// Arguments: how it ends (`exit`, `throw`, a signal that it waits for, or a number: it is killed as soon as it has
// started so many processes, whose ids it prints instead), the command.

import childProcess from 'node:child_process';
import { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { createExecAgent } from '../../../cli/daemon/exec/agent.ts';
import { createTaskEngine } from '../../../src/tasks/engine/engine.ts';
import { textIn } from '../../../src/tasks/part.ts';
import { start } from './tasks.ts';

const [end, command] = process.argv.slice(2) as [string, string];
if (Number(end) > 0) killAfterStarting(Number(end));
const engine = createTaskEngine({ onTask: createExecAgent({ command }) });
const { task } = await start(engine, { id: 't' });
for await (const { event } of engine.follow(task, task.id, 0)) {
  if (event?.type !== 'artifact') continue;
  process.stdout.write(textIn(event.artifact.parts, ''));
  if (end === 'exit') process.exit(0);
  if (end === 'throw') throw new Error('the agent failed');
}

function killAfterStarting(count: number): void {
  const { spawn } = childProcess;
  const ids: (number | undefined)[] = [];
  childProcess.spawn = ((...args: Parameters<typeof spawn>) => {
    const child = spawn(...args);
    ids.push(child.pid);
    if (ids.length < count) return child;
    writeSync(1, `${ids.join(' ')}\n`);
    process.kill(process.pid, 'SIGKILL');
    // The signal may take a moment; nothing may happen in it.
    for (;;);
  }) as typeof spawn;
  syncBuiltinESMExports();
}
