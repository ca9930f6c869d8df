// Owns the door: every operation on tasks, from any face, is admitted, asked for its rights, recorded, done and counted
// here, and nowhere else. ARCHITECTURE.md ("The door").

import type { AuditLog } from '../audit/log.ts';
import type { MaybePromise } from '../crypto/provider.ts';
import { SdlError, toSdlError } from '../errors.ts';
import type { TaskEngine } from '../tasks/engine/contract.ts';
import type { SetTimer } from '../tasks/engine/timer.ts';
import type { TaskStep } from '../tasks/event.ts';
import type { MessageContent } from '../tasks/message.ts';
import type { NewHook, TaskHook } from '../tasks/hook.ts';
import type { CanceledTask, StartedTask, TaskPage, WholeTaskPage } from '../tasks/request.ts';
import type { Task } from '../tasks/task.ts';
import { acceptedStart, readMessage } from './accepted.ts';
import type { Accepts } from './accepts.ts';
import type { CallContext } from './call.ts';
import { carryCall, isCovered } from './covered.ts';
import { FollowedSteps } from './followed-steps.ts';
import { assertPrincipal } from './live-rights.ts';
import type { TaskFacts } from './ownership.ts';
import { assertAdmin, ownScope, ownerOf, scopeOf } from './ownership.ts';
import type { DoorOutcome, OperationName } from './operation.ts';
import { WISHES, operationEntry } from './operation.ts';
import type { Asker } from './permission.ts';
import { isAllowed, standingFor } from './permission.ts';
import type { Principal } from './principal.ts';
import type { Rights, Standing } from './rights.ts';
import type {
  FollowTask,
  GetOptions,
  ListTasks,
  ListWholeTasks,
  MessageOptions,
  OwnerOption,
  StartTask,
  TaskService,
} from './service.ts';
import { EVERY_OWNER } from './service.ts';
import { askedHook, hookOf, startTask } from './starting.ts';
import { wholePage } from './whole-page.ts';
import { Testimony } from './testimony.ts';
import { Vigil, takenAway } from './vigil.ts';
import type { AcceptedMessage, EvidenceHashes, TellSent, Witness } from './witness.ts';

export interface DoorServices {
  readonly rights: Rights;
  /** `undefined` where no log is kept. */
  readonly audit: AuditLog | undefined;
}

export interface DoorOptions {
  /** `undefined` for an agent that does no tasks. */
  readonly engine: TaskEngine | undefined;
  /** Resolves once the door was opened. */
  readonly opening: () => Promise<unknown>;
  /**
   * A place among the calls at work, for this principal. Throws LIMIT_RATE or DRAINING, or rejects with them; gives what
   * gives it back. `onStop` is called when the agent stops and waits no longer.
   */
  readonly admit: (principal: Principal, onStop?: () => void) => MaybePromise<() => void>;
  /** @default every task is taken */
  readonly accepts?: Accepts | undefined;
  /** @default nobody keeps evidence */
  readonly witness?: Witness | undefined;
  readonly onOutcome: (outcome: DoorOutcome, isCovered: boolean) => void;
  readonly onError: (cause: unknown) => void;
  readonly newId: () => string;
  readonly now: () => number;
  readonly setTimer: SetTimer;
}

/** What of a call is told, recorded and judged. */
interface Operation {
  readonly call: CallContext;
  readonly name: OperationName;
  readonly taskId?: string;
  /** Of one that brings a message to a task. Throws PAYLOAD_INVALID. */
  readonly accepted?: () => AcceptedMessage;
}

export class Door implements TaskService {
  readonly #options: DoorOptions;
  readonly #vigil: Vigil;
  readonly #testimony: Testimony;
  /** A peer is told of it. For faces that walk through a log or follow silently; all others are known by what they follow. */
  readonly sent: TellSent;
  #services: DoorServices | undefined;

