// Owns how tasks are shown to people: rows, ages, progress, and all of one task.

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonArray, isJsonObject, writeJson } from '../../src/codec/index.ts';
import { parseTimestamp } from '../../src/envelope/index.ts';
import { prettyJson } from '../kit/pretty-json.ts';
import { cut } from '../kit/cut.ts';
import type { Terminal } from '../kit/terminal.ts';

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
];
const BAR_WIDTH = 20;
const MAX_CELL = 60;

export function textIn(document: JsonObject, name: string): string | undefined {
  const value = document[name];
  return typeof value === 'string' ? value : undefined;
}

/** In the largest unit, such as `5m`. */
function ageText(timestamp: string | undefined, nowMs: number): string {
  const moment = timestamp === undefined ? undefined : parseTimestamp(timestamp);
  if (moment === undefined) return '-';
  const age = Math.max(0, nowMs - moment);
  const [ms, name] = UNITS.find(([unit]) => age >= unit) ?? UNITS.at(-1)!;
  return `${Math.floor(age / ms)}${name}`;
}

/** A bar where a fraction is known, and the words. */
export function progressText(document: JsonObject): string {
  const { progress } = document;
  if (!isJsonObject(progress)) return '';
  const message = textIn(progress, 'message') ?? '';
  const fraction = Number(progress['fraction'] ?? Number.NaN);
  if (!(fraction >= 0 && fraction <= 1)) return message;
  const filled = Math.round(fraction * BAR_WIDTH);
  const bar = '#'.repeat(filled) + '-'.repeat(BAR_WIDTH - filled);
  return `[${bar}] ${Math.round(fraction * 100)} % ${message}`;
}

export function taskRows(
  tasks: readonly JsonObject[],
  { nowMs, hasOwners }: { readonly nowMs: number; readonly hasOwners: boolean },
): string[][] {
  const head = ['ID', 'STATE', 'AGE', ...(hasOwners ? ['OWNER'] : []), 'GOAL', 'PROGRESS'];
  const rows = tasks.map((task) => {
    const error = isJsonObject(task['error']) ? (textIn(task['error'], 'message') ?? '') : '';
    return [
      textIn(task, 'id') ?? '-',
      textIn(task, 'status') ?? '-',
      ageText(textIn(task, 'created') ?? textIn(task, 'updated'), nowMs),
      ...(hasOwners ? [textIn(task, 'owner') ?? '-'] : []),
      cut(textIn(task, 'goal') ?? '', MAX_CELL),
      cut(error === '' ? progressText(task) : error, MAX_CELL),
    ];
  });
  return [head, ...rows];
}

/** All that is known of one task. */
export function printTask(document: JsonObject, terminal: Terminal): void {
  const task = isJsonObject(document['task']) ? document['task'] : {};
  const progress = progressText(document);
  const question = questionText(document);
  const { error, metadata } = document;
  terminal.table([
    ['id', textIn(task, 'id') ?? '-'],
    ['state', textIn(document, 'status') ?? '-'],
    ['goal', textIn(document, 'goal') ?? ''],
    ...(textIn(task, 'context_id') === undefined ? [] : [['context', textIn(task, 'context_id')!]]),
    // Agents of other dialects do not number what happens.
    ...(task['generation'] === undefined
      ? []
      : [['generation', String(Number(task['generation']))]]),
    ...(progress === '' ? [] : [['progress', progress]]),
    ...(question === undefined ? [] : [['question', question]]),
    ...(isJsonObject(error) ? [['error', textIn(error, 'message') ?? prettyJson(error)]] : []),
    ...(metadata === undefined ? [] : [['metadata', lineOf(metadata)]]),
  ]);
  printChildren(document['children'], terminal, '');
  printOutput(document, terminal);
}

function lineOf(value: JsonValue): string {
  return new TextDecoder().decode(writeJson(value));
}

/** What the task made so far. */
export function printOutput(document: JsonObject, terminal: Terminal): void {
  const { artifacts } = document;
  for (const item of isJsonArray(artifacts) ? artifacts.filter(isJsonObject) : []) {
    const name = textIn(item, 'name') ?? 'output';
    const type = textIn(item, 'media_type') ?? 'unknown type';
    terminal.print(terminal.style('dim', `${name} (${type})`));
    terminal.printText(textIn(item, 'text') ?? textIn(item, 'data') ?? prettyJson(item));
  }
  const words = answerText(document);
  if (words !== undefined) terminal.printText(words);
}

/** What the task asks, while it waits for an answer. */
export function questionText({ question }: JsonObject): string | undefined {
  return isJsonObject(question) ? valueText(question['content'] ?? null) : undefined;
}

/** The last words of a task that ended with a message. */
export function answerText({ answer }: JsonObject): string | undefined {
  const message = isJsonObject(answer) ? answer['message'] : undefined;
  const parts = isJsonObject(message) ? message['parts'] : undefined;
  if (!isJsonArray(parts)) return undefined;
  const texts = parts.filter(isJsonObject).map((part) => textIn(part, 'text') ?? prettyJson(part));
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** Text as it is, anything else as JSON. */
function valueText(value: JsonValue): string {
  return typeof value === 'string' ? value : prettyJson(value);
}

/** The parts that other agents do. */
function printChildren(children: JsonValue | undefined, terminal: Terminal, indent: string): void {
  if (!isJsonArray(children)) return;
  for (const child of children.filter(isJsonObject)) {
    const [agentId, id] = [textIn(child, 'agent_id') ?? '-', textIn(child, 'id') ?? '-'];
    terminal.print(`${indent}part ${id} of ${agentId}: ${textIn(child, 'status') ?? '-'}`);
    printChildren(child['children'], terminal, `${indent}  `);
    if (child['cut'] === true) terminal.print(`${indent}  and more below it`);
  }
}
