// Owns the cells of the matrix: how each wire over each binding asks for an operation, and where its answer stands.

import type { OperationName } from '../../../profiles/a2a/operations/inputs.ts';
import type { TestAgent } from './agent.ts';
import type { Answer, Ask, Frame, Json } from './ask.ts';
import { allFrames, answerOf, at, fetchFrom, textAt } from './ask.ts';
import type { PushAsk, PushWish, SeenPush } from './pushes.ts';
import { pushBody, pushMember, pushObject, pushParams, seenPush } from './pushes.ts';

type CellWire = 'v1' | 'v03' | 'draft';

/** Where an agent is asked. */
type Reached = Pick<TestAgent, 'origin' | 'rpc'>;

/** What a test asks for, in words of no wire. */
export interface Wish {
  readonly text?: string;
  /** In the form of the wire. @default the text alone */
  readonly parts?: readonly Json[];
  /** All of the message, in the form of the wire. @default one with the text */
  readonly message?: Json;
  readonly id?: string;
  readonly contextId?: string;
  readonly isWaiting?: boolean;
  readonly historyLength?: number;
  /** Of a web hook; empty for none. */
  readonly configId?: string;
  /** The web hook that is asked for, or that a message brings. */
  readonly push?: PushWish;
  /** For lists. */
  readonly filter?: Readonly<Record<string, string | number | boolean>>;
  readonly tenant?: string;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Cell {
  readonly name: string;
  readonly wire: CellWire;
  readonly binding: 'jsonrpc' | 'rest';
  /** The names of states. */
  readonly stateOf: (word: string) => string;
  /** The address, and what is sent there. */
  requestFor(agent: Reached, operation: OperationName, wish: Wish): readonly [string, Ask];
  fetch(agent: Reached, operation: OperationName, wish?: Wish): Promise<Response>;
  ask(agent: Reached, operation: OperationName, wish?: Wish): Promise<Answer>;
  frames(agent: Reached, operation: OperationName, wish?: Wish): Promise<Frame[]>;
  /** The result of any operation but `send`. */
  resultOf(answer: Answer): Json | undefined;
  /** The task that was sent back; a message is none. */
  taskOf(answer: Answer): Json | undefined;
  messageOf(answer: Answer): Json | undefined;
  pushOf(answer: Answer): SeenPush;
  pushesOf(answer: Answer): readonly SeenPush[];
  /** The member of a frame; `undefined` for another kind of frame. */
  inFrame(
    frame: Frame,
    kind: 'task' | 'message' | 'statusUpdate' | 'artifactUpdate',
  ): Json | undefined;
  /** As the reason of its `ErrorInfo`. */
  reasonOf(answer: Answer): string;
}

const KINDS = {
  task: 'task',
  message: 'message',
  statusUpdate: 'status-update',
  artifactUpdate: 'artifact-update',
} as const;

export const RPC_METHODS: Readonly<
  Record<CellWire, Readonly<Partial<Record<OperationName, string>>>>
> = {
  v1: {
    send: 'SendMessage',
    stream: 'SendStreamingMessage',
    get: 'GetTask',
    list: 'ListTasks',
    cancel: 'CancelTask',
    subscribe: 'SubscribeToTask',
    createPush: 'CreateTaskPushNotificationConfig',
    getPush: 'GetTaskPushNotificationConfig',
    listPush: 'ListTaskPushNotificationConfigs',
    deletePush: 'DeleteTaskPushNotificationConfig',
    extendedCard: 'GetExtendedAgentCard',
  },
  draft: {
    send: 'SendMessage',
    stream: 'SendStreamingMessage',
    get: 'GetTask',
    list: 'ListTasks',
    cancel: 'CancelTask',
    subscribe: 'SubscribeToTask',
    createPush: 'SetTaskPushNotificationConfig',
    getPush: 'GetTaskPushNotificationConfig',
    listPush: 'ListTaskPushNotificationConfig',
    deletePush: 'DeleteTaskPushNotificationConfig',
    extendedCard: 'GetExtendedAgentCard',
  },
  v03: {
    send: 'message/send',
    stream: 'message/stream',
    get: 'tasks/get',
    cancel: 'tasks/cancel',
    subscribe: 'tasks/resubscribe',
    createPush: 'tasks/pushNotificationConfig/set',
    getPush: 'tasks/pushNotificationConfig/get',
    listPush: 'tasks/pushNotificationConfig/list',
    deletePush: 'tasks/pushNotificationConfig/delete',
    extendedCard: 'agent/getAuthenticatedExtendedCard',
  },
};

const VERSIONS: Readonly<Record<CellWire, Readonly<Record<string, string>>>> = {
  v1: { 'a2a-version': '1.0' },
  v03: {},
  draft: { 'a2a-version': '0.3' },
};

let messages = 0;

function messageIn(cell: Pick<Cell, 'wire' | 'binding'>, wish: Wish): Json {
  const { wire, binding } = cell;
  const { text = 'hello', id, contextId } = wish;
  const isKinded = wire === 'v03' && binding === 'jsonrpc';
  const isProtobuf = wire === 'v1' || (wire === 'v03' && binding === 'rest');
  const parts = wish.parts ?? [isKinded ? { kind: 'text', text } : { text }];
  return {
    ...(isKinded && { kind: 'message' }),
    messageId: `message-${(messages += 1)}`,
    role: isProtobuf ? 'ROLE_USER' : 'user',
    [wire === 'v03' && binding === 'rest' ? 'content' : 'parts']: parts,
    ...(id !== undefined && { taskId: id }),
    ...(contextId !== undefined && { contextId }),
  };
}

export function sendBody(cell: Pick<Cell, 'wire' | 'binding'>, wish: Wish): Json {
  const { isWaiting = true, historyLength } = wish;
  return {
    message: wish.message ?? messageIn(cell, wish),
    configuration: {
      ...(cell.wire === 'v1' ? { returnImmediately: !isWaiting } : { blocking: isWaiting }),
      ...(historyLength !== undefined && { historyLength }),
      ...(wish.push !== undefined && {
        [pushMember(cell.wire, cell.binding)]: pushObject(cell.wire, wish.push),
      }),
    },
  };
}

export function rpcParams(wire: CellWire, operation: OperationName, wish: Wish): Json {
  const { id = '', historyLength, configId = 'c', filter = {}, tenant, push } = wish;
  const named = tenant === undefined ? {} : { tenant };
  if (operation === 'send' || operation === 'stream') {
    return { ...(sendBody({ wire, binding: 'jsonrpc' }, wish) as object), ...named };
  }
  if (operation === 'list') return { ...filter, ...named };
  const length = historyLength === undefined ? {} : { historyLength };
  if (!isPush(operation)) return { id, ...length, ...named };
  return { ...pushParams(wire, { operation, id, configId, push, filter }), ...named };
}

export function isPush(operation: OperationName): operation is PushAsk['operation'] {
  return operation.endsWith('Push');
}

function queryOf(filter: NonNullable<Wish['filter']>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) query.set(name, `${value}`);
  return query.toString();
}

