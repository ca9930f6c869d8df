// Drives the client of `@a2a-js/sdk` 1.3.0, in this process.

import {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
  verifyAgentCardSignature,
} from '@a2a-js/sdk';
import type { Client, RequestOptions, TransportFactory } from '@a2a-js/sdk/client';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  ServiceParameters,
  withA2AExtensions,
  withA2AVersion,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';

import type { Json } from '../../../support/a2a/ask.ts';
import type { JsonObject } from '../client.ts';
import { Refused } from '../client.ts';
import { V1_WORDS } from '../words/v1.ts';
import type { Binding, Connection, Driver, Line, Operation } from './driver.ts';

const TRANSPORTS: Readonly<Record<Binding, () => TransportFactory>> = {
  JSONRPC: () => new JsonRpcTransportFactory(),
  'HTTP+JSON': () => new RestTransportFactory(),
  GRPC: () => new GrpcTransportFactory(),
};

export function jsV1(binding: Binding): Driver {
  return {
    name: `@a2a-js/sdk 1.3.0 over ${binding}`,
    words: V1_WORDS,
    cannot: { 39: 'it always sends the version of the interface' },
    loses: [],
    // What it does not know is this to it.
    tells: (reason) => (reason === 'UNAUTHENTICATED' ? 'INTERNAL_ERROR' : reason),
    connect: async (address, connection) => {
      const card = await cardAt(address, connection);
      const client = await new ClientFactory({
        transports: [TRANSPORTS[binding]()],
      }).createFromAgentCard(card);
      return lineTo(client, card, optionsFor(connection));
    },
  };
}

/** Its resolver verifies nothing; who wants that does it with the function of the package. */
async function cardAt(address: string, { keys, cardVersion }: Connection): Promise<AgentCard> {
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...init?.headers, 'A2A-Version': cardVersion ?? '1.0' } });
  const resolver = new DefaultAgentCardResolver(cardVersion === undefined ? {} : { fetchImpl });
  const card = await resolver.resolve(`${address}/`);
  if (keys === undefined) return card;
  const known = (keys as { readonly keys: readonly JsonObject[] }).keys;
  await verifyAgentCardSignature(async (kid) => known.find((key) => key['kid'] === kid) as never)(
    card,
  );
  return card;
}

function optionsFor({ token, version, extensions = [] }: Connection): RequestOptions {
  const serviceParameters = ServiceParameters.create(
    (parameters) => {
      if (token !== undefined) parameters['Authorization'] = `Bearer ${token}`;
    },
    ...(version === undefined ? [] : [withA2AVersion(version)]),
    ...(extensions.length === 0 ? [] : [withA2AExtensions(...extensions)]),
  );
  return { serviceParameters };
}

function lineTo(client: Client, card: AgentCard, options: RequestOptions): Line {
  const calls: Readonly<Record<Operation, (params: JsonObject) => Promise<unknown>>> = {
    send: async (params) => {
      const sent = await client.sendMessage(SendMessageRequest.fromJSON(params), options);
      return 'messageId' in sent ? { message: Message.toJSON(sent) } : { task: Task.toJSON(sent) };
    },
    get: async (params) =>
      Task.toJSON(await client.getTask(GetTaskRequest.fromJSON(params), options)),
    list: async (params) =>
      ListTasksResponse.toJSON(await client.listTasks(ListTasksRequest.fromJSON(params), options)),
    cancel: async (params) =>
      Task.toJSON(await client.cancelTask(CancelTaskRequest.fromJSON(params), options)),
    createHook: async (params) =>
      TaskPushNotificationConfig.toJSON(
        await client.createTaskPushNotificationConfig(
          TaskPushNotificationConfig.fromJSON(params),
          options,
        ),
      ),
    getHook: async (params) =>
      TaskPushNotificationConfig.toJSON(
        await client.getTaskPushNotificationConfig(
          GetTaskPushNotificationConfigRequest.fromJSON(params),
          options,
        ),
      ),
    listHooks: async (params) =>
      ListTaskPushNotificationConfigsResponse.toJSON(
        await client.listTaskPushNotificationConfig(
          ListTaskPushNotificationConfigsRequest.fromJSON(params),
          options,
        ),
      ),
    deleteHook: async (params) => {
      await client.deleteTaskPushNotificationConfig(
        DeleteTaskPushNotificationConfigRequest.fromJSON(params),
        options,
      );
      return null;
    },
    extendedCard: async () => AgentCard.toJSON(await client.getAgentCard(options)),
  };
  return {
    card: AgentCard.toJSON(card) as Json,
    call: async (operation, params) => {
      try {
        return (await calls[operation](params)) as Json;
      } catch (thrown) {
        throw refusedBy(thrown);
      }
    },
    follow: async function* follow(operation, params, signal) {
      const own = signal === undefined ? options : { ...options, signal };
      const frames =
        operation === 'stream'
          ? client.sendMessageStream(SendMessageRequest.fromJSON(params), own)
          : client.resubscribeTask(SubscribeToTaskRequest.fromJSON(params), own);
      try {
        for await (const frame of frames) yield StreamResponse.toJSON(frame) as Json;
      } catch (thrown) {
        if (signal?.aborted !== true) throw refusedBy(thrown);
      }
    },
    close: async () => undefined,
  };
}

/** The reason of the error, where it has one. */
function refusedBy(thrown: unknown): unknown {
  const { reason, message } = thrown as { readonly reason?: string; readonly message: string };
  return new Refused(reason ?? 'none', message);
}
