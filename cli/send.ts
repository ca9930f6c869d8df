// Owns the command `send`: one signed and encrypted request, its progress and its answer.

import type {
  ExchangeOptions,
  JsonObject,
  JsonValue,
  Received,
  RemoteAgent,
} from '../src/index.ts';
import { applyPatch, isJsonArray, isJsonObject, readJson } from '../src/index.ts';
import { CLIENT_OPTIONS, withClient } from './client-runtime.ts';
import type { Action, CommandContext } from './command.ts';
import { explainExchange } from './exchange-error.ts';
import type { ExitCode } from './exit.ts';
import { EXIT, failure, usageError } from './exit.ts';
import { readJsonInput } from './input.ts';
import { prettyJson } from './pretty-json.ts';

const DEFAULT_TIMEOUT_S = 60;

export const sendCommand: Action = {
  name: 'send',
  summary: 'send a task, or any payload, to an agent',
  parameters: [
    { name: 'PEER', description: 'a name or id of the peer book, or an address of a peer in it' },
    { name: 'GOAL', isOptional: true, description: 'what the agent is to do' },
  ],
  options: {
    payload: {
      type: 'string',
      value: 'FILE|-',
      description: 'the payload as JSON, instead of GOAL',
    },
    inputs: { type: 'string', value: 'JSON', description: 'the inputs of the task, beside GOAL' },
    ct: { type: 'string', value: 'CT', description: 'the content type (default task.v1)' },
    stream: { type: 'boolean', description: 'show progress and output as they come' },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      description: 'for the whole exchange (default 60)',
    },
    'sign-only': { type: 'boolean', description: 'do not encrypt' },
    encoding: { type: 'string', value: 'json|cbor', description: 'on the wire (default json)' },
    ...CLIENT_OPTIONS,
  },
  notes: [
    'Signed by the identity "operator", and encrypted to the peer unless --sign-only says otherwise.',
  ],
  examples: [
    'a2a-sdl send agent "sum 1 2 3"',
    'a2a-sdl send ws://127.0.0.1:8787/a2a "ping hello" --stream',
    'a2a-sdl send agent --ct negotiation.v1 --payload offer.json --json',
  ],
  async run(context) {
    const [target = '', goal] = context.words;
    const content = await contentOf(goal, context);
    return withClient(context, async (runtime) => {
      const peer = connect(() => runtime.connect(target));
      try {
        return await exchange(peer, content, context);
      } catch (thrown) {
        throw explainExchange(thrown, target);
      }
    });
  },
};

interface Sent {
  readonly ct: string;
  readonly payload: JsonValue | undefined;
  readonly goal: string | undefined;
  readonly inputs: JsonObject | undefined;
}

async function contentOf(goal: string | undefined, context: CommandContext): Promise<Sent> {
  const { options, terminal } = context;
  const path = options.text('payload');
  const ct = options.text('ct') ?? 'task.v1';
  if ((goal === undefined) === (path === undefined)) {
    throw usageError('what is to be sent?', 'give a GOAL, or --payload FILE');
  }
  if (goal !== undefined && ct !== 'task.v1') {
    throw usageError(`a GOAL makes a task.v1, not a ${ct}`, 'give the payload with --payload FILE');
  }
  const payload = path === undefined ? undefined : await readJsonInput(path, terminal);
  return { ct, payload, goal, inputs: inputsOf(options.text('inputs')) };
}

function inputsOf(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  const value = readJson(new TextEncoder().encode(text));
  if (isJsonObject(value)) return value;
  throw usageError('--inputs expects a JSON object');
}

function connect(run: () => RemoteAgent): RemoteAgent {
  try {
    return run();
  } catch (thrown) {
    const words = thrown instanceof Error ? thrown.message : String(thrown);
    throw failure(words, {
      code: 'PEER_UNKNOWN',
      next: 'see "a2a-sdl peers list", or "a2a-sdl peers add URL"',
    });
  }
}

