// Owns the command `steerqa events`: are the events of an evaluation numbered and ordered as they have to be?

import type { EventRule } from '../../profiles/steerqa/index.ts';
import { createEventCheck } from '../../profiles/steerqa/index.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { decodeText, readBytes } from '../kit/input.ts';
import { parsed } from './check.ts';

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
    const text = decodeText(await readBytes(words[0]!, terminal));
    const result = checkLines(text.split('\n'));
    terminal.json(result);
    return result['ok'] === true ? EXIT.ok : EXIT.failed;
  },
};

/** `events` counts those that break no rule. */
function checkLines(lines: readonly string[]): JsonObject {
  const check = createEventCheck();
  let events = 0;
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const rule = ruleBroken(line, check);
    if (rule !== undefined) return { ok: false, events, rule, line: at + 1 };
    events += 1;
  }
  return { ok: true, events };
}

function ruleBroken(
  line: string,
  check: (event: JsonObject) => EventRule | undefined,
): EventRule | undefined {
  const value = parsed(new TextEncoder().encode(line));
  if (value === undefined) return 'json';
  return isJsonObject(value) ? check(value) : 'schema';
}
