// A program that runs a command as a task, prints the first line of its output, and then ends as it is told.
// Arguments: how it ends (`exit`, `throw`, or a signal that it waits for), the command.

import { createExecAgent } from '../../cli/exec-agent.ts';
import { createTaskEngine } from '../../src/tasks/task-engine.ts';
import { start } from './tasks.ts';

const [end, command] = process.argv.slice(2) as [string, string];
const engine = createTaskEngine({ onTask: createExecAgent({ command }) });
const started = await start(engine, { id: 't' });
for await (const event of started.events(0)) {
  if (event.type !== 'artifact') continue;
  process.stdout.write(event.artifact.content);
  if (end === 'exit') process.exit(0);
  if (end === 'throw') throw new Error('the agent failed');
}
