// Owns the daemon's log: one line an event, with the time, who it was about, which task, and how it ended. With `--json`
// one JSON object. Never what a message or a task said.

import type { JsonObject } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { Outcome, TaskSummary } from '../../src/internal.ts';
import { TaskError } from '../../src/internal.ts';
import type { CommandContext } from '../kit/command.ts';
import { CliError } from '../kit/exit.ts';
import type { LogLine } from './log-lines.ts';
import { LogLines } from './log-lines.ts';
import { UnprovenRefusals } from './unproven.ts';

export interface DaemonLog {
  /** Programs read `ready` first: what is told before this is called goes out with it. */
  open(): void;
  /** What is only counted so far is told. */
  close(): void;
  /** Where names of agents come from. Until it is told they are shown by their ids. */
  readonly useNames: (nameOf: (agentId: string) => string | undefined) => void;
  readonly message: (outcome: Outcome) => void;
  readonly task: (task: TaskSummary) => void;
  /** Something failed inside. */
  readonly error: (what: string, cause: unknown, task?: Pick<TaskSummary, 'id' | 'owner'>) => void;
  /** A step in the daemon's own life. */
  readonly step: (event: string, words: string) => void;
}

/** Ends of a task with which its owner did not get what it asked for. */
const UNDONE: ReadonlySet<string> = new Set(['failed', 'rejected', 'canceled']);
const ENDS: ReadonlySet<string> = new Set([...UNDONE, 'completed']);

const MAX_ID_LENGTH = 32;
const ID_START = 18;
const ID_END = 6;

interface Line {
  readonly event: string;
  /** For programs. */
  readonly members: JsonObject;
  /** For people. */
  readonly words: string;
  /** Of what failed unexpectedly. */
  readonly stack?: string | undefined;
}

export function createLog({ terminal, now, options }: CommandContext): DaemonLog {
  const isVerbose = options.flag('verbose');
  let nameOf: ((agentId: string) => string | undefined) | undefined;
  const peer = (agentId: string): string => nameOf?.(agentId) ?? shortId(agentId);
  const lines = new LogLines(terminal);
  let early: LogLine[] | undefined = [];
  const write = ({ event, members, words, stack }: Line): void => {
    const time = new Date(now()).toISOString();
    const line = {
      time,
      event,
      words,
      members: stack === undefined ? members : { ...members, stack },
    };
    if (terminal.isJson && early !== undefined) early.push(line);
    else if (lines.write(line) && !terminal.isJson && isVerbose && stack !== undefined) {
      for (const each of stack.split('\n')) terminal.note(`  ${each.trim()}`);
    }
  };
  const unproven = new UnprovenRefusals(({ transport, verdict, count }) =>
    write({
      event: 'refused',
      members: { transport, verdict, count, proven: false },
      words: `${count} more ${terminal.style('red', verdict)} ${transport} of somebody not proven`,
    }),
  );
  const coloured = (verdict: string, isGood: boolean): string =>
    terminal.style(isGood ? 'green' : 'red', verdict);
  return {
    open() {
      for (const line of early ?? []) lines.write(line);
      early = undefined;
    },
    close() {
      unproven.flush();
    },
    useNames(names) {
      nameOf = names;
    },
    message(outcome) {
      if (!unproven.isTold(outcome)) return;
      const { transport, operation, ct, from, id, stage, error, task, isProven, isRetry } = outcome;
      const isUndone = task !== undefined && UNDONE.has(task.state);
      const refusal = outcome.refusal ?? error?.code;
      const code = refusal ?? task?.failure?.code;
      const reason = error === undefined ? task?.failure?.message : reasonOf(error);
      const verdict = refusal ?? (isUndone ? task.state : 'ok');
      const isGood = error === undefined && !isUndone;
      const shown = isGood && isRetry ? 'retry' : verdict;
      const who = from === undefined ? 'somebody' : peer(from) + (isProven ? '' : ' (not proven)');
      write({
        event: 'message',
        members: {
          transport,
          ...(operation !== undefined && { face: transport, operation }),
          verdict,
          ...(id !== undefined && { id }),
          ...(ct !== undefined && { ct }),
          ...(from !== undefined && { from, peer: peer(from), proven: isProven }),
          ...(task !== undefined && { task: task.id, state: task.state }),
          ...(stage !== undefined && { stage }),
          ...(code !== undefined && { code }),
          ...(reason !== undefined && { reason }),
          retry: isRetry,
          ms: outcome.durationMs,
        },
        words:
          `${coloured(shown, isGood)} ${transport} ${ct ?? operation ?? '-'} from ${who}` +
          (task === undefined ? '' : `, task ${task.id}`) +
          `, ${outcome.durationMs} ms` +
          (stage === undefined ? '' : `, at ${stage}`) +
          (isUndone && code !== undefined ? `: ${code}` : '') +
          (reason === undefined ? '' : `: ${reason}`),
        stack: error === undefined ? undefined : stackOf(error),
      });
    },
    task({ id, owner, status, attempt, createdAt }) {
      const { state, failure, at } = status;
      const hasEnded = ENDS.has(state);
      const ms = at - createdAt;
      write({
        event: 'task',
        members: {
          task: id,
          from: owner,
          peer: peer(owner),
          state,
          attempt,
          ...(hasEnded && { ms }),
          ...(failure !== undefined && { code: failure.code, reason: failure.message }),
        },
        words:
          `task ${id} of ${peer(owner)} ` +
          (hasEnded ? coloured(state, !UNDONE.has(state)) : state) +
          (attempt > 1 ? `, attempt ${attempt}` : '') +
          (hasEnded ? `, ${ms} ms` : '') +
          (failure === undefined ? '' : `: ${failure.code}: ${failure.message}`),
      });
    },
    error(what, cause, task) {
      const reason = reasonOf(cause);
      write({
        event: 'error',
        members: {
          what,
          reason,
          ...(task !== undefined && { task: task.id, from: task.owner, peer: peer(task.owner) }),
        },
        words:
          `${terminal.style('red', 'error')} ${what}` +
          (task === undefined ? '' : `, task ${task.id} of ${peer(task.owner)}`) +
          `: ${reason}`,
        stack: stackOf(cause),
      });
    },
    step(event, words) {
      write({ event, members: {}, words });
    },
  };
}

/** Long ids are told apart by their ends; the whole one is in the JSON line. */
function shortId(agentId: string): string {
  if (agentId.length <= MAX_ID_LENGTH) return agentId;
  return `${agentId.slice(0, ID_START)}…${agentId.slice(-ID_END)}`;
}

/** Of an unexpected failure, the words of what was thrown at first. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof SdlError)) return cause instanceof Error ? cause.message : String(cause);
  const { reason, cause: inner } = cause;
  return cause.code === 'INTERNAL' && inner !== undefined
    ? `${reason}: ${reasonOf(inner)}`
    : reason;
}

/** Nobody expected this one; the words of the others say all. */
function stackOf(cause: unknown): string | undefined {
  if (cause instanceof SdlError) {
    return cause.code === 'INTERNAL' ? stackOf(cause.cause) : undefined;
  }
  const isExpected = cause instanceof TaskError || cause instanceof CliError;
  return cause instanceof Error && !isExpected ? cause.stack : undefined;
}
