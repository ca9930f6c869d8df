// Owns one run of the program: find the command, read its options, run it, and turn what it throws into an exit code.

import { setTimeout } from 'node:timers/promises';

import { PACKAGE_VERSION } from '../src/version.ts';
import { COMMON_OPTIONS, checkWords, optionsOf, parseWords, splitName } from './kit/arguments.ts';
import type { Action, CommandGroup } from './kit/command.ts';
import { isGroup } from './kit/command.ts';
import type { CommandRow } from './commands.ts';
import { COMMANDS } from './commands.ts';
import type { ExitCode } from './kit/exit.ts';
import { CliError, EXIT, usageError } from './kit/exit.ts';
import { HELP, PROGRAM, VERSION, actionHelp, groupHelp, programHelp } from './kit/help.ts';
import { resolveHome } from './home/home.ts';
import { OptionValues } from './kit/option-values.ts';
import type { CliIo, FetchAgentDocument, Wait } from './kit/streams.ts';
import { suggest } from './kit/suggest.ts';
import { Terminal } from './kit/terminal.ts';

/** Runs the program with the words behind its name. Never throws. */
export async function main(
  args: readonly string[],
  surroundings: CliIo,
  commands: Readonly<Record<string, CommandRow>> = COMMANDS,
): Promise<ExitCode> {
  let signal: AbortSignal | undefined;
  const interrupted = (): AbortSignal =>
    (signal ??= surroundings.interrupted?.() ?? new AbortController().signal);
  const io = { ...surroundings, interrupted };
  // Asked of the words themselves, since they may be what is wrong.
  const terminal = new Terminal(io, { isJson: args.includes('--json') });
  try {
    return await dispatch(args, io, terminal, commands);
  } catch (thrown) {
    const error = await explain(thrown);
    terminal.error(error);
    // What fails once the user wants it to stop fails because of that.
    return signal?.aborted === true ? EXIT.interrupted : error.exitCode;
  }
}

/** The errors of other rooms are known to a file that loads those rooms. */
async function explain(thrown: unknown): Promise<CliError> {
  if (thrown instanceof CliError) return thrown;
  const { toCliError } = await import('./kit/thrown.ts');
  return toCliError(thrown);
}

type Surroundings = CliIo & Required<Pick<CliIo, 'interrupted'>>;

async function dispatch(
  args: readonly string[],
  io: Surroundings,
  terminal: Terminal,
  commands: Readonly<Record<string, CommandRow>>,
): Promise<ExitCode> {
  const { name, rest } = splitName(args);
  if (name === undefined) return runWithoutCommand(rest, terminal, commands);
  // `help peers add` is `peers add --help`, `version` is `--version`.
  if (name === HELP || name === VERSION) {
    return dispatch([...rest, `--${name}`], io, terminal, commands);
  }
  const row = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (row === undefined) {
    throw unknownCommand(name, [...Object.keys(commands), HELP, VERSION], '');
  }
  const command = await row.load();
  if (!isGroup(command)) return runAction(command, name, rest, io, terminal);
  const inner = splitName(rest);
  if (inner.name === undefined) return runWithoutAction(command, inner.rest, terminal);
  if (!Object.hasOwn(command.commands, inner.name)) {
    throw unknownCommand(inner.name, Object.keys(command.commands), `${name} `);
  }
  const action = await command.commands[inner.name]!();
  return runAction(action, `${name} ${action.name}`, inner.rest, io, terminal);
}

async function runWithoutCommand(
  args: readonly string[],
  terminal: Terminal,
  commands: Readonly<Record<string, CommandRow>>,
): Promise<ExitCode> {
  const version = { type: 'boolean', short: 'V', description: 'show the version' } as const;
  const { given } = parseWords(args, { ...COMMON_OPTIONS, version });
  if (given.has('version')) {
    const text = PACKAGE_VERSION;
    terminal.result({ version: text }, () => terminal.print(text));
  } else terminal.printText(programHelp(commands));
  return EXIT.ok;
}

async function runWithoutAction(
  group: CommandGroup,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  parseWords(args, COMMON_OPTIONS);
  terminal.printText(await groupHelp(group));
  return EXIT.ok;
}

async function runAction(
  action: Action,
  path: string,
  args: readonly string[],
  io: Surroundings,
  terminal: Terminal,
): Promise<ExitCode> {
  const options = optionsOf(action);
  const { words, given } = parseWords(args, options);
  if (given.has('help')) {
    terminal.printText(actionHelp(action, path));
    return EXIT.ok;
  }
  checkWords(words, action);
  const values = new OptionValues(Object.keys(options), given);
  const { chooseProvider } = await import('../src/security/index.ts');
  return action.run({
    words,
    options: values,
    terminal,
    home: resolveHome(values.text('home'), io.env),
    crypto: chooseProvider(),
    env: io.env,
    program: io.program ?? PROGRAM,
    now: io.now ?? Date.now,
    wait: io.wait ?? waitRealTime,
    interrupted: io.interrupted,
    outliveReaders: io.outliveReaders ?? ((): void => undefined),
    fetchAgentDocument: io.fetchAgentDocument ?? fetchOverHttp,
  });
}

const waitRealTime: Wait = async (delayMs, signal) => {
  await setTimeout(delayMs, undefined, { signal }).catch(() => undefined);
};

/** Loaded only when it is called: most commands need no network. */
const fetchOverHttp: FetchAgentDocument = async (url, options) => {
  const { fetchAgentDocument } = await import('../transports/http/index.ts');
  return fetchAgentDocument(url, options);
};

function unknownCommand(name: string, known: readonly string[], path: string): Error {
  const nearest = suggest(name, known);
  return usageError(
    `there is no command "${path}${name}"`,
    nearest === undefined
      ? `see "${`${PROGRAM} ${path}`.trim()} --help"`
      : `did you mean "${PROGRAM} ${path}${nearest}"?`,
  );
}
