// Owns the command `swp send`: one Task to an agent that speaks SWP, its Events and its Result.

import { resolve } from 'node:path';

import type { EventMessage, ResultMessage } from '../../profiles/swp/index.ts';
import { connectSwp } from '../../profiles/swp/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { TlsOptions } from '../../transports/http/index.ts';
import { explainExchange } from '../client/error.ts';
import { TLS_OPTIONS, readTls } from '../client/tls.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { EXIT, usageError } from '../kit/exit.ts';
import { readFileBytes } from '../kit/input.ts';
import type { Terminal } from '../kit/terminal.ts';

const UNIX = 'unix:';

export const swpSendCommand: Action = {
  name: 'send',
  summary: 'give a Task to an agent that speaks SWP',
  parameters: [
    { name: 'HOST:PORT|unix:PATH', description: 'where it listens' },
    { name: 'KIND', description: 'what is to be done: a goal, or a kind that the agent knows' },
  ],
  options: {
    input: { type: 'string', value: 'TEXT|@FILE', description: 'the input of the Task' },
    'task-id': {
      type: 'string',
      value: 'ID',
      description:
        'names the Task: the same one again joins it, or tells its Result (default: a new one)',
    },
    stream: { type: 'boolean', description: 'show Events as they come' },
    ...TLS_OPTIONS,
  },
  notes: [
    'With a --tls option, and to any other machine, it speaks TLS. When the connection is lost it comes back and\n' +
      'asks again; nothing is done twice. With --json octets are hexadecimal digits; "text" is the output as text.\n' +
      'The exit code is 1 when the Task failed.',
  ],
  examples: [
    'a2a-sdl swp send 127.0.0.1:7777 "sum 1 2 3"',
    'a2a-sdl swp send unix:/run/agent/swp.sock report --input @data.json --stream',
  ],
  async run(context) {
    const { words, options, terminal } = context;
    const [place = '', kind = ''] = words;
    const address = addressOf(place);
    const taskId = options.text('task-id');
    const input = await inputOf(options.text('input'));
    const client = openClient(address, await tlsFor(address, context));
    const onEvent = (event: EventMessage): void => showEvent(event, terminal);
    try {
      const result = await client.give(kind, {
        input,
        ...(taskId !== undefined && { taskId }),
        ...(options.flag('stream') && { onEvent }),
      });
      showResult(result, terminal);
      return result.ok ? EXIT.ok : EXIT.failed;
    } catch (thrown) {
      if (thrown instanceof Error && thrown.name === 'SwpRefusal') throw usageError(thrown.message);
      throw explainExchange(thrown, address);
    } finally {
      await client.close();
    }
  },
};

async function inputOf(value: string | undefined): Promise<Uint8Array> {
  if (value?.startsWith('@') === true) return readFileBytes(value.slice(1));
  return new TextEncoder().encode(value ?? '');
}

/** A path may start where the user is. */
function addressOf(place: string): string {
  const path = place.startsWith(UNIX) ? place.slice(UNIX.length) : '';
  return path === '' ? place : `${UNIX}${resolve(path)}`;
}

/** Plain octets stay on this machine. */
async function tlsFor(address: string, context: CommandContext): Promise<TlsOptions | undefined> {
  const isLocal = /^(unix:|127\.|localhost:|\[::1\]:)/.test(address);
  const isAsked = Object.keys(TLS_OPTIONS).some((name) => context.options.flag(name));
  return isLocal && !isAsked ? undefined : readTls(context);
}

function openClient(address: string, tls: TlsOptions | undefined): ReturnType<typeof connectSwp> {
  try {
    return connectSwp(address, tls === undefined ? {} : { tls });
  } catch (thrown) {
    if (thrown instanceof SdlError) throw thrown;
    throw usageError(
      'the address of an agent is HOST:PORT or unix:PATH',
      'write 127.0.0.1:7777, or unix: and the path of its socket',
    );
  }
}

function showEvent({ taskId, message, eventPayload }: EventMessage, terminal: Terminal): void {
  const event = { task_id: hex(taskId), message, event_payload: hex(eventPayload) };
  terminal.result({ type: 'event', ...event }, () => {
    if (message !== '') terminal.note(message);
  });
}

function showResult(result: ResultMessage, terminal: Terminal): void {
  const { taskId, ok, output, errorMessage } = result;
  const text = textOf(output);
  const told = { ok, output: hex(output), error_message: errorMessage };
  terminal.result(
    { type: 'result', task_id: hex(taskId), ...told, ...(text !== undefined && { text }) },
    () => {
      if (ok) terminal.printText(text ?? hex(output));
      else terminal.note(`${terminal.style('red', 'failed:')} ${errorMessage}`);
    },
  );
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}

/** `undefined` where they are no text. */
function textOf(octets: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets);
  } catch {
    return undefined;
  }
}
