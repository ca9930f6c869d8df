// A relay made with `@a2a-js/sdk` 1.3: a plain server of A2A 1.0 over three bindings that passes parts along. It knows
// nothing of what is in them.

import {
  AgentCard,
  Message,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
} from '@a2a-js/sdk';
import type { AgentExecutor, ExecutionEventBus, TaskStore } from '@a2a-js/sdk/server';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import { Server as GrpcServer } from '@grpc/grpc-js';

import type { AgentWord } from './agent-link.ts';
import { wordsOf } from './agent-link.ts';
import { AGENT_SOCKET, CARD, keep, openHost, ready } from './js-host.ts';

class KeptTasks extends InMemoryTaskStore {
  override async save(...given: Parameters<TaskStore['save']>): Promise<void> {
    keep(Task.toJSON(given[0]));
    await super.save(...given);
  }
}

function publish(
  bus: ExecutionEventBus,
  { message, status, artifact, append, lastChunk }: AgentWord,
  about: { readonly taskId: string; readonly contextId: string },
): void {
  if (message !== undefined) bus.publish(AgentEvent.message(Message.fromJSON(message)));
  else if (status !== undefined) {
    bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ ...about, status })));
  } else {
    const event = { ...about, artifact, append, lastChunk };
    bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(event)));
  }
}

const contexts = new Map<string, string>();
const executor: AgentExecutor = {
  async execute({ taskId, contextId, userMessage, task }, bus) {
    contexts.set(taskId, contextId);
    const message = Message.toJSON(userMessage);
    let isBegun = task !== undefined;
    for await (const word of wordsOf(AGENT_SOCKET, { taskId, message })) {
      if (!isBegun && word.message === undefined) {
        const status = { state: 'TASK_STATE_SUBMITTED' };
        const begun = Task.fromJSON({ id: taskId, contextId, status, history: [message] });
        bus.publish(AgentEvent.task(begun));
      }
      isBegun = true;
      publish(bus, word, { taskId, contextId });
    }
  },
  async cancelTask(taskId, bus) {
    const contextId = contexts.get(taskId) ?? '';
    for await (const word of wordsOf(AGENT_SOCKET, { taskId })) {
      publish(bus, word, { taskId, contextId });
    }
  },
};

const grpc = new GrpcServer();
const host = await openHost(grpc);
const { app, origin, grpcAddress } = host;
const protocolVersion = '1.0';
const card = AgentCard.fromJSON({
  ...CARD,
  supportedInterfaces: [
    { url: `${origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion },
    { url: `${origin}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion },
    { url: grpcAddress, protocolBinding: 'GRPC', protocolVersion },
  ],
  capabilities: { streaming: true },
});
const requestHandler = new DefaultRequestHandler(card, new KeptTasks(), executor);
const userBuilder = async () => ({ isAuthenticated: true, userName: 'user' });
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
app.use('/rest', restHandler({ requestHandler, userBuilder }));
grpc.addService(A2AService, grpcService({ requestHandler, userBuilder }));
ready(host);
