// Drives the client of `@a2a-js/sdk` 0.3.14, in this process.

import type { AgentCard } from '@a2a-js/sdk-v0.3';
import type { Client, RequestOptions, TransportFactory } from '@a2a-js/sdk-v0.3/client';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk-v0.3/client';
import { GrpcTransportFactory } from '@a2a-js/sdk-v0.3/client/grpc';
import { status as GrpcStatus } from '@grpc/grpc-js';

import type { Json } from '../../../support/a2a/ask.ts';
import { Refused } from '../client.ts';
import { V03_WORDS } from '../words/v03.ts';
import type { Binding, Connection, Driver, Line, Operation } from './driver.ts';
import { GRPC_STATUSES, V03_CANNOT } from './v03.ts';

const TRANSPORTS: Readonly<Record<Binding, () => TransportFactory>> = {
  JSONRPC: () => new JsonRpcTransportFactory(),
  'HTTP+JSON': () => new RestTransportFactory(),
  GRPC: () => new GrpcTransportFactory(),
};

const LOSES: Readonly<Record<Binding, Driver['loses']>> = {
  JSONRPC: [],
  'HTTP+JSON': ['file names', 'append', 'a history of none'],
  GRPC: ['file names', 'append', 'a history of none', 'null'],
};

const TELLS: Readonly<Record<Binding, NonNullable<Driver['tells']>>> = {
  // To a message with a stream it reads no answer but a stream.
  JSONRPC: (reason, operation) => (operation === 'stream' ? '' : reason),
  // What is refused by its version is told in the form of the draft.
  'HTTP+JSON': (reason) => (reason === 'VERSION_NOT_SUPPORTED' ? 'HTTP 400' : reason),
  // It knows a reason by the status, for some methods.
  GRPC: (reason, operation) => {
    const isKnown =
      reason === 'TASK_NOT_FOUND' ||
      reason === 'PUSH_NOTIFICATION_NOT_SUPPORTED' ||
      `${reason} ${operation}` === 'TASK_NOT_CANCELABLE cancel' ||
      `${reason} ${operation}` === 'UNSUPPORTED_OPERATION subscribe';
    return isKnown ? reason : `gRPC ${GRPC_STATUSES[reason]}`;
  },
};

export function jsV03(binding: Binding): Driver {
  return {
    name: `@a2a-js/sdk 0.3.14 over ${binding}`,
    words: V03_WORDS,
    cannot: { ...V03_CANNOT, 30: 'it verifies no signatures' },
    loses: LOSES[binding],
    tells: TELLS[binding],
    connect: async (address, connection) => {
      const card = targeted(await new DefaultAgentCardResolver().resolve(`${address}/`));
      const client = await new ClientFactory({
        transports: [TRANSPORTS[binding]()],
      }).createFromAgentCard(card);
      return lineTo(client, card as unknown as Json, optionsFor(connection));
    },
  };
}

/** It hands addresses to gRPC as they are, where they may have no scheme; those of a 0.3 card have one. */
function targeted(card: AgentCard): AgentCard {
  const additionalInterfaces = card.additionalInterfaces!.map(({ url, transport }) => ({
    url: transport === 'GRPC' ? new URL(url).host : url,
    transport,
  }));
  return { ...card, additionalInterfaces };
}

function optionsFor({ token, version, extensions = [] }: Connection): RequestOptions {
  const serviceParameters = {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(version !== undefined && { 'A2A-Version': version }),
    ...(extensions.length > 0 && { 'X-A2A-Extensions': extensions.join(', ') }),
  };
  return { serviceParameters };
}

function lineTo(client: Client, card: Json, options: RequestOptions): Line {
  const calls: Readonly<Partial<Record<Operation, (params: never) => Promise<unknown>>>> = {
    send: (params) => client.sendMessage(params, options),
    get: (params) => client.getTask(params, options),
    cancel: (params) => client.cancelTask(params, options),
    createHook: (params) => client.setTaskPushNotificationConfig(params, options),
    getHook: (params) => client.getTaskPushNotificationConfig(params, options),
    listHooks: (params) => client.listTaskPushNotificationConfig(params, options),
    deleteHook: async (params) => {
      await client.deleteTaskPushNotificationConfig(params, options);
      return null;
    },
    extendedCard: () => client.getAgentCard(options),
  };
  return {
    card,
    call: async (operation, params) => {
      try {
        return (await calls[operation]!(params as never)) as Json;
      } catch (thrown) {
        throw refusedBy(thrown);
      }
    },
    follow: async function* follow(operation, params, signal) {
      const own = signal === undefined ? options : { ...options, signal };
      const frames =
        operation === 'stream'
          ? client.sendMessageStream(params as never, own)
          : client.resubscribeTask(params as never, own);
      try {
        for await (const frame of frames) yield frame as unknown as Json;
      } catch (thrown) {
        if (signal?.aborted !== true) throw refusedBy(thrown);
      }
    },
    close: async () => undefined,
  };
}

/** By its class, by the details in its words, or by the status there. */
function refusedBy(thrown: unknown): unknown {
  const { name, message } = thrown as Error;
  const [, reason] = /"reason":"(\w+)"/.exec(message) ?? [];
  const [, status] = /Status: (\d+)/.exec(message) ?? [];
  const [, code] = /^GRPC error for \w+! (\d+)/.exec(message) ?? [];
  if (code !== undefined) return new Refused(`gRPC ${GrpcStatus[Number(code)]}`, message);
  const own = name
    .replace(/Error$/, '')
    .replaceAll(/(?<=.)([A-Z])/g, '_$1')
    .toUpperCase();
  return new Refused(reason ?? (status === undefined ? own : `HTTP ${status}`), message);
}
