// Owns the agent that `serve` runs when it is given no other: it does what the tools can do.

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { LosslessNumber, isJsonArray, isJsonObject, readJson } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { AuthorTask, OnTask, TaskTools } from '../../src/internal.ts';
import { TaskError } from '../../src/internal.ts';

interface ToolCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Word → tool and arguments of the text after it; `undefined` where the text is not what it takes. */
const WORDS: ReadonlyMap<string, (text: string) => ToolCall | undefined> = new Map([
  ['sum', sumOf],
  ['ping', (text: string) => ({ tool: 'sys.ping', args: { message: text } })],
]);

/** Takes `inputs` {`tool`, `args`}, or a goal such as `sum 1 2 3`, `ping hello` or `math.add {"values":[1,2]}`. */
export function createBuiltinAgent(): OnTask {
  return async function* (task, { tools, progress, artifact }) {
    const call = callFromInputs(task) ?? callFromGoal(task.text, tools);
    if (call === undefined || !tools.has(call.tool)) throw notUnderstood(tools);
    yield progress({ message: `calling ${call.tool}`, fraction: 0 });
    const result = await tools.call(call.tool, call.args);
    yield artifact({ name: 'result', json: result });
    yield progress({ message: 'done', fraction: 1 });
  };
}

function callFromInputs({ data }: AuthorTask): ToolCall | undefined {
  const { tool, args = {} } = isJsonObject(data) ? data : {};
  return typeof tool === 'string' && isJsonObject(args) ? { tool, args } : undefined;
}

function callFromGoal(goal: string, tools: TaskTools): ToolCall | undefined {
  const [, word = '', text = ''] = /^\s*(\S+)\s*(.*)$/su.exec(goal) ?? [];
  const known = WORDS.get(word.toLowerCase());
  if (known !== undefined) return known(text.trim());
  if (!tools.has(word)) return undefined;
  const args = text === '' ? {} : jsonOf(text);
  return isJsonObject(args) ? { tool: word, args } : undefined;
}

function sumOf(text: string): ToolCall | undefined {
  const values = jsonOf(`[${text.split(/[\s,+]+/u).join(',')}]`);
  if (!isJsonArray(values) || values.length === 0 || !values.every(isNumber)) return undefined;
  return { tool: 'math.add', args: { values } };
}

function isNumber(value: JsonValue): boolean {
  return typeof value === 'number' || value instanceof LosslessNumber;
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return readJson(new TextEncoder().encode(text));
  } catch (error) {
    if (error instanceof SdlError) return undefined;
    throw error;
  }
}

function notUnderstood(tools: TaskTools): TaskError {
  const names = tools.list();
  const offered = names.length === 0 ? 'no tools for you' : `the tools ${names.join(', ')}`;
  return new TaskError(
    `this agent does not understand the goal. It has ${offered}. Give it inputs {"tool", "args"}, ` +
      'or a goal such as "sum 1 2 3", "ping hello" or "TOOL {arguments as JSON}".',
    { code: 'GOAL_NOT_UNDERSTOOD' },
  );
}
