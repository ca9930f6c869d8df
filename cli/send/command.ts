// Owns the command `send`: one request, signed and encrypted where the agent speaks envelopes, its progress and its answer.

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonObject, readJson } from '../../src/codec/index.ts';
import type { ExchangeOptions, RemoteAgent } from '../../src/client/index.ts';
import { CLIENT_OPTIONS, connectPeer, withClient } from '../client/client.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { COMPLETE_NOTE, completePayload } from './complete-payload.ts';
import { explainExchange } from '../client/error.ts';
import type { ExitCode } from '../kit/exit.ts';
import { EXIT, failure, usageError } from '../kit/exit.ts';
import { STDIN, decodeText, readBytes, readJsonInput } from '../kit/input.ts';
import { prettyJson } from '../kit/pretty-json.ts';
import type { Terminal } from '../kit/terminal.ts';
import { WAIT_OPTION } from '../client/away.ts';
import { showEvent, warnUnproven } from './output.ts';
import { sendTask } from './task.ts';

const DEFAULT_TIMEOUT_S = 60;
const TASK = 'task.v1';

export const sendCommand: Action = {
  name: 'send',
  summary: 'send a task, or any payload, to an agent',
  parameters: [
    {
      name: 'PEER',
      description:
        'a name or id of the peer book (the beginning of an id is enough), an address of a peer in it, or the URL of an A2A agent or its card',
    },
    {
      name: 'GOAL',
      isOptional: true,
      description: 'what the agent is to do; - reads it from stdin',
    },
  ],
  options: {
    payload: {
      type: 'string',
      value: 'FILE|-',
      description: 'the payload as JSON, instead of GOAL',
    },
    inputs: { type: 'string', value: 'JSON', description: 'the inputs of the task, beside GOAL' },
    context: {
      type: 'string',
      value: 'ID',
      description: 'the conversation that the task belongs to',
    },
    ct: { type: 'string', value: 'CT', description: 'the content type (default task.v1)' },
    stream: { type: 'boolean', description: 'show progress and output as they come' },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      description: 'for the whole exchange (default 60)',
    },
    wait: WAIT_OPTION,
    'sign-only': { type: 'boolean', description: 'do not encrypt' },
    encoding: { type: 'string', value: 'json|cbor', description: 'on the wire (default json)' },
    ...CLIENT_OPTIONS,
  },
  notes: [
    'Signed by the identity "operator", and encrypted to the peer unless --sign-only says otherwise.',
    'An A2A agent is spoken to in the binding and version that its card names (--verbose says which and why), with\n' +
      'the secrets of "a2a-sdl credentials" for its origin, and without envelopes: what is sent is neither signed nor\n' +
      'encrypted beyond TLS.',
    COMPLETE_NOTE,
    'The exit code is 0 when the task completed, 1 when it failed, 3 when it has not ended (its time here is over, or it asks something), and 130 when you interrupt it. It goes on then, and a line says how to follow it. When the agent stops while it works, it is waited for.',
  ],
  examples: [
    'a2a-sdl send agent "sum 1 2 3"',
    'git diff | a2a-sdl send agent -',
    'a2a-sdl send ws://127.0.0.1:8787/a2a "ping hello" --stream',
    'a2a-sdl send https://agent.example "book a flight" --stream --verbose',
    'a2a-sdl send agent --ct negotiation.v1 --payload offer.json --json',
  ],
  async run(context) {
    const [target = '', goal] = context.words;
    const content = await contentOf(goal, context);
    return withClient(context, async (client) => {
      const peer = connectPeer(client, target);
      try {
        return await exchange(peer, content, context);
      } catch (thrown) {
        throw explainExchange(thrown, target);
      }
    });
  },
};

/** A task is sent in a way of its own, whether it was given as a goal or as a payload. */
type Sent =
  | { readonly kind: 'task'; readonly draft: JsonObject }
  | { readonly kind: 'other'; readonly ct: string; readonly payload: JsonValue };

async function contentOf(
  word: string | undefined,
  { options, terminal }: CommandContext,
): Promise<Sent> {
  const path = options.text('payload');
  const ct = options.text('ct') ?? TASK;
  if ((word === undefined) === (path === undefined)) {
    throw usageError('what is to be sent?', 'give a GOAL, or --payload FILE');
  }
  if (word !== undefined && ct !== TASK) {
    throw usageError(`a GOAL makes a ${TASK}, not a ${ct}`, 'give the payload with --payload FILE');
  }
  const inputs = inputsOf(options.text('inputs'));
  if (path === undefined) {
    const goal = word === STDIN ? await readGoal(terminal) : word!;
    const contextId = options.text('context');
    const context = contextId === undefined ? undefined : { task: { context_id: contextId } };
    return {
      kind: 'task',
      draft: { goal, ...(inputs && { inputs }), ...(context && { context }) },
    };
  }
  if (inputs !== undefined) {
    throw usageError('--inputs goes with a GOAL', 'put the inputs into the payload');
  }
  if (options.flag('context')) {
    throw usageError('--context goes with a GOAL', 'put the context into the payload');
  }
  const payload = await readJsonInput(path, terminal);
  return ct === TASK && isJsonObject(payload)
    ? { kind: 'task', draft: payload }
    : { kind: 'other', ct, payload: completePayload(ct, payload) };
}

/** The goal that stands on the standard input; the end of its last line does not belong to it. */
async function readGoal(terminal: Terminal): Promise<string> {
  const goal = decodeText(await readBytes(STDIN, terminal)).replace(/\r?\n$/, '');
  if (goal.trim() !== '') return goal;
  throw usageError('the standard input is empty', 'write the goal to it');
}

function inputsOf(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  let value: JsonValue;
  try {
    value = readJson(new TextEncoder().encode(text));
  } catch (thrown) {
    throw usageError(`--inputs is not JSON: ${thrown instanceof Error ? thrown.message : ''}`);
  }
  if (isJsonObject(value)) return value;
  throw usageError('--inputs expects a JSON object');
}

async function exchange(peer: RemoteAgent, sent: Sent, context: CommandContext): Promise<ExitCode> {
  const { options, terminal } = context;
  const isLive = options.flag('stream') || terminal.isInteractive;
  const timeoutS = options.integer('timeout', 1) ?? DEFAULT_TIMEOUT_S;
  const how = {
    mode: options.flag('sign-only') ? 'sig' : 'enc+sig',
    encoding: options.oneOf('encoding', ['json', 'cbor'] as const) ?? 'json',
    timeoutMs: timeoutS * 1_000,
    signal: context.interrupted(),
  } as const;
  return sent.kind === 'task'
    ? sendTask(peer, sent.draft, { how, timeoutS, isLive }, context)
    : sendPayload(peer, sent, { ...how, stream: isLive }, context);
}

async function sendPayload(
  peer: RemoteAgent,
  content: { readonly ct: string; readonly payload: JsonValue },
  how: ExchangeOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  for await (const received of peer.request(content, how)) {
    const { type, ct, payload, isProven, envelope, request } = received;
    if (type === 'evt') {
      showEvent(ct, payload, context);
      continue;
    }
    const from = envelope.from.agent_id;
    const result = { ok: true, ct, proven: isProven, from, message_id: request.id, payload };
    terminal.result(result, () => {
      warnUnproven(isProven, context);
      terminal.printText(prettyJson(payload));
    });
    return EXIT.ok;
  }
  throw failure('the exchange ended without an answer');
}
