// Owns agents that are made with the official JavaScript SDKs, 1.3 for A2A 1.0 and 0.3.14 for A2A 0.3, over JSON-RPC,
// REST and gRPC: what our client speaks to. All do what the first word of a message says.

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import {
  AgentCard,
  Message,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatusUpdateEvent,
} from '@a2a-js/sdk';
import type { AgentExecutor as ExecutorV1 } from '@a2a-js/sdk/server';
import {
  AgentEvent,
  DefaultPushNotificationSender as SenderV1,
  DefaultRequestHandler as HandlerV1,
  InMemoryPushNotificationStore as HooksV1,
  InMemoryTaskStore as StoreV1,
} from '@a2a-js/sdk/server';
import * as expressV1 from '@a2a-js/sdk/server/express';
import * as grpcV1 from '@a2a-js/sdk/server/grpc';
import type { AgentExecutor as ExecutorV03 } from '@a2a-js/sdk-v0.3/server';
import {
  DefaultPushNotificationSender as SenderV03,
  DefaultRequestHandler as HandlerV03,
  InMemoryPushNotificationStore as HooksV03,
  InMemoryTaskStore as StoreV03,
} from '@a2a-js/sdk-v0.3/server';
import * as expressV03 from '@a2a-js/sdk-v0.3/server/express';
import * as grpcV03 from '@a2a-js/sdk-v0.3/server/grpc';
import { Server as GrpcServer } from '@grpc/grpc-js';
import type { Express } from 'express';
import express from 'express';

import { bindGrpc } from '../wire/grpc-host.ts';

