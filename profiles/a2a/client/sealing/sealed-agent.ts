// Owns an agent that is sealed to: what is said to it is sealed, and of what it says only what is proven is told.
// SPEC.md section 20.1 (#a2a-client-sealed, #a2a-client-sealed-kept, #a2a-client-sealed-latch).

import type { KnownPeer } from '../../../../src/message/index.ts';
import { peerSource } from '../../../../src/message/index.ts';
import type { OwnIdentity } from '../../../../src/security/index.ts';
import { SealedError } from '../../sealed/error.ts';
import { SEALED_EXTENSION } from '../../sealed/extension.ts';
import type { OpenOptions } from '../../sealed/open-task.ts';
import { openTask } from '../../sealed/open-task.ts';
import type { OpenPolicy, Opened, Protection } from '../../sealed/opened.ts';
import { sealMessage } from '../../sealed/seal.ts';
import type { SealedOptions } from '../../sealed/session.ts';
import type {
  A2aAgent,
  A2aCallOptions,
  A2aSealing,
  A2aSubscribeOptions,
  FollowedFrom,
  Following,
} from '../agent.ts';
import type { AskedList, AskedMessage } from '../asking/asked.ts';
import type { KnownCard } from '../discovery/known-card.ts';
import type { A2aStep } from '../following/fold.ts';
import type { AnsweredStep, NumberedEvent } from '../following/follow.ts';
import { followAgent } from '../following/follow-agent.ts';
import type { A2aAnswer, A2aHook, A2aPage, A2aSent, A2aTask } from '../model.ts';
import type { ResolvedClientOptions } from '../options.ts';
import { envelopesIn, messageBag, messageFrom, taskBag } from './bags.ts';
import type { BoundRequest, KeptRequest } from './kept-requests.ts';
import { KeptRequests, outerIdOf } from './kept-requests.ts';
import { hasEnvelopes, openedTask, withoutContent } from './opened-task.ts';
import type { ResolvedSealing } from './options.ts';
import { ToldProtection } from './protection.ts';
import { ReachedAgents } from './reached.ts';
import { StreamOpener } from './stream-opener.ts';

export interface SealedAgentOptions {
  readonly identity: () => OwnIdentity;
  readonly to: KnownPeer;
  readonly agentId: string;
  /** Nothing plain is taken. */
  readonly isRequired: boolean;
  readonly sealing: ResolvedSealing;
  /** That the operator typed. */
  readonly typed: string;
  readonly client: ResolvedClientOptions;
}

export function createSealedAgent(agent: A2aAgent, options: SealedAgentOptions): A2aAgent {
  return new SealedAgent(agent, options);
}

/** The stream that is followed now, and how far it was opened. */
interface Live {
  readonly told: ToldProtection;
  opener?: StreamOpener;
  eventId?: string;
}

class SealedAgent implements A2aAgent {
  readonly #agent: A2aAgent;
  readonly #options: SealedAgentOptions;
  readonly #requests: KeptRequests;
  readonly #reached: ReachedAgents;
  #isRequired: boolean;
  #hasProven = false;

  constructor(agent: A2aAgent, options: SealedAgentOptions) {
    const { sealing, client, agentId, isRequired } = options;
    const places = sealing.places();
    this.#agent = agent;
    this.#options = options;
    this.#requests = new KeptRequests(places, agentId, client.now);
    this.#reached = new ReachedAgents(places);
    this.#isRequired = isRequired;
  }

  get cardUrl(): string {
    return this.#agent.cardUrl;
  }

  get card(): KnownCard {
    return this.#agent.card;
  }

  get proof(): A2aAgent['proof'] {
    return this.#agent.proof;
  }

  get chosen(): A2aAgent['chosen'] {
    return this.#agent.chosen;
  }

