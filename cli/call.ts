// Owns the command `call`: one tool of an agent, its result on the output.

import type { JsonObject } from '../src/index.ts';
import { ToolCallError, isJsonObject, readJson } from '../src/index.ts';
import { CLIENT_OPTIONS, withClient } from './client-runtime.ts';
import type { Action } from './command.ts';
import { explainExchange } from './exchange-error.ts';
import { EXIT, failure, usageError } from './exit.ts';
import { readJsonInput } from './input.ts';
import { prettyJson } from './pretty-json.ts';

export const callCommand: Action = {
  name: 'call',
  summary: 'call a tool of an agent',
  parameters: [
    { name: 'PEER', description: 'a name or id of the peer book, or an address of a peer in it' },
    { name: 'TOOL', description: 'such as sys.ping' },
    { name: 'ARGS', isOptional: true, description: 'its arguments as a JSON object (default {})' },
  ],
  options: {
    args: { type: 'string', value: 'FILE|-', description: 'the arguments from a file' },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      description: 'for the whole exchange (default 60)',
    },
    'sign-only': { type: 'boolean', description: 'do not encrypt' },
    ...CLIENT_OPTIONS,
  },
  examples: ['a2a-sdl call agent sys.ping', `a2a-sdl call agent math.add '{"values":[1,2,3]}'`],
  async run(context) {
    const { words, options, terminal } = context;
    const [target = '', tool = '', text] = words;
    const path = options.text('args');
    if (text !== undefined && path !== undefined) throw usageError('ARGS and --args are the same');
    const given = path === undefined ? parseArgs(text) : await readJsonInput(path, terminal);
    if (!isJsonObject(given)) throw usageError('the arguments of a tool are a JSON object');
    const args: JsonObject = given;
    const result = await withClient(context, async (runtime) => {
      try {
        return await runtime.connect(target).call(tool, args, {
          mode: options.flag('sign-only') ? 'sig' : 'enc+sig',
          timeoutMs: (options.integer('timeout', 1) ?? 60) * 1_000,
          signal: context.interrupted(),
        });
      } catch (thrown) {
        if (thrown instanceof ToolCallError) {
          throw failure(thrown.message, { code: thrown.code, cause: thrown });
        }
        throw explainExchange(thrown, target);
      }
    });
    terminal.result({ ok: true, result }, () => terminal.printText(prettyJson(result)));
    return EXIT.ok;
  },
};

function parseArgs(text = '{}'): ReturnType<typeof readJson> {
  try {
    return readJson(new TextEncoder().encode(text));
  } catch (thrown) {
    throw usageError(`ARGS is not JSON: ${thrown instanceof Error ? thrown.message : ''}`);
  }
}
