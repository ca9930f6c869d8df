// Owns the command `steerqa events`: are the events of an evaluation numbered and ordered as they have to be?

import type { EventRule } from '../../profiles/steerqa/index.ts';
import { createEventCheck } from '../../profiles/steerqa/index.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { readBytes } from '../kit/input.ts';
import { parsed } from './check.ts';

const LINE_END = 0x0a;
/** Space, tab, carriage return. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d]);

export const steerqaEventsCommand: Action = {
  name: 'events',
  summary: 'check the events of evaluations: numbers without gaps, stages in order',
  parameters: [{ name: 'FILE', description: 'one event a line; - reads them from stdin' }],
  notes: [
    'It prints {"ok","events"}, and "rule" and "line" of the first event that breaks a rule; then it exits with 1.\n' +
      'The rules: json, schema, sequence, dimension, dimension_sequence, order, final.',
  ],
  examples: ['a2a-sdl steerqa events events.ndjson'],
  async run({ words, terminal }) {
    const result = checkLines(await readBytes(words[0]!, terminal));
    terminal.json(result);
    return result['ok'] === true ? EXIT.ok : EXIT.failed;
  },
};

/** `events` counts those that break no rule. */
function checkLines(bytes: Uint8Array): JsonObject {
  const check = createEventCheck();
  let events = 0;
  let number = 0;
  for (const line of linesIn(bytes)) {
    number += 1;
    if (line.every((byte) => BLANKS.has(byte))) continue;
    const rule = ruleBroken(line, check);
    if (rule !== undefined) return { ok: false, events, rule, line: number };
    events += 1;
  }
  return { ok: true, events };
}

/** Of bytes, so that a line that is no UTF-8 is told by its number. */
function* linesIn(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from <= bytes.length;) {
    const found = bytes.indexOf(LINE_END, from);
    const end = found < 0 ? bytes.length : found;
    yield bytes.subarray(from, end);
    from = end + 1;
  }
}

function ruleBroken(
  line: Uint8Array,
  check: (event: JsonObject) => EventRule | undefined,
): EventRule | undefined {
  const value = parsed(line);
  if (value === undefined) return 'json';
  return isJsonObject(value) ? check(value) : 'schema';
}