  get sealing(): A2aSealing {
    const { agentId, sealing } = this.#options;
    return { kind: 'sealed', agentId, mode: sealing.mode, isRequired: this.#isRequired };
  }

  async send(asked: AskedMessage, options: A2aCallOptions = {}): Promise<A2aSent> {
    const request = await this.#sealed(asked);
    const sent = await this.#agent.send(carrying(asked, request), extended(options));
    if (!('task' in sent)) return this.#answer(sent, request);
    await this.#requests.bind(sent.task.id, request.messageId, true);
    return { task: await this.#opened(sent.task, asked.historyLength) };
  }

  stream(asked: AskedMessage, options: A2aCallOptions = {}): AsyncGenerator<NumberedEvent> {
    return this.#streamed(asked, options, { told: new ToldProtection() });
  }

  async get(
    id: string,
    options: A2aCallOptions & { readonly historyLength?: number } = {},
  ): Promise<A2aTask> {
    return this.#opened(await this.#agent.get(id, options), options.historyLength);
  }

  async list(asked?: AskedList, options?: A2aCallOptions): Promise<A2aPage> {
    const page = await this.#agent.list(asked, options);
    return { ...page, tasks: await Promise.all(page.tasks.map((task) => this.#listed(task))) };
  }

  async cancel(id: string, options?: A2aCallOptions): Promise<A2aTask> {
    return this.#opened(await this.#agent.cancel(id, options));
  }

  subscribe(id: string, options: A2aSubscribeOptions = {}): AsyncGenerator<NumberedEvent> {
    return this.#subscribed(id, options, { told: new ToldProtection() });
  }

  async *follow(
    start: FollowedFrom,
    following: Following,
  ): AsyncGenerator<A2aStep | AnsweredStep, undefined> {
    const live: Live = { told: new ToldProtection() };
    const port = {
      card: this.card,
      chosen: this.chosen,
      stream: (asked: AskedMessage, options: A2aCallOptions) =>
        this.#streamed(asked, options, live),
      send: async (asked: AskedMessage, options: A2aCallOptions) =>
        told(await this.send(asked, options), live),
      get: async (id: string, options: A2aCallOptions) => told(await this.get(id, options), live),
      subscribe: (id: string, options: A2aSubscribeOptions) => this.#subscribed(id, options, live),
    };
    const { wait, now } = this.#options.client;
    for await (const step of followAgent(port, start, { wait, now, ...following })) {
      const { protection } = live.told;
      yield 'type' in step
        ? { ...step, protection }
        : { ...step, task: { ...step.task, protection } };
    }
    return undefined;
  }

  async bind(taskId: string, messageId: string): Promise<void> {
    await this.#requests.bind(taskId, messageId, true);
  }

  createHook(taskId: string, hook: A2aHook, options?: A2aCallOptions): Promise<A2aHook> {
    return this.#agent.createHook(taskId, hook, options);
  }

  getHook(taskId: string, id: string, options?: A2aCallOptions): Promise<A2aHook> {
    return this.#agent.getHook(taskId, id, options);
  }

  listHooks(taskId: string, options?: A2aCallOptions): Promise<readonly A2aHook[]> {
    return this.#agent.listHooks(taskId, options);
  }

  deleteHook(taskId: string, id: string, options?: A2aCallOptions): Promise<void> {
    return this.#agent.deleteHook(taskId, id, options);
  }

  extendedCard(options?: A2aCallOptions): Promise<KnownCard> {
    return this.#agent.extendedCard(options);
  }

  /** The same message under the same id is the same envelope: sent twice, it is done once. */
  async #sealed({ message, taskId }: AskedMessage): Promise<KeptRequest> {
    const { to, sealing } = this.#options;
    const known = await this.#requests.find(message.id);
    const request = known ?? {
      messageId: message.id,
      sealed: await sealMessage(messageBag(message), { ...this.#session, to, mode: sealing.mode }),
    };
    if (known === undefined) await this.#requests.keep(request);
    if (taskId !== undefined) await this.#requests.bind(taskId, message.id, false);
    return request;
  }

  async *#streamed(
    asked: AskedMessage,
    options: A2aCallOptions,
    live: Live,
  ): AsyncGenerator<NumberedEvent> {
    const request = await this.#sealed(asked);
    const { taskId } = asked;
    const before = taskId === undefined ? [] : await this.#requests.ofTask(taskId);
    const requests = [
      ...before.filter(({ messageId }) => messageId !== request.messageId),
      request,
    ];
    live.opener = this.#opener(requests, live.told, taskId !== undefined);
    let isBound = false;
    for await (const numbered of this.#agent.stream(carrying(asked, request), extended(options))) {
      const { event } = numbered;
      if (!isBound && event.type !== 'message') {
        await this.#requests.bind(
          event.type === 'task' ? event.task.id : event.taskId,
          request.messageId,
          true,
        );
        isBound = true;
      }
      yield* this.#told(numbered, live);
    }
  }

  async *#subscribed(
    id: string,
    { lastEventId, ...options }: A2aSubscribeOptions,
    live: Live,
  ): AsyncGenerator<NumberedEvent> {
    const goesOn =
      lastEventId !== undefined && live.opener !== undefined && live.eventId === lastEventId;
    const isWhole = lastEventId === START;
    // Who has not opened what came before cannot judge what comes after: then the task is told as a whole.
    const from = goesOn || isWhole ? { lastEventId } : {};
    if (!goesOn) delete live.opener;
    for await (const numbered of this.#agent.subscribe(id, { ...options, ...from })) {
      if (live.opener === undefined) {
        const { event } = numbered;
        const all = await this.#requests.ofTask(id);
        const requests = event.type === 'task' ? arrived(all, event.task) : all;
        this.#assertKnown(requests);
        live.opener = this.#opener(requests, live.told, !isWhole);
      }
      yield* this.#told(numbered, live);
    }
  }

  async *#told({ event, id }: NumberedEvent, live: Live): AsyncGenerator<NumberedEvent> {
    const events = await live.opener!.open(event);
    if (id === undefined) delete live.eventId;
    else live.eventId = id;
    for (const opened of events) yield { event: opened, ...(id !== undefined && { id }) };
  }

  #opener(requests: readonly KeptRequest[], all: ToldProtection, isResumed: boolean): StreamOpener {
    return new StreamOpener({
      opening: { ...this.#opening(requests), isResumed },
      nameOf: namesOf(requests),
      told: all,
      onProven: () => this.#proven(),
    });
  }

  async #answer({ message, contextId }: A2aAnswer, request: KeptRequest): Promise<A2aAnswer> {
    const opened = await openTask(messageBag(message), this.#opening([request]));
    if (opened.protection !== 'none') await this.#proven();
    const [said] = opened.messages;
    return {
      message: said === undefined ? message : messageFrom(said as object),
      ...(contextId !== undefined && { contextId }),
      protection: opened.protection,
    };
  }

  async #opened(task: A2aTask, historyLength?: number): Promise<A2aTask> {
    const requests = arrived(await this.#requests.ofTask(task.id), task);
    this.#assertKnown(requests);
    if (requests.length === 0 && !hasEnvelopes(task)) return { ...task, protection: 'none' };
    const opened = await openTask(taskBag(task), {
      ...this.#opening(requests),
      ...(historyLength !== undefined && { historyLength }),
    });
    return this.#shown(task, opened, requests);
  }

  /** One that cannot be opened does not hide the others: nothing of what it says is shown. */
  async #listed(task: A2aTask): Promise<A2aTask> {
    const requests = arrived(await this.#requests.ofTask(task.id), task);
    const isOurs = requests.length > 0;
    if (!isOurs && this.#isRequired) return { ...withoutContent(task), protection: 'none' };
    if (!isOurs && !hasEnvelopes(task)) return { ...task, protection: 'none' };
    const opened = await openTask(taskBag(task), { ...this.#opening(requests), policy: 'report' });
    const names = new Map<string, string>();
    for (const { id, role } of task.history) {
      const name = role === 'user' ? await this.#requests.named(id) : undefined;
      if (name !== undefined) names.set(id, name);
    }
    const shown = openedTask(task, opened, (id) => names.get(id));
    return { ...shown, protection: opened.protection };
  }

  async #shown(task: A2aTask, opened: Opened, requests: readonly KeptRequest[]): Promise<A2aTask> {
    const { protection, problems } = opened;
    if (protection !== 'none') await this.#proven();
    const isPlain = protection === 'none' && problems.some(({ code }) => code === 'NOT_PROTECTED');
    if (isPlain) return { ...task, protection };
    const isPartial = protection !== 'none' && problems.length > 0;
    const shown = openedTask(task, opened, namesOf(requests));
    return { ...shown, protection: isPartial ? 'partial' : protection };
  }

  #assertKnown(requests: readonly KeptRequest[]): void {
    if (requests.length > 0 || !this.#isRequired) return;
    throw new SealedError(
      'REQUEST_UNKNOWN',
      'what was asked is not kept here, and only by it can an answer be proven: the task was begun elsewhere, or before, or not sealed',
    );
  }

  /** From now on nothing plain is taken, if the policy does not say otherwise. */
  async #proven(): Promise<void> {
    if (this.#hasProven) return;
    const { typed, agentId } = this.#options;
    await this.#reached.raise([typed, this.cardUrl], agentId);
    this.#hasProven = true;
    this.#isRequired = true;
  }

  get #session(): SealedOptions {
    const { identity, sealing, to, agentId, client } = this.#options;
    const { peers, store } = sealing;
    const isInBook = peerSource(peers, client.now()).snapshot().find(agentId) !== undefined;
    return {
      identity: identity(),
      peers: isInBook ? peers : [to],
      ...(store !== undefined && { store }),
      limits: client.limits,
      now: client.now,
    };
  }

  #opening(requests: readonly KeptRequest[]): OpenOptions {
    const policy: OpenPolicy = this.#isRequired ? 'require' : 'prefer';
    return {
      ...this.#session,
      policy,
      ...(requests.length > 0 && { request: requests.map(({ sealed }) => sealed) }),
    };
  }
}

/** Where a subscription tells everything that was ever told. */
const START = '0';

function carrying(
  { message: _said, ...asked }: AskedMessage,
  { sealed }: KeptRequest,
): AskedMessage {
  return { ...asked, message: messageFrom(sealed) };
}

function extended(options: A2aCallOptions): A2aCallOptions {
  return { ...options, extensions: [...(options.extensions ?? []), SEALED_EXTENSION] };
}

function namesOf(requests: readonly KeptRequest[]): (outerId: string) => string | undefined {
  const names = new Map(requests.map(({ messageId, sealed }) => [outerIdOf(sealed), messageId]));
  return (outerId) => names.get(outerId);
}

/** Those that the agent has: one of which nobody knows whether it arrived counts where the task tells of it. */
function arrived(requests: readonly BoundRequest[], task: A2aTask): readonly BoundRequest[] {
  if (requests.every(({ isCertain }) => isCertain)) return requests;
  const { history, artifacts, status } = task;
  const said = [
    ...history,
    ...artifacts,
    ...(status.message === undefined ? [] : [status.message]),
  ];
  const seen = new Set<unknown>(history.map(({ id }) => id));
  for (const piece of said) for (const { re } of envelopesIn(piece)) seen.add(re);
  return requests.filter(({ isCertain, sealed }) => isCertain || seen.has(outerIdOf(sealed)));
}

/** What was asked for by itself while a task is followed counts for all of it. */
function told<T extends A2aSent | A2aTask>(answer: T, { told: all }: Live): T {
  const protection: Protection | undefined =
    'task' in answer ? answer.task.protection : answer.protection;
  if (protection !== undefined) all.add(protection, protection === 'none');
  return answer;
}
