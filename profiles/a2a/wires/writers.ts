// Owns answers and frames of a wire as JSON, the same for all but for their shape. SPEC.md section 20 (#a2a-wires).

import type { JsonObject, Message } from '../../../src/door/index.ts';
import { writeFields } from '../fields/write.ts';
import type { Frame } from './forms.ts';
import { messageForm, stepFrame, taskForm } from './forms.ts';
import type { Shape } from './shape.ts';
import type { Wire } from './wire.ts';

type Writers = Pick<Wire, 'writeSent' | 'writeTask' | 'writePage' | 'writeStep' | 'writeAnswer'>;

export function writersFor(shape: Shape): Writers {
  const { table, isKinded } = shape;

  function frameOf({ message, member, fields }: Frame): JsonObject {
    const written = writeFields(table, message, fields);
    return isKinded ? written : { [member]: written };
  }
  const answerOf = (message: Message): JsonObject =>
    frameOf({ message: 'Message', member: 'message', fields: messageForm(shape, message, {}) });

  return {
    writeSent: (sent, historyLength) => {
      if ('message' in sent) return answerOf(sent.message);
      const fields = taskForm(shape, sent.task, historyLength);
      return frameOf({ message: 'Task', member: 'task', fields });
    },
    writeTask: (task, historyLength) =>
      writeFields(table, 'Task', taskForm(shape, task, historyLength)),
    writePage: ({ tasks, ...page }, { historyLength = 0, includeArtifacts }) => ({
      tasks: tasks.map((task) => {
        const { artifacts, ...form } = taskForm(shape, task, historyLength);
        const isShown = includeArtifacts && artifacts !== undefined;
        return writeFields(table, 'Task', isShown ? { ...form, artifacts } : form);
      }),
      ...page,
    }),
    writeStep: (step, isLast) => {
      const frame = stepFrame(shape, step, isLast);
      return frame && frameOf(frame);
    },
    writeAnswer: answerOf,
  };
}
