// Owns `serve --exec`: each task is one run of a command, the task on its standard input, its output the result.

import { writeJson } from '../../../src/codec/index.ts';
import type { AuthorTask, OnTask, TaskContext, TaskEvent } from '../../../src/internal.ts';
import { TaskError, taskPayload, writeMessage } from '../../../src/internal.ts';
import { parseCommand } from './command.ts';
import { ExecOutput } from './output.ts';
import type { ExecReport } from './output.ts';
import { ExecProcess } from './process.ts';
import type { ProcessEnd, ExecProcessOptions } from './process.ts';

/** A run that has ended; for the local log. */
export interface ExecEnd extends ProcessEnd {
  readonly taskId: string;
  readonly owner: string;
  /** The last bytes of the command's error output. */
  readonly errorText: string;
}

export interface ExecAgentOptions {
  /** A program and its arguments, with quotes as in a shell, but not run by one. */
  readonly command: string;
  /** Variables that the command gets beside the usual ones, by name. @default none */
  readonly passEnv?: readonly string[];
  /** From asking a command to end to ending it. @default 5000 */
  readonly graceMs?: number;
  /** Bytes that a command may write, reports among them. @default 4194304 */
  readonly maxOutputBytes?: number;
  /** Bytes of the error output that are kept, the last ones. @default 16384 */
  readonly maxErrorBytes?: number;
  /** Learns how every run ended. @default nothing */
  readonly onEnd?: (end: ExecEnd) => void;
  /** Where variables come from. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What programs need to run at all; secrets of the agent stay with the agent. */
const USUAL_ENV = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
  'ComSpec',
  'PATHEXT',
] as const;

const OUTPUT_NAME = 'stdout';

/**
 * The command gets the `task.v1` payload with `id`, `owner` and `message` as one line of JSON. Exit code 0 completes the task.
 * Canceling and the deadline end the command with all that it started. Throws a TypeError for a command that cannot be read.
 */
export function createExecAgent(options: ExecAgentOptions): OnTask {
  const command = parseCommand(options.command);
  const graceMs = checkedNumber('graceMs', options.graceMs ?? 5_000);
  const maxOutputBytes = checkedNumber('maxOutputBytes', options.maxOutputBytes ?? 4_194_304);
  const maxErrorBytes = checkedNumber('maxErrorBytes', options.maxErrorBytes ?? 16_384);
  const inherited = inheritedEnv(options);
  return async function* (task, context) {
    const { signal } = context;
    if (signal.aborted) return;
    const env = { ...inherited, ...taskEnv(task, context) };
    const run = startProcess({ command, env, input: inputOf(task), graceMs, maxErrorBytes });
    const stop = (): void => run.stop();
    signal.addEventListener('abort', stop);
    try {
      const refusal = yield* relay(run.output(), context, maxOutputBytes);
      assertCompleted(await run.ended, refusal);
    } finally {
      signal.removeEventListener('abort', stop);
      run.stop();
      const outcome = await run.ended;
      options.onEnd?.({ taskId: task.id, owner: task.owner, ...outcome, errorText: run.errorText });
    }
  };
}

function startProcess(options: ExecProcessOptions): ExecProcess {
  try {
    return new ExecProcess(options);
  } catch (cause) {
    // Some reasons are thrown, such as arguments that are too long; most come as an event.
    throw notStarted(cause as NodeJS.ErrnoException);
  }
}

/** Passes reports on until the output ends; returns the words of the command's own refusal. */
async function* relay(
  output: AsyncIterable<Uint8Array>,
  context: TaskContext,
  maxOutputBytes: number,
): AsyncGenerator<TaskEvent | undefined, string | undefined> {
  const lines = new ExecOutput();
  let bytes = 0;
  let refusal: string | undefined;
  const pass = (report: ExecReport): Promise<TaskEvent | undefined> => {
    if (report.type === 'error') refusal ??= report.message;
    return recordIn(context, report);
  };
  for await (const piece of output) {
    bytes += piece.length;
    if (bytes > maxOutputBytes) {
      throw new TaskError(`the command wrote more than ${maxOutputBytes} bytes`, {
        code: 'OUTPUT_TOO_LARGE',
      });
    }
    for (const report of lines.read(piece)) yield pass(report);
  }
  for (const report of lines.end()) yield pass(report);
  return refusal;
}

async function recordIn(context: TaskContext, report: ExecReport): Promise<TaskEvent | undefined> {
  switch (report.type) {
    case 'text':
      return context.artifact({ name: OUTPUT_NAME, text: report.text, append: true });
    case 'progress':
      return context.progress(report.progress);
    case 'artifact':
      try {
        return await context.artifact(report.artifact);
      } catch (cause) {
        if (cause instanceof TaskError) throw cause;
        throw new TaskError('the command reported an artifact that cannot be sent', { cause });
      }
    default:
      return undefined;
  }
}

function assertCompleted(
  { startError, exitCode, signal }: ProcessEnd,
  refusal: string | undefined,
): void {
  if (startError !== undefined) throw notStarted(startError);
  if (refusal !== undefined) throw new TaskError(refusal);
  if (signal !== null) {
    throw new TaskError(`the command was ended by ${signal}`, { code: 'COMMAND_KILLED' });
  }
  if (exitCode !== 0) {
    throw new TaskError(`the command ended with exit code ${exitCode}`, { code: 'COMMAND_FAILED' });
  }
}

/** The program's name stays here: the owner of a task need not know what runs it. */
function notStarted(cause: NodeJS.ErrnoException): TaskError {
  const reason = cause.code ?? 'unknown reason';
  return new TaskError(`the command of this agent could not be started (${reason})`, {
    code: 'COMMAND_NOT_STARTED',
    cause,
  });
}

/** One line, so that a command can read it with the simplest means that it has. */
function inputOf(task: AuthorTask): Uint8Array {
  const { id, owner, history } = task;
  const json = writeJson({ ...taskPayload(task), id, owner, message: writeMessage(history[0]!) });
  const line = new Uint8Array(json.length + 1);
  line.set(json);
  line[json.length] = 0x0a;
  return line;
}

function taskEnv({ id, owner }: AuthorTask, { deadline }: TaskContext): Record<string, string> {
  return {
    A2A_SDL_TASK_ID: withoutNul(id),
    A2A_SDL_TASK_OWNER: withoutNul(owner),
    A2A_SDL_TASK_DEADLINE_MS: String(deadline),
  };
}

/** Ids are the sender's text; a variable cannot hold U+0000. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

function inheritedEnv({
  passEnv = [],
  env = process.env,
}: ExecAgentOptions): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const name of [...USUAL_ENV, ...passEnv]) {
    const value = env[name];
    if (value !== undefined) inherited[name] = value;
  }
  return inherited;
}

function checkedNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(`"${name}" expected an integer of at least 0`);
}
