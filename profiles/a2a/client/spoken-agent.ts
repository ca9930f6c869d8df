// Owns an agent of official A2A that is spoken to over the address that was chosen. It keeps nothing of the tasks.
// SPEC.md section 20 (#a2a-client-wires, #a2a-client-reading).

import type { JsonValue } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import type { OperationName } from '../operations/inputs.ts';
import type {
  A2aAgent,
  A2aCallOptions,
  A2aSubscribeOptions,
  FollowedFrom,
  Following,
} from './agent.ts';
import { assertAllowed, cannot } from './allowed.ts';
import type { Asked, AskedList, AskedMessage } from './asking/asked.ts';
import type { ClientBinding } from './bindings/binding.ts';
import { createGrpcBinding } from './bindings/grpc.ts';
import { createJsonRpcBinding } from './bindings/jsonrpc.ts';
import { createRestBinding } from './bindings/rest.ts';
import type { ChosenInterface } from './discovery/choose.ts';
import type { DiscoveredAgent } from './discovery/discover.ts';
import type { FetchedCard } from './discovery/fetch-card.ts';
import type { KnownCard } from './discovery/known-card.ts';
import { readCard } from './discovery/known-card.ts';
import type { CardProof } from './discovery/proof.ts';
import { pinnedCard } from './discovery/proof.ts';
import type { NumberedEvent } from './following/follow.ts';
import { followTask } from './following/follow.ts';
import { Line } from './line.ts';
import type { A2aHook, A2aPage, A2aSent, A2aTask } from './model.ts';
import type { ResolvedClientOptions } from './options.ts';
import { noAnswer } from './reading/protocol-fault.ts';
import { readEvent, readPage, readSent } from './reading/read-frames.ts';
import { readHook, readHooks } from './reading/read-hooks.ts';
import { taskOf } from './reading/read-objects.ts';
import { A2aRemoteError } from './remote-error.ts';

export function createA2aAgent(found: DiscoveredAgent, options: ResolvedClientOptions): A2aAgent {
  return new SpokenAgent(found, options);
}

class SpokenAgent implements A2aAgent {
  readonly cardUrl: string;
  readonly proof: CardProof;
  readonly chosen: ChosenInterface;
  #card: KnownCard;
  readonly #line: Line;
  readonly #options: ResolvedClientOptions;

  constructor(found: DiscoveredAgent, options: ResolvedClientOptions) {
    const { cardUrl, card, proof, chosen } = found;
    this.cardUrl = cardUrl;
    this.proof = proof;
    this.chosen = chosen;
    this.#card = card;
    this.#options = options;
    this.#line = new Line(bindingOf(found, options), options);
  }

  get card(): KnownCard {
    return this.#card;
  }