export interface ForeignServer {
  readonly origin: string;
  stop(): Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

/** What happens after the task itself, in words of no wire. */
type Told =
  | { readonly state: string; readonly words?: string }
  | {
      readonly artifact: string;
      readonly parts: readonly Json[];
      readonly append?: boolean;
      readonly last?: boolean;
    };

interface Script {
  /** An answer without a task. */
  readonly answer?: string;
  readonly told: readonly Told[];
  /** It works until it is canceled. */
  readonly holds?: boolean;
}

/** @param isAsked it has asked before, and this is the reply. */
function scriptOf(text: string, isAsked: boolean): Script {
  if (isAsked) return done(`told ${text}`);
  switch (text.split(/\s/, 1)[0]) {
    case 'ask':
      return { told: [{ state: 'input-required', words: 'which?' }] };
    case 'hold':
      return { told: [{ state: 'working' }], holds: true };
    case 'fail':
      return { told: [{ state: 'failed', words: 'no paper' }] };
    case 'answer':
      return { answer: 'answered at once', told: [] };
    case 'chunks':
      return {
        told: [
          { state: 'working', words: 'begun' },
          { artifact: 'log', parts: [{ text: 'one ' }], last: false },
          { artifact: 'log', parts: [{ text: 'two' }], append: true, last: true },
          { state: 'completed' },
        ],
      };
    case 'data':
      return {
        told: [
          {
            artifact: 'data',
            parts: [
              { data: { key: 'value', count: 42 } },
              {
                raw: Buffer.from('tck').toString('base64'),
                mediaType: 'text/plain',
                filename: 'output.txt',
              },
              { url: 'https://example.com/output.txt', mediaType: 'text/plain' },
            ],
          },
          { state: 'completed' },
        ],
      };
    default:
      return done(`done ${text}`);
  }
}

function done(text: string): Script {
  return { told: [{ artifact: 'result', parts: [{ text }] }, { state: 'completed' }] };
}

const now = (): string => new Date().toISOString();

async function listening(app: Express): Promise<{ origin: string; server: Server }> {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

function stopping(server: Server, grpc: GrpcServer): () => Promise<void> {
  return async () => {
    grpc.forceShutdown();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

/** A2A 1.0, and with `isLegacy` also 0.3, by the SDK 1.3. */
export async function startJsV1({ isLegacy = false } = {}): Promise<ForeignServer> {
  const app = express();
  const { origin, server } = await listening(app);
  const grpc = new GrpcServer();
  const grpcAddress = await bindGrpc(grpc);
  const versions = isLegacy ? ['1.0', '0.3'] : ['1.0'];
  const described = {
    name: 'js 1.3',
    description: 'an agent of the official SDK',
    version: '1',
    supportedInterfaces: [
      ...versions.flatMap((protocolVersion) => [
        { url: `${origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion },
        { url: `${origin}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion },
      ]),
      { url: grpcAddress, protocolBinding: 'GRPC', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'echo', name: 'Echo', description: 'says it again', tags: ['text'] }],
  };
  const card = AgentCard.fromJSON(described);
  const extended = AgentCard.fromJSON({ ...described, name: 'js 1.3, extended' });
  const hooks = new HooksV1();
  const handler = new HandlerV1(
    card,
    new StoreV1(),
    executorV1(),
    undefined,
    hooks,
    new SenderV1(hooks),
    extended,
  );
  const legacyCompat = { enabled: isLegacy };
  const userBuilder = async () => ({ isAuthenticated: true, userName: 'user' });
  const made = { requestHandler: handler, userBuilder, legacyCompat };
  app.use(
    '/.well-known/agent-card.json',
    expressV1.agentCardHandler({ agentCardProvider: handler }),
  );
  app.use('/rpc', expressV1.jsonRpcHandler(made));
  app.use('/rest', expressV1.restHandler(made));
  grpc.addService(grpcV1.A2AService, grpcV1.grpcService(made));
  return { origin, stop: stopping(server, grpc) };
}

function executorV1(): ExecutorV1 {
  const cancels = new Map<string, () => void>();
  const asked = new Set<string>();
  return {
    async execute({ taskId, contextId, userMessage }, bus) {
      const text = textIn(Message.toJSON(userMessage) as Json);
      const { answer, told, holds = false } = scriptOf(text, asked.delete(taskId));
      const say = (words: string, at: number): Json => ({
        messageId: `${taskId}-${at}`,
        role: 'ROLE_AGENT',
        taskId,
        contextId,
        parts: [{ text: words }],
      });
      if (answer !== undefined) {
        const { taskId: _none, ...message } = say(answer, 0);
        bus.publish(AgentEvent.message(Message.fromJSON(message)));
        return;
      }
      const state = (word: string): string =>
        `TASK_STATE_${word.replaceAll('-', '_').toUpperCase()}`;
      const status = (word: string, words?: string, at = 0): Json => ({
        state: state(word),
        timestamp: now(),
        ...(words !== undefined && { message: say(words, at) }),
      });
      bus.publish(
        AgentEvent.task(
          Task.fromJSON({
            id: taskId,
            contextId,
            status: status('submitted'),
            history: [Message.toJSON(userMessage)],
          }),
        ),
      );
      for (const [at, one] of told.entries()) {
        if ('state' in one) {
          if (one.state === 'input-required') asked.add(taskId);
          const event = { taskId, contextId, status: status(one.state, one.words, at) };
          bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(event)));
        } else {
          const { artifact, parts, append = false, last = true } = one;
          const event = {
            taskId,
            contextId,
            artifact: { artifactId: artifact, name: artifact, parts },
            append,
            lastChunk: last,
          };
          bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(event)));
        }
      }
      if (!holds) return;
      await new Promise<void>((resolve) => cancels.set(taskId, resolve));
      const canceled = { taskId, contextId, status: status('canceled') };
      bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(canceled)));
    },
    cancelTask: async (taskId) => cancels.get(taskId)?.(),
  };
}

