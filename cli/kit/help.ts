// Owns the help: what a command is for, how it is called, examples.

import { optionsOf } from './arguments.ts';
import type { Action, CommandGroup, CommandOption, Parameter } from './command.ts';
import type { CommandRow } from '../commands.ts';

export const PROGRAM = 'a2a-sdl';
/** The word that stands for `--help`. */
export const HELP = 'help';
/** The word that stands for `--version`. */
export const VERSION = 'version';

/** The help of the program itself. */
export function programHelp(rows: Readonly<Record<string, CommandRow>>): string {
  return sections(
    `${PROGRAM}: messages between software agents, signed, sealed and checked`,
    section('Usage', [`${PROGRAM} COMMAND [options]`, `${PROGRAM} ${HELP} [COMMAND…]`]),
    section('Commands', columns(Object.entries(rows).map(([name, row]) => [name, row.summary]))),
    section('Options', [
      ...columns([
        ['-h, --help', 'show this help; with a command, its own'],
        ['-V, --version', 'show the version'],
        ['--home DIR', 'the folder with keys, peers and data'],
        ['--json', 'print JSON, one value a line'],
      ]),
    ]),
    section(
      'Exit codes',
      columns([
        ['0', 'done'],
        ['1', 'refused or failed'],
        ['2', 'not called rightly'],
        ['3', 'the task has not ended: its time here is over, or it asks something'],
        ['130', 'interrupted (Ctrl-C); a task that was sent goes on'],
      ]),
    ),
    section('Start with', [`${PROGRAM} init`]),
  );
}

function usageOf(action: Action, path: string): string {
  const words = (action.parameters ?? []).map(parameterText);
  return [PROGRAM, path, ...words, '[options]'].join(' ');
}

/** The help of a command of commands: all of them are loaded for it. */
export async function groupHelp({
  name: path,
  summary: what,
  commands,
}: CommandGroup): Promise<string> {
  const actions = await Promise.all(Object.values(commands).map((load) => load()));
  const examples = actions.flatMap((action) => action.examples.slice(0, 1));
  return sections(
    `${PROGRAM} ${path}: ${what}`,
    section('Usage', [`${PROGRAM} ${path} COMMAND [options]`]),
    section('Commands', columns(actions.map(({ name, summary }) => [name, summary]))),
    section('Examples', examples),
  );
}

/** `path` is how the command is called, such as `peers add`. */
export function actionHelp(action: Action, path: string): string {
  const { parameters = [], notes = [] } = action;
  return sections(
    `${PROGRAM} ${path}: ${action.summary}`,
    section('Usage', [usageOf(action, path)]),
    section('Arguments', columns(parameters.map(({ name, description }) => [name, description]))),
    section(
      'Options',
      columns(
        Object.entries(optionsOf(action)).map(([name, option]) => [
          optionText(name, option),
          option.description,
        ]),
      ),
    ),
    ...notes,
    section('Examples', action.examples),
  );
}

function parameterText({ name, isOptional, isRepeated }: Parameter): string {
  const text = isRepeated === true ? `${name}…` : name;
  return isOptional === true ? `[${text}]` : text;
}

function optionText(name: string, { short, type, value, multiple }: CommandOption): string {
  const head = short === undefined ? `--${name}` : `-${short}, --${name}`;
  const text = type === 'string' ? `${head} ${value ?? 'VALUE'}` : head;
  return multiple === true ? `${text} …` : text;
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `${first.padEnd(width)}  ${second}`);
}

function section(title: string, lines: readonly string[]): string | undefined {
  if (lines.length === 0) return undefined;
  return [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function sections(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join('\n\n');
}
