// Owns sealed tasks as the operations of the face see them: who may ask for one, what it is told as, and who must seal.
// SPEC.md section 22 (#sealed-tasks, #sealed-carrier, #sealed-required).

import type { CallContext, Task, TaskStep } from '../../../src/door/index.ts';
import { FOREIGN_MARK, SdlError, changedCall } from '../../../src/door/index.ts';
import type { ListenContext } from '../../../src/transport.ts';
import type { A2aError } from '../errors/a2a-error.ts';
import { noSuchTask, refusal } from '../errors/a2a-error.ts';
import type { SendInput } from '../operations/inputs.ts';
import { SEALED_EXTENSION } from '../sealed/extension.ts';
import { renderTask } from './render.ts';
import { Sealer } from './sealer.ts';
import { isSealedId, isSealedTask } from './source.ts';
import { Transcript } from './transcript.ts';

/** Who sends without an envelope is refused: nobody but by its own entry, or everybody. */
export type SealedRule = 'prefer' | 'require';

export class SealedTasks {
  readonly context: ListenContext;
  readonly sealer: Sealer;
  readonly #rule: SealedRule;

  constructor(context: ListenContext, rule: SealedRule) {
    this.context = context;
    this.#rule = rule;
    this.sealer = new Sealer(context);
  }

  /** Throws EXTENSION_SUPPORT_REQUIRED for a plain message that has to be sealed. */
  async assertMayBePlain(call: CallContext, { taskId }: SendInput): Promise<void> {
    const { tasks, mustSeal } = this.context;
    if (this.#rule === 'require') throw mustBeSealed('this agent takes sealed messages only');
    const { id } = call.principal;
    const isPeer = !id.startsWith(FOREIGN_MARK);
    if (isPeer && (await mustSeal(id))) throw mustBeSealed('this caller has to seal its messages');
    if (taskId === undefined || !isSealedId(taskId)) return;
    const isCarried = (await tasks.carried(call, taskId)) !== undefined;
    const own = isPeer && !isCarried ? await tasks.get(call, taskId) : undefined;
    if (isCarried || (own !== undefined && isSealedTask(own))) {
      throw mustBeSealed('what is said to a sealed task is sealed');
    }
  }

  /** The call by which this task is asked for: its own, or that of who carries it. `undefined` for any other task. */
  async callFor(call: CallContext, id: string): Promise<CallContext | undefined> {
    if (!isSealedId(id)) return undefined;
    const { tasks } = this.context;
    const carried = await tasks.carried(call, id);
    if (carried !== undefined || call.principal.id.startsWith(FOREIGN_MARK)) return carried;
    const own = await tasks.get(call, id, { historyLength: 0, includeArtifacts: false });
    return own !== undefined && isSealedTask(own) ? call : undefined;
  }

  /** The task as it may be shown. Throws TASK_NOT_FOUND. */
  async task(call: CallContext, id: string): Promise<Task> {
    const transcript = await this.transcript(call, id);
    return shown(() => renderTask(transcript, this.sealer));
  }

  /** The whole log up to now. Throws TASK_UNKNOWN. */
  async transcript(call: CallContext, id: string): Promise<Transcript> {
    // It has caught up when it ends.
    const upToNow = changedCall(call, { signal: AbortSignal.abort() });
    const transcript = this.newTranscript();
    for await (const step of this.steps(upToNow, id)) transcript.take(step);
    if (transcript.generation === 0) throw noSuchTask();
    return transcript;
  }

  newTranscript(): Transcript {
    return new Transcript(this.context.digest);
  }

  /** From its beginning: what is said of a step depends on those before it. */
  steps(call: CallContext, id: string): AsyncIterable<TaskStep> {
    return this.context.tasks.follow(call, id, SUBMITTED, { isSilent: true });
  }
}

/** The generation of a task that was begun and on which nobody has worked yet. */
export const SUBMITTED = 1;

/** Where nothing may be sealed to its owner any more there is nothing to be told. */
export async function shown<T>(render: () => Promise<T>): Promise<T> {
  try {
    return await render();
  } catch (thrown) {
    const code = thrown instanceof SdlError ? thrown.code : undefined;
    if (code === 'SENDER_REFUSED' || code === 'MODE_REFUSED') throw noSuchTask();
    throw thrown;
  }
}

function mustBeSealed(words: string): A2aError {
  const told = `${words}: the extension ${SEALED_EXTENSION} is required`;
  return refusal('EXTENSION_SUPPORT_REQUIRED', 'MODE_REFUSED', told);
}
