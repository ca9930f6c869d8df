// Owns the command `evidence tail`: the last records of a run, and those that follow.

import { stat } from 'node:fs/promises';

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonObject, readJson } from '../../src/codec/index.ts';
import { askDaemon } from '../home/hold.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { EXIT, failure } from '../kit/exit.ts';
import { NOT_AUDIT } from './not-audit.ts';
import { RunLines, newestRun } from './run-lines.ts';

const DEFAULT_LINES = 10;
const MOST_LINES = 100_000;
const LOOK_EVERY_MS = 200;
const PREFIX = 'assay.adapter.a2a.';

export const evidenceTailCommand: Action = {
  name: 'tail',
  summary: 'show the last records of a run',
  parameters: [
    {
      name: 'FILE',
      isOptional: true,
      description: 'the file of a run, or a folder for its newest (default: that of the daemon)',
    },
  ],
  options: {
    lines: { type: 'string', short: 'n', value: 'N', description: 'how many (default 10)' },
    follow: { type: 'boolean', short: 'f', description: 'and go on with those that come' },
  },
  notes: ['With --json a record is printed as it stands in the file, a line each.', NOT_AUDIT],
  examples: ['a2a-sdl evidence tail', 'a2a-sdl evidence tail ./evidence -n 100 --follow --json'],
  async run(context) {
    const { options, terminal, wait } = context;
    const most = options.integer('lines', 0, MOST_LINES) ?? DEFAULT_LINES;
    const isFollowed = options.flag('follow');
    const interrupted = isFollowed ? context.interrupted() : undefined;
    const run = new RunLines(await fileOf(context));
    const print = (line: string): void => {
      if (terminal.isJson) terminal.raw(`${line}\n`);
      else terminal.print(shown(line));
    };
    for (const line of await run.last(most)) print(line);
    if (interrupted !== undefined) await follow(run, print, interrupted, wait);
    return EXIT.ok;
  },
};

async function follow(
  run: RunLines,
  print: (line: string) => void,
  signal: AbortSignal,
  wait: CommandContext['wait'],
): Promise<void> {
  while (!signal.aborted) {
    await wait(LOOK_EVERY_MS, signal);
    for await (const line of run.next()) print(line);
  }
}

async function fileOf({ words, home }: CommandContext): Promise<string> {
  const given = words[0] ?? (await askDaemon(home))?.evidence;
  if (given === undefined) {
    throw failure('no daemon of this home writes evidence now', {
      code: 'NO_EVIDENCE',
      next: 'name the file of a run, or start the daemon with --evidence DIR',
    });
  }
  if (!(await stat(given)).isDirectory()) return given;
  const newest = await newestRun(given);
  if (newest !== undefined) return newest;
  throw failure(`there is no run in ${given}`, { code: 'NO_EVIDENCE' });
}

/** For people: when, what, of which, how. */
function shown(line: string): string {
  let record: JsonValue;
  try {
    record = readJson(new TextEncoder().encode(line));
  } catch {
    return line;
  }
  if (!isJsonObject(record)) return line;
  const data = memberOf(record, 'data');
  const task = memberOf(data, 'task');
  const words = [
    textIn(record, 'time'),
    textIn(record, 'type').replace(PREFIX, ''),
    textIn(record, 'subject'),
    textIn(task, 'status'),
    textIn(task, 'kind'),
    textIn(memberOf(data, 'agent'), 'id'),
  ];
  return words.filter((word) => word !== '').join('  ');
}

function memberOf(value: JsonObject, name: string): JsonObject {
  const member = value[name];
  return isJsonObject(member) ? member : {};
}

function textIn(value: JsonObject, name: string): string {
  const member = value[name];
  return typeof member === 'string' ? member : '';
}
