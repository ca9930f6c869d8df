// Owns `task.watch`: what happens to a task, told as it happens. SPEC.md section 8 (#task-ids, #parts).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { Answer } from '../../content.ts';
import { walkOf } from '../../door/covered.ts';
import type { TaskService } from '../../door/service.ts';
import type { TellSent } from '../../door/witness.ts';
import type { TaskStep } from '../../tasks/event.ts';
import { isResting, isTerminal } from '../../tasks/task.ts';
import { answer } from '../answer.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { defineTool } from '../tools/tool.ts';
import { ownerIn, unknownTask } from './owner.ts';
import { GENERATION, OWNER, TASK_DOCUMENT, TASK_ID, membersOf } from './tool-schemas.ts';
import { TaskUpdates } from './updates.ts';

const AFTER = {
  ...GENERATION,
  description: 'events after this generation (default: all)',
} as const;
const WHOLE = {
  type: 'boolean',
  description: 'first all of the task as it was after that generation, then only what is new',
} as const;

export function watchTool(tasks: TaskService, sent: TellSent): Tool {
  return defineTool({
    name: 'task.watch',
    title: 'Follow a task',
    description: 'The events of a task after a generation, until it ends or waits for its owner.',
    args: membersOf({ id: TASK_ID, owner: OWNER, after: AFTER, whole: WHOLE }, ['id']),
    result: TASK_DOCUMENT,
    isRead: true,
    run: (args, context) => watch(tasks, sent, args, context),
  });
}

async function* watch(
  tasks: TaskService,
  sent: TellSent,
  args: JsonObject,
  { call, signal, wantsStream, afterGeneration = 0 }: ToolContext,
): AsyncGenerator<Answer, JsonValue> {
  const id = args['id'] as string;
  const isWhole = args['whole'] === true;
  const now = await tasks.get(call, id, { ...ownerIn(args), includeArtifacts: false });
  if (now === undefined) throw unknownTask();
  const after = Math.max(Number(args['after'] ?? 0), afterGeneration);
  // Without the whole task each patch starts from what came before, so all of it is gone through.
  const from = isWhole ? Math.min(after, now.generation) : 0;
  let updates: TaskUpdates | undefined;
  let isTold = false;
  const tellSent = (step: TaskStep): void => {
    if (wantsStream) sent(call, step);
    isTold = wantsStream;
  };
  for await (const step of tasks.follow(walkOf(call, signal), id, from, ownerIn(args))) {
    if (updates === undefined) {
      updates = new TaskUpdates(step.task, isWhole);
      // The result tells all of a task that has ended.
      if (isWhole && !isTerminal(step.task.status.state)) {
        tellSent(step);
        yield explicit(updates.tellWhole()());
      }
      continue;
    }
    const tell = updates.tell(step);
    const { generation, status } = step.task;
    const isNew = generation > after;
    if (isNew) {
      tellSent(step);
      yield explicit(tell());
    }
    // A caller that has already seen the task waiting wants the events after that, so only a new rest ends the watch.
    if (isNew && isResting(status.state) && generation >= now.generation) break;
  }
  // The task was removed before all its events were sent.
  if (updates === undefined || updates.task.generation < now.generation) throw unknownTask();
  if (!isTold) sent(call, { task: updates.task });
  return updates.document;
}

function explicit({ ct, payload, generation }: Answer): Answer {
  return answer(ct, payload, generation);
}