/** A2A 0.3, by the SDK 0.3.14. */
export async function startJsV03(): Promise<ForeignServer> {
  const app = express();
  const { origin, server } = await listening(app);
  const grpc = new GrpcServer();
  const grpcAddress = await bindGrpc(grpc);
  const card = {
    name: 'js 0.3',
    description: 'an agent of the official SDK',
    version: '1',
    protocolVersion: '0.3.0',
    url: `${origin}/rpc`,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [
      { url: `${origin}/rpc`, transport: 'JSONRPC' },
      { url: `${origin}/rest`, transport: 'HTTP+JSON' },
      { url: `http://${grpcAddress}`, transport: 'GRPC' },
    ],
    capabilities: { streaming: true, pushNotifications: true },
    supportsAuthenticatedExtendedCard: true,
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'echo', name: 'Echo', description: 'says it again', tags: ['text'] }],
  };
  const hooks = new HooksV03();
  const handler = new HandlerV03(
    card,
    new StoreV03(),
    executorV03(),
    undefined,
    hooks,
    new SenderV03(hooks),
    { ...card, name: 'js 0.3, extended' },
  );
  const userBuilder = async () => ({ isAuthenticated: true, userName: 'user' });
  const made = { requestHandler: handler, userBuilder };
  app.use(
    '/.well-known/agent-card.json',
    expressV03.agentCardHandler({ agentCardProvider: handler }),
  );
  app.use('/rpc', expressV03.jsonRpcHandler(made));
  app.use('/rest', expressV03.restHandler(made));
  grpc.addService(grpcV03.A2AService, grpcV03.grpcService(made));
  return { origin, stop: stopping(server, grpc) };
}

function executorV03(): ExecutorV03 {
  const cancels = new Map<string, () => void>();
  const asked = new Set<string>();
  return {
    async execute({ taskId, contextId, userMessage }, bus) {
      const text = textIn(userMessage as unknown as Json);
      const { answer, told, holds = false } = scriptOf(text, asked.delete(taskId));
      const say = (words: string, at: number) => ({
        kind: 'message' as const,
        messageId: `${taskId}-${at}`,
        role: 'agent' as const,
        contextId,
        parts: [{ kind: 'text' as const, text: words }],
      });
      if (answer !== undefined) {
        bus.publish(say(answer, 0));
        bus.finished();
        return;
      }
      const status = (state: string, words?: string, at = 0): never =>
        ({
          state,
          timestamp: now(),
          ...(words !== undefined && { message: { ...say(words, at), taskId } }),
        }) as never;
      bus.publish({
        kind: 'task',
        id: taskId,
        contextId,
        status: status('submitted'),
        history: [userMessage],
      });
      const publish = (state: string, words?: string, at = 0): void => {
        const final = !['working', 'submitted'].includes(state);
        const event = { kind: 'status-update' as const, taskId, contextId, final };
        bus.publish({ ...event, status: status(state, words, at) });
      };
      for (const [at, one] of told.entries()) {
        if ('state' in one) {
          if (one.state === 'input-required') asked.add(taskId);
          publish(one.state, one.words, at);
          continue;
        }
        const { artifact, parts, append = false, last = true } = one;
        bus.publish({
          kind: 'artifact-update',
          taskId,
          contextId,
          artifact: { artifactId: artifact, name: artifact, parts: parts.map(partV03) as never },
          append,
          lastChunk: last,
        });
      }
      if (holds) {
        await new Promise<void>((resolve) => cancels.set(taskId, resolve));
        publish('canceled');
      }
      bus.finished();
    },
    cancelTask: async (taskId) => cancels.get(taskId)?.(),
  };
}

function partV03({ text, data, raw, url, mediaType, filename }: Json): Json {
  if (text !== undefined) return { kind: 'text', text };
  if (data !== undefined) return { kind: 'data', data };
  const content = raw === undefined ? { uri: url } : { bytes: raw };
  return { kind: 'file', file: { ...content, mimeType: mediaType, name: filename } };
}

function textIn(message: Json): string {
  const parts = (message['parts'] ?? []) as readonly Json[];
  const data = parts.find((part) => part['data'] !== undefined)?.['data'];
  const text = parts.find((part) => typeof part['text'] === 'string')?.['text'];
  return typeof text === 'string' ? text : JSON.stringify(data);
}
