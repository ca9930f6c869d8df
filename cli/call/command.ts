// Owns the command `call`: one tool of an agent, its result on the output; or which tools it has.

import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject, readJson } from '../../src/codec/index.ts';
import type { ExchangeOptions, RemoteAgent } from '../../src/client/index.ts';
import { ToolCallError } from '../../src/client/index.ts';
import { CLIENT_OPTIONS, connectPeer, withClient } from '../client/client.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { explainExchange } from '../client/error.ts';
import type { CliError } from '../kit/exit.ts';
import { EXIT, failure, usageError } from '../kit/exit.ts';
import { readJsonInput } from '../kit/input.ts';
import { prettyJson } from '../kit/pretty-json.ts';
import { describeTools, listTools } from './tools.ts';

export const callCommand: Action = {
  name: 'call',
  summary: 'call a tool of an agent',
  parameters: [
    { name: 'PEER', description: 'a name or id of the peer book, or an address of a peer in it' },
    {
      name: 'TOOL',
      isOptional: true,
      description: 'such as sys.ping (default: list those that you may call)',
    },
    { name: 'ARGS', isOptional: true, description: 'its arguments as a JSON object (default {})' },
  ],
  options: {
    describe: {
      type: 'boolean',
      description: 'what the tools take and give, or TOOL alone; nothing is called',
    },
    args: { type: 'string', value: 'FILE|-', description: 'the arguments from a file' },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      description: 'for the whole exchange (default 60)',
    },
    'sign-only': { type: 'boolean', description: 'do not encrypt' },
    ...CLIENT_OPTIONS,
  },
  examples: [
    'a2a-sdl call agent',
    'a2a-sdl call agent --describe math.add',
    'a2a-sdl call agent sys.ping',
    `a2a-sdl call agent math.add '{"values":[1,2,3]}'`,
  ],
  async run(context) {
    const [target = '', tool] = context.words;
    const args = await argsOf(context);
    return withClient(context, async (client) => {
      const peer = connectPeer(client, target);
      try {
        const how = howOf(context);
        if (context.options.flag('describe')) {
          await describeTools(peer, tool, context.terminal, target, how);
        } else if (tool === undefined) await listTools(peer, context.terminal, how);
        else await callTool(peer, tool, args, context);
      } catch (thrown) {
        throw thrown instanceof ToolCallError
          ? explainTool(thrown, target)
          : explainExchange(thrown, target);
      }
      return EXIT.ok;
    });
  },
};

async function argsOf({ words, options, terminal }: CommandContext): Promise<JsonObject> {
  const [, tool, text] = words;
  const path = options.text('args');
  if (options.flag('describe') && (text !== undefined || path !== undefined))
    throw usageError('--describe calls nothing', 'leave out the arguments');
  if (path !== undefined && tool === undefined)
    throw usageError('TOOL is missing', 'name the tool');
  if (text !== undefined && path !== undefined)
    throw usageError('ARGS and --args both give the arguments', 'give one of them');
  const given = path === undefined ? parseArgs(text) : await readJsonInput(path, terminal);
  if (isJsonObject(given)) return given;
  throw usageError('the arguments of a tool are a JSON object');
}

async function callTool(
  peer: RemoteAgent,
  tool: string,
  args: JsonObject,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  const result = await peer.call(tool, args, howOf(context));
  terminal.result({ ok: true, result }, () => terminal.printText(prettyJson(result)));
}

function howOf({ options, interrupted }: CommandContext): ExchangeOptions {
  return {
    mode: options.flag('sign-only') ? 'sig' : 'enc+sig',
    timeoutMs: (options.integer('timeout', 1) ?? 60) * 1_000,
    signal: interrupted(),
  };
}

/** Which argument it was, where the agent says so. */
function explainTool(thrown: ToolCallError, target: string): CliError {
  const { message, code, details } = thrown;
  if (code === 'TOOL_UNKNOWN') {
    const next = `see which there are: a2a-sdl call ${target}`;
    return failure(message, { code, next, cause: thrown });
  }
  const { path, keyword } = details;
  if (code !== 'PAYLOAD_INVALID' || typeof path !== 'string') {
    return failure(message, { code, cause: thrown });
  }
  const what = path === '/args' ? 'the arguments' : `argument ${path.replace(/^\/args\//, '/')}`;
  const fault = typeof keyword === 'string' ? `fails "${keyword}"` : 'does not fit';
  return failure(`${message}: ${what} ${fault}`, {
    code,
    next: 'correct it: /a/0 is the first item of the member "a" of ARGS',
    cause: thrown,
  });
}

function parseArgs(text = '{}'): ReturnType<typeof readJson> {
  try {
    return readJson(new TextEncoder().encode(text));
  } catch (thrown) {
    throw usageError(`ARGS is not JSON: ${thrown instanceof Error ? thrown.message : ''}`);
  }
}
