// A relay made with `@a2a-js/sdk` 0.3.14: a plain server of A2A 0.3 over three bindings that passes parts along. It knows
// nothing of what is in them.

import type { AgentCard, Message, Task } from '@a2a-js/sdk-v0.3';
import type { AgentExecutor, ExecutionEventBus } from '@a2a-js/sdk-v0.3/server';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk-v0.3/server';
import { agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk-v0.3/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk-v0.3/server/grpc';
import { Server as GrpcServer } from '@grpc/grpc-js';

import type { AgentWord } from './agent-link.ts';
import { wordsOf } from './agent-link.ts';
import { AGENT_SOCKET, CARD, keep, openHost, ready } from './js-host.ts';

class KeptTasks extends InMemoryTaskStore {
  override async save(task: Task): Promise<void> {
    keep(task);
    await super.save(task);
  }
}

const GOING_ON: ReadonlySet<string> = new Set(['working', 'submitted']);

function publish(
  bus: ExecutionEventBus,
  { message, status, artifact, append = false, lastChunk = false }: AgentWord,
  about: { readonly taskId: string; readonly contextId: string },
): void {
  if (message !== undefined) bus.publish(message as Message);
  else if (status !== undefined) {
    const final = !GOING_ON.has((status as { state: string }).state);
    bus.publish({ kind: 'status-update', ...about, final, status: status as never });
  } else {
    const update = { artifact: artifact as never, append, lastChunk };
    bus.publish({ kind: 'artifact-update', ...about, ...update });
  }
}

const contexts = new Map<string, string>();
const executor: AgentExecutor = {
  async execute({ taskId, contextId, userMessage, task }, bus) {
    contexts.set(taskId, contextId);
    let isBegun = task !== undefined;
    for await (const word of wordsOf(AGENT_SOCKET, { taskId, message: userMessage })) {
      if (!isBegun && word.message === undefined) {
        const status = { state: 'submitted' } as const;
        bus.publish({ kind: 'task', id: taskId, contextId, status, history: [userMessage] });
      }
      isBegun = true;
      publish(bus, word, { taskId, contextId });
    }
    bus.finished();
  },
  async cancelTask(taskId, bus) {
    const contextId = contexts.get(taskId) ?? '';
    for await (const word of wordsOf(AGENT_SOCKET, { taskId })) {
      publish(bus, word, { taskId, contextId });
    }
    bus.finished();
  },
};

const grpc = new GrpcServer();
const host = await openHost(grpc);
const { app, origin, grpcAddress } = host;
const card: AgentCard = {
  ...CARD,
  protocolVersion: '0.3.0',
  url: `${origin}/rpc`,
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [
    { url: `${origin}/rpc`, transport: 'JSONRPC' },
    { url: `${origin}/rest`, transport: 'HTTP+JSON' },
    { url: `http://${grpcAddress}`, transport: 'GRPC' },
  ],
  capabilities: { streaming: true },
};
const requestHandler = new DefaultRequestHandler(card, new KeptTasks(), executor);
const userBuilder = async () => ({ isAuthenticated: true, userName: 'user' });
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
app.use('/rest', restHandler({ requestHandler, userBuilder }));
grpc.addService(A2AService, grpcService({ requestHandler, userBuilder }));
ready(host);
