// A server of the A2A benchmark: the official SDK with Express, as it documents it, its task store in memory.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

import type { Message, Part } from '@a2a-js/sdk';
import { AgentCard, Role, TaskState } from '@a2a-js/sdk';
import type { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, jsonRpcHandler } from '@a2a-js/sdk/server/express';
import { A2AService, UserBuilder as GrpcUsers, grpcService } from '@a2a-js/sdk/server/grpc';
import { ServerCredentials, Server as GrpcServer } from '@grpc/grpc-js';
import express from 'express';

import { ANSWER, EVENTS, Pace, isAsked } from './agent.ts';
import { serve } from './child.ts';

const pace = new Pace();

function textPart(value: string): Part {
  return {
    content: { $case: 'text', value },
    metadata: undefined,
    filename: '',
    mediaType: 'text/plain',
  };
}

function answerTo({ contextId }: RequestContext): Message {
  return {
    messageId: randomUUID(),
    contextId,
    taskId: '',
    role: Role.ROLE_AGENT,
    parts: [textPart(ANSWER)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

function statusOf(
  state: TaskState,
): NonNullable<Parameters<typeof AgentEvent.statusUpdate>[0]['status']> {
  return { state, message: undefined, timestamp: new Date().toISOString() };
}

function publishArtifact(
  { taskId, contextId }: RequestContext,
  bus: ExecutionEventBus,
  { append, lastChunk }: { readonly append: boolean; readonly lastChunk: boolean },
): void {
  const artifact = {
    artifactId: 'answer',
    name: 'answer',
    description: '',
    parts: [textPart(ANSWER)],
    metadata: undefined,
    extensions: [],
  };
  bus.publish(
    AgentEvent.artifactUpdate({
      taskId,
      contextId,
      artifact,
      append,
      lastChunk,
      metadata: undefined,
    }),
  );
}

async function work(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
  const { taskId, contextId, userMessage } = context;
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
  const events = isAsked(textOf(userMessage), 'stream') ? EVENTS : 1;
  for (let event = 1; event <= events; event += 1) {
    publishArtifact(context, bus, { append: event > 1, lastChunk: event === events });
    if (events > 1) await pace.said(event);
  }
  bus.publish(
    AgentEvent.statusUpdate({
      taskId,
      contextId,
      status: statusOf(TaskState.TASK_STATE_COMPLETED),
      metadata: undefined,
    }),
  );
}

function textOf({ parts: [first] }: Message): string {
  return first?.content?.$case === 'text' ? first.content.value : '';
}

const executor: AgentExecutor = {
  async execute(context, bus) {
    if (isAsked(textOf(context.userMessage), 'message')) {
      bus.publish(AgentEvent.message(answerTo(context)));
    } else await work(context, bus);
  },
  cancelTask: () => Promise.reject(new Error('no task of the benchmark is canceled')),
};

serve(async () => {
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/rpc`;
  const grpc = new GrpcServer();
  const bind = promisify(grpc.bindAsync.bind(grpc));
  const grpcAddress = `127.0.0.1:${await bind('127.0.0.1:0', ServerCredentials.createInsecure())}`;
  const card = AgentCard.fromJSON({
    name: 'bench',
    description: 'answers',
    version: '1',
    supportedInterfaces: [
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: grpcAddress, protocolBinding: 'GRPC', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
  });
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  const service = grpcService({ requestHandler, userBuilder: GrpcUsers.noAuthentication });
  grpc.addService(A2AService, service);
  return { url, grpcUrl: `http://${grpcAddress}`, marks: () => pace.take() };
});
