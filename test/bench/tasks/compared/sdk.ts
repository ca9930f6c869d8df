// Contestant: the request handler of the official A2A SDK, with the task store in memory that comes with it.

import { randomUUID } from 'node:crypto';

import { AgentCard, Role, TaskState } from '@a2a-js/sdk';
import type { Message, Part } from '@a2a-js/sdk';
import type { AgentExecutor } from '@a2a-js/sdk/server';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  ServerCallContext,
} from '@a2a-js/sdk/server';

import type { RunTask } from './child.ts';
import { ANSWER, QUESTION, takePart } from './child.ts';

const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});

const statusOf = (state: TaskState) => ({
  state,
  message: undefined,
  timestamp: new Date().toISOString(),
});

const executor: AgentExecutor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const ids = { taskId, contextId, metadata: undefined };
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: statusOf(TaskState.TASK_STATE_WORKING),
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
      }),
    );
    const artifact = {
      artifactId: 'answer',
      name: 'answer',
      description: '',
      parts: [textPart(ANSWER)],
      metadata: undefined,
      extensions: [],
    };
    bus.publish(AgentEvent.artifactUpdate({ ...ids, artifact, append: false, lastChunk: true }));
    bus.publish(
      AgentEvent.statusUpdate({ ...ids, status: statusOf(TaskState.TASK_STATE_COMPLETED) }),
    );
  },
  cancelTask: () => Promise.reject(new Error('no task of the comparison is canceled')),
};

takePart(async (): Promise<RunTask> => {
  const card = AgentCard.fromJSON({
    name: 'bench',
    description: 'answers',
    version: '1',
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
  });
  const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  return async ({ owner }) => {
    const user = { isAuthenticated: true, userName: owner };
    const message: Message = {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [textPart(QUESTION)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
    const request = { tenant: '', message, configuration: undefined, metadata: undefined };
    let artifacts = 0;
    let state: TaskState | undefined;
    for await (const { payload } of handler.sendMessageStream(
      request,
      new ServerCallContext({ user }),
    )) {
      if (payload?.$case === 'artifactUpdate') artifacts += 1;
      if (payload?.$case === 'statusUpdate') state = payload.value.status?.state;
    }
    if (artifacts !== 1 || state !== TaskState.TASK_STATE_COMPLETED) {
      throw new Error(`a task ended as ${state}`);
    }
  };
});