const REST_PATHS: Readonly<Record<OperationName, (wish: Wish) => readonly [string, string]>> = {
  send: () => ['POST', '/message:send'],
  stream: () => ['POST', '/message:stream'],
  get: ({ id, historyLength: length }) => [
    'GET',
    `/tasks/${id}${length === undefined ? '' : `?historyLength=${length}`}`,
  ],
  list: ({ filter = {} }) => ['GET', `/tasks?${queryOf(filter)}`],
  cancel: ({ id }) => ['POST', `/tasks/${id}:cancel`],
  subscribe: ({ id }) => ['POST', `/tasks/${id}:subscribe`],
  createPush: ({ id }) => ['POST', `/tasks/${id}/pushNotificationConfigs`],
  getPush: ({ id, configId = 'c' }) => ['GET', `/tasks/${id}/pushNotificationConfigs/${configId}`],
  listPush: ({ id, filter = {} }) => [
    'GET',
    `/tasks/${id}/pushNotificationConfigs?${queryOf(filter)}`,
  ],
  deletePush: ({ id, configId = 'c' }) => [
    'DELETE',
    `/tasks/${id}/pushNotificationConfigs/${configId}`,
  ],
  extendedCard: () => ['GET', '/extendedAgentCard'],
};

function cellOf(wire: CellWire, binding: 'jsonrpc' | 'rest'): Cell {
  const isRpc = binding === 'jsonrpc';
  const isBare = wire === 'v03' && isRpc;
  const type = wire === 'draft' && !isRpc ? 'application/a2a+json' : 'application/json';

  function requestFor(agent: Reached, operation: OperationName, wish: Wish): [string, Ask] {
    const { as, headers = {}, signal, tenant } = wish;
    const common = { as, ...(signal !== undefined && { signal }) };
    const sent = { 'content-type': type, ...VERSIONS[wire], ...headers };
    if (isRpc) {
      const method = RPC_METHODS[wire][operation]!;
      const params = rpcParams(wire, operation, wish);
      const body = { jsonrpc: '2.0', id: 'r-1', method, params };
      return [agent.rpc, { ...common, method: 'POST', headers: sent, body }];
    }
    const [method, path] =
      wire === 'v03' && operation === 'extendedCard'
        ? (['GET', '/card'] as const)
        : REST_PATHS[operation](wish);
    const prefix = `${tenant === undefined ? '' : `/${tenant}`}${wire === 'v03' ? '/v1' : ''}`;
    const accept = wire === 'draft' ? { accept: type } : {};
    const { body, query } = bodyOf(operation, wish);
    return [
      `${agent.origin}${prefix}${path}${query}`,
      { ...common, method, headers: { ...accept, ...sent }, ...body },
    ];
  }

  function bodyOf(operation: OperationName, wish: Wish): { body: object; query: string } {
    if (operation === 'send' || operation === 'stream') {
      return { body: { body: sendBody({ wire, binding }, wish) }, query: '' };
    }
    if (operation !== 'createPush') return { body: {}, query: '' };
    const { body, query } = pushBody(wire, wish.id ?? '', wish.push);
    return { body: { body }, query };
  }

  const self: Cell = {
    name: `${wire} over ${binding}`,
    wire,
    binding,
    stateOf: (word) => stateName(wire, binding, word),
    requestFor,
    fetch: (agent, operation, wish = {}) => fetchFrom(...requestFor(agent, operation, wish)),
    ask: async (agent, operation, wish) => answerOf(await self.fetch(agent, operation, wish)),
    frames: async (agent, operation, wish) => allFrames(await self.fetch(agent, operation, wish)),
    resultOf: ({ body }) => (isRpc ? at(body, 'result') : body),
    taskOf: (answer) => found(self.resultOf(answer), 'task'),
    messageOf: (answer) => found(self.resultOf(answer), 'message'),
    pushOf: (answer) => seenPush(wire, self.resultOf(answer)),
    pushesOf: (answer) => {
      const result = self.resultOf(answer);
      const all = (isBare ? result : at(result, 'configs')) as readonly Json[];
      return all.map((one) => seenPush(wire, one));
    },
    inFrame: ({ data }, kind) => found(isRpc ? at(data, 'result') : data, kind),
    reasonOf: ({ body }) => {
      if (!isRpc && wire === 'draft') {
        const slug = textAt(body, 'type').split('/').at(-1)!;
        return slug.toUpperCase().replaceAll('-', '_');
      }
      const inside = isRpc ? 'error.data' : wire === 'v1' ? 'error.details' : 'data';
      return textAt(body, `${inside}.0.reason`);
    },
  };

  function found(result: Json | undefined, kind: keyof typeof KINDS): Json | undefined {
    if (!isBare) return at(result, kind);
    return at(result, 'kind') === KINDS[kind] ? result : undefined;
  }
  return self;
}

/** @param word as our own model has it. */
function stateName(wire: CellWire, binding: 'jsonrpc' | 'rest', word: string): string {
  if (wire === 'draft') return word === 'canceled' ? 'cancelled' : word;
  if (wire === 'v03' && binding === 'jsonrpc') return word;
  const name = wire === 'v03' && word === 'canceled' ? 'cancelled' : word;
  return `TASK_STATE_${name.toUpperCase().replaceAll('-', '_')}`;
}

export const CELLS: readonly Cell[] = (['v1', 'v03', 'draft'] as const).flatMap((wire) =>
  (['jsonrpc', 'rest'] as const).map((binding) => cellOf(wire, binding)),
);