  constructor(options: DoorOptions) {
    const { setTimer, onError, engine, witness } = options;
    this.#options = options;
    this.#testimony = new Testimony(witness, onError);
    this.sent = this.#testimony.sent;
    this.#vigil = new Vigil({
      mayStay: (asker) => this.#may(asker, 'follow'),
      endTasks: async () => engine?.endDisallowed(),
      setTimer,
      onError,
    });
  }

  /** May the task go on? For its engine, which asks before every attempt, and not before the door is open. */
  readonly mayGoOn = (task: TaskFacts): boolean => this.#mayStill(task, 'start');

  /** May somebody outside still be told of a task, on the word of its owner? */
  readonly mayBeTold = (hook: TaskFacts): boolean => this.#mayStill(hook, 'hook');

  /** From now on it can be asked, and looks after streams and tasks whose rights are taken away. */
  open(services: DoorServices): void {
    this.#services = services;
    this.#vigil.open();
  }

  close(): void {
    this.#vigil.close();
  }

  async authorize(call: CallContext, name: OperationName): Promise<void> {
    assertPrincipal(call.principal);
    if (this.#services === undefined) await this.#options.opening();
    standingFor(this.#services!.rights, call, WISHES[name], this.#options.now());
  }

  start(call: CallContext, start: StartTask): Promise<StartedTask> {
    const accepted = (): AcceptedMessage => acceptedStart(call, start);
    const { accepts, now, newId } = this.#options;
    return this.#do({ call, name: 'start', ...idIn(start), accepted }, (engine, standing) =>
      startTask({ engine, accepts, now, newId, sent: this.sent }, call, start, standing),
    );
  }

  message(
    call: CallContext,
    id: string,
    message: MessageContent,
    { owner, answers, hook, carrier }: MessageOptions = {},
  ): Promise<Task> {
    const accepted = (): AcceptedMessage => ({
      call,
      operation: 'message',
      message: readMessage(message),
      taskId: call.received?.taskId ?? id,
    });
    return this.#do({ call, name: 'message', taskId: id, accepted }, (engine, standing) =>
      engine.message(scopeOf(call, owner, standing, id), id, readMessage(message), {
        ...(answers !== undefined && { answers }),
        ...(hook !== undefined && { hook: askedHook(call, hook, carrier) }),
        ...(carrier !== undefined && { carrier: ownScope(carrier) }),
      }),
    );
  }

  async carried(call: CallContext, id: string): Promise<CallContext | undefined> {
    assertPrincipal(call.principal);
    if (this.#services === undefined) await this.#options.opening();
    const scope = await this.#engine().carried(ownScope(call.principal), id);
    return scope && carryCall(call, { id, scope });
  }

  get(call: CallContext, id: string, options: GetOptions = {}): Promise<Task | undefined> {
    return this.#do({ call, name: 'get', taskId: id }, async (engine, standing) => {
      const task = await engine.get(scopeOf(call, options.owner, standing, id), id);
      return task && trimmed(task, options);
    });
  }

  list(call: CallContext, options: ListWholeTasks): Promise<WholeTaskPage>;
  list(call: CallContext, options?: ListTasks): Promise<TaskPage>;
  list(call: CallContext, options: ListTasks | ListWholeTasks = {}): Promise<TaskPage> {
    const { owner, ...given } = options;
    const { isWhole, ...filter } = { isWhole: false, ...given };
    return this.#do({ call, name: 'list' }, async (engine, standing) => {
      if (owner === EVERY_OWNER) {
        assertAdmin(standing);
        return engine.list(undefined, filter);
      }
      const scope = scopeOf(call, owner, standing);
      const page = await engine.list(scope, filter);
      return isWhole ? wholePage(engine, scope, page) : page;
    });
  }

  follow(
    call: CallContext,
    id: string,
    after?: number,
    options: FollowTask = {},
  ): AsyncIterable<TaskStep> {
    return {
      [Symbol.asyncIterator]: () =>
        new FollowedSteps({
          call,
          begin: (onStop) =>
            this.#beginFollow({ call, name: 'follow', taskId: id }, options, after, onStop),
        }),
    };
  }

  cancel(
    call: CallContext,
    id: string,
    { owner }: OwnerOption = {},
  ): Promise<CanceledTask | undefined> {
    return this.#do({ call, name: 'cancel', taskId: id }, async (engine, standing) => {
      const canceled = await engine.cancel(scopeOf(call, owner, standing, id), id);
      if (canceled?.hasEnded === false) this.sent(call, { task: canceled.task });
      return canceled;
    });
  }

  setHook(call: CallContext, id: string, hook: NewHook): Promise<TaskHook> {
    return this.#do({ call, name: 'hook', taskId: id }, ({ hooks }, standing) =>
      hooks.set(scopeOf(call, undefined, standing, id), id, hookOf(call, hook, id)),
    );
  }

  hooks(call: CallContext, id: string): Promise<readonly TaskHook[]> {
    return this.#do({ call, name: 'hooks', taskId: id }, ({ hooks }, standing) =>
      hooks.list(scopeOf(call, undefined, standing, id), id, call.face),
    );
  }

  dropHook(call: CallContext, id: string, hookId: string): Promise<void> {
    return this.#do({ call, name: 'unhook', taskId: id }, ({ hooks }, standing) =>
      hooks.drop(scopeOf(call, undefined, standing, id), id, call.face, hookId),
    );
  }

  /** The one way of every operation: admitted, allowed, recorded, done, told. */
  async #do<T>(
    operation: Operation,
    work: (engine: TaskEngine, standing: Standing) => Promise<T>,
  ): Promise<T> {
    const startedMs = this.#options.now();
    let leave: (() => void) | undefined;
    try {
      const admitted = this.#admit(operation);
      leave = admitted instanceof Promise ? await admitted : admitted;
      const standing = await this.#judge(operation);
      const result = await work(this.#engine(), standing);
      this.#tell(operation, startedMs, undefined);
      return result;
    } catch (thrown) {
      throw this.#tell(operation, startedMs, toSdlError(thrown));
    } finally {
      leave?.();
    }
  }

  async #beginFollow(
    operation: Operation,
    { owner, isSilent = false }: FollowTask,
    after: number | undefined,
    onStop: () => void,
  ): ReturnType<ConstructorParameters<typeof FollowedSteps>[0]['begin']> {
    const { call, taskId } = operation;
    const startedMs = this.#options.now();
    const stay = this.#vigil.enter(call, onStop);
    const drain = (): void => stay.refuse(new SdlError('DRAINING', 'the agent stops'));
    let leave: () => void;
    try {
      leave = await this.#admit(operation, drain);
    } catch (thrown) {
      stay.leave();
      throw this.#tell(operation, startedMs, toSdlError(thrown));
    }
    const end = (error: SdlError | undefined): void => {
      stay.leave();
      leave();
      this.#tell(operation, startedMs, error);
    };
    try {
      const scope = scopeOf(call, owner, await this.#judge(operation), taskId);
      const engine = this.#engine();
      return {
        steps: (signal) => engine.follow(scope, taskId!, after, signal),
        told: isSilent ? nothing : this.#testimony.followed(call, after),
        refusal: () => stay.refusal ?? this.#refusalOf(call),
        end,
      };
    } catch (thrown) {
      const error = toSdlError(thrown);
      end(error);
      throw error;
    }
  }

  #admit({ call }: Operation, onStop?: () => void): MaybePromise<() => void> {
    const { admit, opening } = this.#options;
    assertPrincipal(call.principal);
    const enter = (): MaybePromise<() => void> =>
      isCovered(call) ? nothing : admit(call.principal, onStop);
    return this.#services === undefined ? opening().then(enter) : enter();
  }

  /** Written before anything is done, whatever the verdict. */
  async #judge(operation: Operation): Promise<Standing> {
    const { call, name, accepted } = operation;
    const { rights } = this.#services!;
    let standing: Standing;
    let evidence: EvidenceHashes | undefined;
    try {
      standing = standingFor(rights, call, WISHES[name], this.#options.now());
      if (accepted !== undefined && this.#testimony.isGiven) {
        evidence = await this.#testimony.accepted(accepted());
      }
    } catch (thrown) {
      await this.#record(operation, toSdlError(thrown));
      throw thrown;
    }
    await this.#record(operation, undefined, evidence);
    return standing;
  }

  /** The entry of an envelope is written before anybody knows of a task: its evidence gets one beside it. */
  #record(
    { call, name, taskId }: Operation,
    refusal: SdlError | undefined,
    evidence?: EvidenceHashes,
  ): Promise<unknown> | undefined {
    const { audit } = this.#services!;
    if (audit === undefined || (isCovered(call) && evidence === undefined)) return undefined;
    const facts = { face: call.face, operation: name, from: call.principal.id, taskId };
    const verdict = refusal?.code ?? 'ok';
    return audit.record(operationEntry(this.#options.newId(), facts, verdict, evidence));
  }

  #tell<E extends SdlError | undefined>(operation: Operation, startedMs: number, error: E): E {
    const { call, name, taskId } = operation;
    this.#options.onOutcome(
      {
        face: call.face,
        operation: name,
        from: call.principal.id,
        ...(taskId !== undefined && { taskId }),
        ...(error !== undefined && { error }),
        durationMs: this.#options.now() - startedMs,
      },
      isCovered(call),
    );
    return error;
  }

  #engine(): TaskEngine {
    const { engine } = this.#options;
    if (engine === undefined) throw new SdlError('CT_UNSUPPORTED', 'this agent does no tasks');
    return engine;
  }

  #may(asker: Asker, name: OperationName): boolean {
    const { rights } = this.#services!;
    const nowMs = this.#options.now();
    return WISHES[name].some((wish) => isAllowed(rights, asker, wish, nowMs));
  }

  /** The token that a caller showed may have ended since: its entry counts, and what the grant still gives. */
  #mayStill(facts: TaskFacts, name: OperationName): boolean {
    if (this.#services === undefined) throw new SdlError('INTERNAL', 'the door is not open yet');
    const { ceiling } = facts.authority;
    const grant = ceiling?.isGrant === true ? ceiling : undefined;
    return this.#may({ principal: ownerOf(facts), ceiling: grant }, name);
  }

  #refusalOf(call: CallContext): SdlError | undefined {
    return this.#may(call, 'follow') ? undefined : takenAway();
  }
}

const nothing = (): void => undefined;

function idIn({ idempotency }: StartTask): { readonly taskId?: string } {
  return idempotency === undefined ? {} : { taskId: idempotency.id };
}

function trimmed(task: Task, { historyLength, includeArtifacts = true }: GetOptions): Task {
  const isWhole = historyLength === undefined || historyLength >= task.history.length;
  if (isWhole && includeArtifacts) return task;
  return {
    ...task,
    ...(!isWhole && { history: historyLength > 0 ? task.history.slice(-historyLength) : [] }),
    ...(!includeArtifacts && { artifacts: [] }),
  };
}
