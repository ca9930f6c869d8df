// Owns what a command is: what it is called with, what it may ask of its surroundings, how it ends.

import type { CryptoProvider } from '../../src/security/index.ts';
import type { ExitCode } from './exit.ts';
import type { Home } from '../home/home.ts';
import type { OptionValues } from './option-values.ts';
import type { CliIo } from './streams.ts';
import type { Terminal } from './terminal.ts';

export interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** It may be given several times. Only for strings. */
  readonly multiple?: boolean;
  /** What stands for the value in the help, such as `FILE`. @default "VALUE" */
  readonly value?: string;
  readonly description: string;
}

export interface Parameter {
  /** As the help shows it, such as `FILE`. */
  readonly name: string;
  readonly isOptional?: boolean;
  /** The last one may take all that is left. */
  readonly isRepeated?: boolean;
  readonly description: string;
}

interface Described {
  readonly name: string;
  /** One line, without a point at its end. */
  readonly summary: string;
}

/** Something that can be run. `--help`, `--json` and `--home` need no mention: every command has them. */
export interface Action extends Described {
  /** In the order in which they are given. @default none */
  readonly parameters?: readonly Parameter[];
  /** By their long names. @default none */
  readonly options?: Readonly<Record<string, CommandOption>>;
  /** Whole command lines, without the prompt. */
  readonly examples: readonly string[];
  /** Further words of the help, one paragraph each. */
  readonly notes?: readonly string[];
  /** Throws a `CliError`, or an error of another room. */
  run(context: CommandContext): Promise<ExitCode>;
}

/** A command of commands, such as `peers add`. Each is loaded only when it is called. */
export interface CommandGroup extends Described {
  readonly commands: Readonly<Record<string, () => Promise<Action>>>;
}

export type Command = Action | CommandGroup;

export function isGroup(command: Command): command is CommandGroup {
  return 'commands' in command;
}

/** All that a command has. It reaches for nothing else: no `process`, no `console`. */
export interface CommandContext extends Required<
  Pick<
    CliIo,
    'env' | 'now' | 'wait' | 'interrupted' | 'outliveReaders' | 'fetchAgentDocument' | 'program'
  >
> {
  /** The arguments that are no options; there are as many as the parameters want. */
  readonly words: readonly string[];
  readonly options: OptionValues;
  readonly terminal: Terminal;
  readonly home: Home;
  readonly crypto: CryptoProvider;
}
