// Owns the cells of the matrix over gRPC: how each package asks for an operation, in the words that tests use for all.

import { onTestFinished } from 'vitest';

import type { OperationName } from '../../../../profiles/a2a/operations/inputs.ts';
import type { GrpcAgent } from '../agent.ts';
import type { Json } from '../ask.ts';
import type { Wish } from '../cells.ts';
import { RPC_METHODS, isPush, rpcParams, sendBody } from '../cells.ts';
import type { GrpcAnswer, GrpcAsk, GrpcStream } from '../grpc-client.ts';
import { GrpcClient, framesOf } from '../grpc-client.ts';
import type { GrpcWords } from '../grpc-words.ts';
import { GRPC_WORDS } from '../grpc-words.ts';
import { pushParams } from '../pushes.ts';

export interface GrpcCell {
  readonly name: string;
  readonly wire: 'v1' | 'v03';
  readonly binding: 'grpc';
  readonly stateOf: (word: string) => string;
  /** The name of the call, and its request as JSON. */
  requestFor(operation: OperationName, wish: Wish): readonly [string, Json];
  /** Of a stream what came of it, when it has ended. */
  ask(agent: GrpcAgent, operation: OperationName, wish?: Wish): Promise<GrpcAnswer>;
  stream(agent: GrpcAgent, operation: 'stream' | 'subscribe', wish?: Wish): GrpcStream;
  /** Closed after the test, one for an agent. */
  client(agent: GrpcAgent): GrpcClient;
}

/** It has no lists. */
const METHODS_V03: Readonly<Partial<Record<OperationName, string>>> = {
  ...RPC_METHODS.v1,
  subscribe: 'TaskSubscription',
  listPush: 'ListTaskPushNotificationConfig',
  extendedCard: 'GetAgentCard',
};

export function isStream(operation: OperationName): operation is 'stream' | 'subscribe' {
  return operation === 'stream' || operation === 'subscribe';
}

function cellOf({ version, stateOf, task }: GrpcWords): GrpcCell {
  const wire = version === '1.0' ? 'v1' : 'v03';
  const methods = wire === 'v1' ? RPC_METHODS.v1 : METHODS_V03;
  const clients = new WeakMap<GrpcAgent, GrpcClient>();

  function client(agent: GrpcAgent): GrpcClient {
    const known = clients.get(agent);
    if (known !== undefined) return known;
    const made = new GrpcClient(agent.grpc, version);
    clients.set(agent, made);
    onTestFinished(() => {
      clients.delete(agent);
      made.close();
    });
    return made;
  }

  function paramsOf(operation: OperationName, wish: Wish): Json {
    const { id = '', historyLength, configId = 'c', push, tenant } = wish;
    if (operation === 'extendedCard') return tenant === undefined ? {} : { tenant };
    if (wire === 'v1') return rpcParams(wire, operation, wish);
    if (operation === 'send' || operation === 'stream') {
      return sendBody({ wire, binding: 'rest' }, wish);
    }
    // Its resources have the names that the draft took over.
    if (isPush(operation)) return pushParams('draft', { operation, id, configId, push });
    const length = operation === 'get' && historyLength !== undefined ? { historyLength } : {};
    return task(id, length);
  }

  const self: GrpcCell = {
    name: `${wire} over grpc`,
    wire,
    binding: 'grpc',
    stateOf,
    requestFor: (operation, wish) => [methods[operation]!, paramsOf(operation, wish)],
    ask: async (agent, operation, wish = {}) => {
      if (!isStream(operation)) {
        const [method, request] = self.requestFor(operation, wish);
        return client(agent).ask(method, request, askOf(wish));
      }
      const stream = self.stream(agent, operation, wish);
      const frames = await framesOf(stream);
      return { ...(await stream.end), body: frames.length === 0 ? undefined : frames };
    },
    stream: (agent, operation, wish = {}) => {
      const [method, request] = self.requestFor(operation, wish);
      return client(agent).stream(method, request, askOf(wish));
    },
    client,
  };
  return self;
}

function askOf({ as, headers }: Wish): GrpcAsk {
  return { ...(as !== undefined && { as }), ...(headers !== undefined && { metadata: headers }) };
}

export const GRPC_CELLS: readonly GrpcCell[] = GRPC_WORDS.map(cellOf);
