// Owns how long a command that follows tasks waits for an agent that is away: it says so, and tries again, later each
// time, until the agent is back or has been away for too long.

import { RemoteError } from '../../src/client/index.ts';
import { TransportError } from '../../src/transport.ts';
import type { CommandContext, CommandOption } from '../kit/command.ts';
import { explainExchange } from '../client/error.ts';
import { CliError, EXIT } from '../kit/exit.ts';

const DEFAULT_WAIT_S = 60;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

export const WAIT_OPTION: CommandOption = {
  type: 'string',
  value: 'SECONDS',
  description: `how long to wait for an agent that is gone to come back (default ${DEFAULT_WAIT_S})`,
};

export interface PatienceOptions {
  readonly context: CommandContext;
  /** Whom it waits for. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** What the user can do when it is not back in time. */
  readonly next: string | (() => string);
}

export class Patience {
  readonly #options: PatienceOptions;
  readonly #waitMs: number;
  /** Who never answered is not waited for. */
  #hasAnswered = false;
  /** When it was found to be away, and all pauses since. */
  #since: number | undefined;
  #pausedMs = 0;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(options: PatienceOptions) {
    this.#options = options;
    this.#waitMs = (options.context.options.integer('wait', 0) ?? DEFAULT_WAIT_S) * 1_000;
  }

  /** The agent was away when it was asked last. */
  get isWaiting(): boolean {
    return this.#since !== undefined;
  }

  /** The agent has answered. */
  answered(): void {
    const { context, name } = this.#options;
    if (this.#since !== undefined) context.terminal.note(`${name} is back`);
    this.#hasAnswered = true;
    this.#since = undefined;
    this.#pausedMs = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  /** Short, and for no reason that the user should know. */
  async pause(): Promise<void> {
    const { context, signal } = this.#options;
    await context.wait(FIRST_PAUSE_MS, signal);
  }

  /** Resolves when it is time to ask again. Throws when that is of no use, or was in vain for too long. */
  async pauseAfter(thrown: unknown): Promise<void> {
    const { context, name, signal, next } = this.#options;
    if (!this.#hasAnswered || !isAway(thrown)) throw thrown;
    const { message, code } = explainExchange(thrown, name);
    if (this.#since === undefined) {
      this.#since = context.now();
      context.terminal.note(`${message}; waiting for it, ${this.#waitMs / 1_000} s at most`);
    }
    const waitedMs = Math.max(this.#pausedMs, context.now() - this.#since);
    if (waitedMs >= this.#waitMs) {
      const words = `${message}; it was not back within ${this.#waitMs / 1_000} s`;
      const what = typeof next === 'string' ? next : next();
      throw new CliError(EXIT.notEnded, words, { code, next: what, cause: thrown });
    }
    const pauseMs = Math.min(this.#pauseMs, this.#waitMs - waitedMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    this.#pausedMs += pauseMs;
    await context.wait(pauseMs, signal);
  }
}

/** The connection was lost, or the agent cannot answer for now. */
function isAway(thrown: unknown): boolean {
  if (thrown instanceof TransportError) return thrown.isRetryable;
  return thrown instanceof RemoteError && thrown.retryable;
}
