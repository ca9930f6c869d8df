// Owns what can be completed: every place of a command line, and what may stand there. The scripts are made from it.

import type { CommandRow } from '../commands.ts';
import { COMMON_OPTIONS, optionsOf } from '../kit/arguments.ts';
import type { Action, CommandOption } from '../kit/command.ts';
import { isGroup } from '../kit/command.ts';
import { HELP, VERSION } from '../kit/help.ts';

/** What stands for a value: nothing that is known, or one of these. */
export type Values = 'any' | 'file' | 'folder' | 'peer' | readonly string[];

export interface OptionSpec {
  /** Without dashes. */
  readonly name: string;
  readonly description: string;
  /** `undefined` for one without a value. */
  readonly values: Values | undefined;
}

/** One place: behind the program itself, behind `peers`, behind `peers add`. */
export interface PlaceSpec {
  /** The words before it, such as `peers add`; empty behind the program. */
  readonly place: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly OptionSpec[];
  /** In their order; the last one stands for all that follow where it is repeated. */
  readonly parameters: readonly Values[];
}

export async function placesOf(
  rows: Readonly<Record<string, CommandRow>>,
): Promise<readonly PlaceSpec[]> {
  const version = { type: 'boolean', description: 'show the version' } as const;
  const commands = Object.entries(rows).map(([name, { summary }]) => ({ name, summary }));
  const words = [
    { name: HELP, summary: 'show the help of a command' },
    { name: VERSION, summary: 'show the version' },
  ];
  const root = {
    place: '',
    commands: [...commands, ...words],
    options: specsOf({ ...COMMON_OPTIONS, version }),
    parameters: [],
  };
  const inner = await Promise.all(Object.entries(rows).map(([name, row]) => placesIn(name, row)));
  return [root, ...inner.flat()];
}

async function placesIn(name: string, row: CommandRow): Promise<PlaceSpec[]> {
  const command = await row.load();
  if (!isGroup(command)) return [placeOf(name, command)];
  const actions = await Promise.all(Object.values(command.commands).map((load) => load()));
  const group = {
    place: name,
    commands: actions.map((action) => ({ name: action.name, summary: action.summary })),
    options: specsOf(COMMON_OPTIONS),
    parameters: [],
  };
  return [group, ...actions.map((action) => placeOf(`${name} ${action.name}`, action))];
}

function placeOf(place: string, action: Action): PlaceSpec {
  return {
    place,
    commands: [],
    options: specsOf(optionsOf(action)),
    parameters: (action.parameters ?? []).map((parameter) => valuesOf(parameter.name)),
  };
}

function specsOf(options: Readonly<Record<string, CommandOption>>): OptionSpec[] {
  return Object.entries(options).map(([name, { type, value = '', description }]) => ({
    name,
    description,
    values: type === 'boolean' ? undefined : valuesOf(value),
  }));
}

/** The help names values by what they are: PEER, FILE, DIR, or the words that there are. */
function valuesOf(name: string): Values {
  if (name === 'PEER') return 'peer';
  if (name === 'DIR') return 'folder';
  if (/\bFILE\b/.test(name)) return 'file';
  return /^[a-z+]+(\|[a-z+]+)+$/.test(name) ? name.split('|') : 'any';
}