async function exchange(peer: RemoteAgent, sent: Sent, context: CommandContext): Promise<ExitCode> {
  const { options, terminal } = context;
  const wantsEvents = options.flag('stream') || terminal.isInteractive;
  const timeoutS = options.integer('timeout', 1) ?? DEFAULT_TIMEOUT_S;
  const how: ExchangeOptions = {
    mode: options.flag('sign-only') ? 'sig' : 'enc+sig',
    encoding: options.oneOf('encoding', ['json', 'cbor'] as const) ?? 'json',
    timeoutMs: timeoutS * 1_000,
    signal: context.interrupted(),
    stream: wantsEvents,
  };
  const answers =
    sent.goal === undefined
      ? peer.request({ ct: sent.ct, payload: sent.payload! }, how)
      : peer.task(
          {
            goal: sent.goal,
            ...(sent.inputs && { inputs: sent.inputs }),
            // A little less than we wait, so that a task that takes longer is told of and not lost.
            constraints: { time_budget_s: Math.max(1, timeoutS - 1) },
          },
          how,
        );
  for await (const received of answers) {
    if (received.type === 'res') return showResult(received, context);
    if (wantsEvents) showEvent(received, context);
  }
  throw failure('the exchange ended without an answer');
}

function showEvent({ ct, payload }: Received, { terminal }: CommandContext): void {
  if (terminal.isJson) {
    terminal.json({ event: 'evt', ct, payload });
    return;
  }
  if (ct === 'artifact.v1') {
    terminal.note(terminal.style('dim', 'output received'));
    return;
  }
  const progress = progressIn(payload);
  if (progress !== undefined) terminal.note(terminal.style('dim', progress));
}

/** What a patch says of the progress of a task or a tool. */
function progressIn(payload: JsonValue): string | undefined {
  const patch = isJsonObject(payload) && isJsonArray(payload['patch']) ? payload['patch'] : [];
  for (const operation of patch) {
    if (!isJsonObject(operation)) continue;
    const { path, value } = operation;
    if (path === '/status' && typeof value === 'string') return value;
    const message = isJsonObject(value) ? value['message'] : value;
    if (path === '/progress' && typeof message === 'string') return message;
    if (path === '/progress/message' && typeof value === 'string') return value;
  }
  return undefined;
}

function showResult(
  { ct, payload, isProven, envelope }: Received,
  context: CommandContext,
): ExitCode {
  const { terminal } = context;
  const task = ct === 'state.v1' ? taskDocument(payload) : undefined;
  const status = task?.['status'];
  const hasFailed = status === 'failed' || status === 'canceled' || status === 'rejected';
  const result: JsonObject = {
    ok: !hasFailed,
    ct,
    proven: isProven,
    from: envelope.from.agent_id,
    ...(task === undefined ? { payload } : { task }),
  };
  terminal.result(result, () => {
    if (!isProven)
      terminal.note(
        terminal.style('yellow', 'this answer is not signed: anybody could have sent it'),
      );
    if (task === undefined) terminal.print(prettyJson(payload));
    else showTask(task, context);
  });
  return hasFailed ? EXIT.failed : EXIT.ok;
}

/** The document that the answer to a task tells, or nothing when it is no such answer. */
function taskDocument(payload: JsonValue): JsonObject | undefined {
  const patch = isJsonObject(payload) ? payload['patch'] : undefined;
  if (!isJsonArray(patch)) return undefined;
  const document = applyPatch({}, patch as readonly JsonObject[]);
  return isJsonObject(document) && document['status'] !== undefined ? document : undefined;
}

function showTask(task: JsonObject, { terminal }: CommandContext): void {
  const artifacts = isJsonArray(task['artifacts']) ? task['artifacts'] : [];
  for (const item of artifacts) if (isJsonObject(item)) terminal.print(artifactText(item));
  const { status, error } = task;
  const message = isJsonObject(error) ? error['message'] : undefined;
  if (typeof message === 'string')
    terminal.note(`${terminal.style('red', String(status))}: ${message}`);
  else if (status !== 'completed') terminal.note(`the task is ${String(status)}`);
  else if (artifacts.length === 0) terminal.print('completed');
}

function artifactText(item: JsonObject): string {
  const { text, data, name, media_type: mediaType } = item;
  if (typeof text === 'string') return text;
  if (typeof data === 'string') return `${String(name)} (${String(mediaType)}, base64url): ${data}`;
  return prettyJson(item);
}