  async send(asked: AskedMessage, options: A2aCallOptions = {}): Promise<A2aSent> {
    const sent = readSent(this.#shape, await this.#ask('send', asked, options));
    if ('task' in sent) assertTask(sent.task.id, asked.taskId);
    return sent;
  }

  stream(asked: AskedMessage, options: A2aCallOptions = {}): AsyncGenerator<NumberedEvent> {
    return this.#stream('stream', asked, asked.taskId, options);
  }

  async get(
    id: string,
    { historyLength, ...options }: A2aCallOptions & { readonly historyLength?: number } = {},
  ): Promise<A2aTask> {
    const asked = { id, ...(historyLength !== undefined && { historyLength }) };
    return this.#taskOf(id, await this.#ask('get', asked, options));
  }

  async list(asked: AskedList = {}, options: A2aCallOptions = {}): Promise<A2aPage> {
    if (this.chosen.version === '0.3') throw cannot('A2A 0.3 has no lists of tasks');
    return readPage(this.#shape, await this.#ask('list', asked, options));
  }

  async cancel(id: string, options: A2aCallOptions = {}): Promise<A2aTask> {
    return this.#taskOf(id, await this.#ask('cancel', { id }, options));
  }

  subscribe(id: string, options: A2aSubscribeOptions = {}): AsyncGenerator<NumberedEvent> {
    return this.#stream('subscribe', { id }, id, options);
  }

  follow(
    start: FollowedFrom,
    { signal, timeoutMs, extensions, ...following }: Following,
  ): ReturnType<typeof followTask> {
    const { wait, now } = this.#options;
    const how = {
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(extensions !== undefined && { extensions }),
    };
    const ending = signal ?? new AbortController().signal;
    const port = {
      isStreaming: this.#card.streaming,
      // Agents of 0.3 may tell only what happens from then on.
      tellsTask: this.chosen.version !== '0.3',
      get: (id: string, until: AbortSignal) => this.get(id, { ...how, signal: until }),
      subscribe: (id: string, lastEventId: string | undefined, until: AbortSignal) =>
        this.subscribe(id, {
          ...how,
          signal: until,
          ...(lastEventId !== undefined && { lastEventId }),
        }),
    };
    const begun =
      'taskId' in start
        ? start
        : { ...start, events: this.#begin(start.send, { ...how, signal: ending }) };
    return followTask(port, begun, { wait, now, ...following, signal: ending });
  }

  async createHook(taskId: string, hook: A2aHook, options: A2aCallOptions = {}): Promise<A2aHook> {
    // The wires before 1.0 want a name for it.
    const withId = { id: globalThis.crypto.randomUUID(), ...hook };
    const asked = { taskId, hook: this.chosen.version === '1.0' ? hook : withId };
    try {
      return readHook(await this.#ask('createPush', asked, options));
    } catch (thrown) {
      const isForm = thrown instanceof A2aRemoteError && thrown.kind === 'INVALID_PARAMS';
      if (!isForm || this.#shape.name !== 'v03-rest') throw thrown;
      return readHook(await this.#ask('createPush', { ...asked, isBare: true }, options));
    }
  }

  async getHook(taskId: string, id: string, options: A2aCallOptions = {}): Promise<A2aHook> {
    return readHook(await this.#ask('getPush', { taskId, id }, options));
  }

  async listHooks(taskId: string, options: A2aCallOptions = {}): Promise<readonly A2aHook[]> {
    return readHooks(await this.#ask('listPush', { taskId }, options));
  }

  async deleteHook(taskId: string, id: string, options: A2aCallOptions = {}): Promise<void> {
    await this.#ask('deletePush', { taskId, id }, options);
  }

  async extendedCard(options: A2aCallOptions = {}): Promise<KnownCard> {
    const document = await this.#ask('extendedCard', undefined, options);
    if (document === undefined || !isJsonObject(document)) throw noAnswer('its card is no object');
    const pin = this.#options.pin(this.cardUrl);
    const told: FetchedCard = { url: this.cardUrl, document };
    this.#card = readCard(((await pinnedCard(told, pin)) ?? told).document);
    return this.#card;
  }

  get #shape(): ChosenInterface['shape'] {
    return this.chosen.shape;
  }

  async *#begin(asked: AskedMessage, options: A2aCallOptions): AsyncGenerator<NumberedEvent> {
    if (this.#card.streaming) {
      yield* this.stream(asked, options);
      return;
    }
    const sent = await this.send({ ...asked, isWaiting: false }, options);
    yield {
      event: 'task' in sent ? { type: 'task', task: sent.task } : { type: 'message', ...sent },
    };
  }

  async *#stream<Name extends 'stream' | 'subscribe'>(
    operation: Name,
    asked: Asked[Name],
    taskId: string | undefined,
    options: A2aSubscribeOptions,
  ): AsyncGenerator<NumberedEvent> {
    assertAllowed(operation, this.#card);
    for await (const { value, id } of this.#line.stream(operation, asked, options)) {
      const event = readEvent(this.#shape, value);
      const told = event.type === 'task' ? event.task.id : 'taskId' in event ? event.taskId : '';
      if (told !== '') assertTask(told, taskId);
      yield { event, ...(id !== undefined && { id }) };
    }
  }

  async #ask<Name extends OperationName>(
    operation: Name,
    asked: Asked[Name],
    options: A2aCallOptions,
  ): Promise<JsonValue | undefined> {
    assertAllowed(operation, this.#card);
    return this.#line.ask(operation, asked, options);
  }

  #taskOf(id: string, value: JsonValue | undefined): A2aTask {
    const task = taskOf(this.#shape, value);
    assertTask(task.id, id);
    return task;
  }
}

function bindingOf(
  { card, chosen, ports }: DiscoveredAgent,
  { limits, caps }: ResolvedClientOptions,
): ClientBinding {
  const { url, shape, tenant, binding } = chosen;
  const { apiKeyHeader } = card;
  const made = {
    url,
    shape,
    limits,
    caps,
    ...(tenant !== undefined && { tenant }),
    ...(apiKeyHeader !== undefined && { apiKey: apiKeyHeader }),
  };
  if (binding === 'GRPC') return createGrpcBinding({ ...made, port: ports.grpc });
  const overHttp = { ...made, port: ports.http };
  return binding === 'JSONRPC' ? createJsonRpcBinding(overHttp) : createRestBinding(overHttp);
}

function assertTask(told: string, asked: string | undefined): void {
  if (asked !== undefined && told !== asked) throw noAnswer('it tells of another task');
}
