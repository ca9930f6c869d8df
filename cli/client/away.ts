// Owns what a user is told while an agent that is away is waited for, and how long that is.

import type { AwayOptions } from '../../src/client/index.ts';
import type { CommandContext, CommandOption } from '../kit/command.ts';
import { CliError, EXIT } from '../kit/exit.ts';
import { explainExchange } from './error.ts';

const DEFAULT_WAIT_S = 60;

export const WAIT_OPTION: CommandOption = {
  type: 'string',
  value: 'SECONDS',
  description: `how long to wait for an agent that is gone to come back (default ${DEFAULT_WAIT_S})`,
};

export interface AwayNotesOptions {
  readonly context: CommandContext;
  /** Whom it waits for. */
  readonly name: string;
  /** What the user can do when it is not back in time. */
  readonly next: string | (() => string);
  /** Something is going to be written. */
  readonly before?: () => void;
}

export class AwayNotes {
  readonly #options: AwayNotesOptions;
  readonly #waitS: number;
  #isAway = false;

  constructor(options: AwayNotesOptions) {
    this.#options = options;
    this.#waitS = options.context.options.integer('wait', 0) ?? DEFAULT_WAIT_S;
  }

  /** For what follows a task. */
  get options(): Required<AwayOptions> {
    const { context, name, before } = this.#options;
    return {
      maxAwayMs: this.#waitS * 1_000,
      wait: context.wait,
      onAway: (cause) => {
        this.#isAway = true;
        before?.();
        const { message } = explainExchange(cause, name);
        context.terminal.note(`${message}; waiting for it, ${this.#waitS} s at most`);
      },
      onBack: () => {
        this.#isAway = false;
        before?.();
        context.terminal.note(`${name} is back`);
      },
    };
  }

  /** What was thrown; if it was waited for in vain, in words that say so. */
  explain(thrown: unknown): unknown {
    if (!this.#isAway) return thrown;
    const { name, next } = this.#options;
    const { message, code } = explainExchange(thrown, name);
    return new CliError(EXIT.notEnded, `${message}; it was not back within ${this.#waitS} s`, {
      code,
      next: typeof next === 'string' ? next : next(),
      cause: thrown,
    });
  }
}
