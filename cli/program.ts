// Owns one run of the program: find the command, read its options, run it, and turn what it throws into an exit code.

import { setTimeout } from 'node:timers/promises';

import { PACKAGE_VERSION } from '../src/version.ts';
import { chooseProvider } from '../src/security/index.ts';
import { COMMON_OPTIONS, checkWords, optionsOf, parseWords, splitName } from './kit/arguments.ts';
import type { Action, Command } from './kit/command.ts';
import { isGroup } from './kit/command.ts';
import type { CommandRow } from './commands.ts';
import { COMMANDS } from './commands.ts';
import type { ExitCode } from './kit/exit.ts';
import { EXIT, toCliError, usageError } from './kit/exit.ts';
import { HELP, PROGRAM, commandHelp, programHelp } from './kit/help.ts';
import { resolveHome } from './home/home.ts';
import { OptionValues } from './kit/option-values.ts';
import type { CliIo, FetchAgentDocument, Wait } from './kit/streams.ts';
import { suggest } from './kit/suggest.ts';
import { Terminal } from './kit/terminal.ts';

/** Runs the program with the words behind its name. Never throws. */
export async function main(
  args: readonly string[],
  io: CliIo,
  commands: Readonly<Record<string, CommandRow>> = COMMANDS,
): Promise<ExitCode> {
  // Asked of the words themselves, since they may be what is wrong.
  const terminal = new Terminal(io, { isJson: args.includes('--json') });
  try {
    return await dispatch(args, io, terminal, commands);
  } catch (thrown) {
    const error = toCliError(thrown);
    terminal.error(error);
    return error.exitCode;
  }
}

async function dispatch(
  args: readonly string[],
  io: CliIo,
  terminal: Terminal,
  commands: Readonly<Record<string, CommandRow>>,
): Promise<ExitCode> {
  const { name, rest } = splitName(args);
  if (name === undefined) return runWithoutCommand(rest, terminal, commands);
  // `help peers add` is `peers add --help`.
  if (name === HELP) return dispatch([...rest, '--help'], io, terminal, commands);
  const row = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (row === undefined) throw unknownCommand(name, [...Object.keys(commands), HELP], '');
  const command = await row.load();
  if (!isGroup(command)) return runAction(command, name, rest, io, terminal);
  const inner = splitName(rest);
  if (inner.name === undefined) return runWithoutAction(command, name, inner.rest, terminal);
  const action = command.commands.find((candidate) => candidate.name === inner.name);
  if (action === undefined) {
    const known = command.commands.map((candidate) => candidate.name);
    throw unknownCommand(inner.name, known, `${name} `);
  }
  return runAction(action, `${name} ${action.name}`, inner.rest, io, terminal);
}

async function runWithoutCommand(
  args: readonly string[],
  terminal: Terminal,
  commands: Readonly<Record<string, CommandRow>>,
): Promise<ExitCode> {
  const version = { type: 'boolean', description: 'show the version' } as const;
  const { given } = parseWords(args, { ...COMMON_OPTIONS, version });
  if (given.has('version')) {
    const text = PACKAGE_VERSION;
    terminal.result({ version: text }, () => terminal.print(text));
    return EXIT.ok;
  }
  if (given.has('help')) {
    terminal.printText(programHelp(commands));
    return EXIT.ok;
  }
  throw usageError('which command?', `see "${PROGRAM} --help"`);
}

function runWithoutAction(
  command: Command,
  path: string,
  args: readonly string[],
  terminal: Terminal,
): ExitCode {
  const { given } = parseWords(args, COMMON_OPTIONS);
  if (!given.has('help')) throw usageError('which command?', `see "${PROGRAM} ${path} --help"`);
  terminal.printText(commandHelp(command, path));
  return EXIT.ok;
}

async function runAction(
  action: Action,
  path: string,
  args: readonly string[],
  io: CliIo,
  terminal: Terminal,
): Promise<ExitCode> {
  const options = optionsOf(action);
  const { words, given } = parseWords(args, options);
  if (given.has('help')) {
    terminal.printText(commandHelp(action, path));
    return EXIT.ok;
  }
  checkWords(words, action);
  const values = new OptionValues(Object.keys(options), given);
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
    interrupted: io.interrupted ?? (() => new AbortController().signal),
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
