// Owns the one way from a request of any wire to its answer or its stream, whatever binding brought it. SPEC.md section 20
// (#a2a-semantics).

import type { CallContext, JsonObject } from '../../../src/door/index.ts';
import { noSuchTask, refusal } from '../errors/a2a-error.ts';
import type { Wire } from '../wires/wire.ts';
import type { Desk, KnownExtension } from './desk.ts';
import type { OperationName, SendInput } from './inputs.ts';
import { noPush, send } from './send.ts';
import type { Told } from './streams.ts';
import { sendStream, subscribe } from './streams.ts';
import { cancelTask, getTask, listTasks } from './tasks.ts';

export interface Request {
  readonly wire: Wire;
  readonly operation: OperationName;
  readonly call: CallContext;
  /** What is asked, as JSON of the wire. */
  readonly value: JsonObject;
  /** The extensions that the caller asked for, by their URIs. */
  readonly extensions: ReadonlySet<string>;
  /** What it saw last of the stream. */
  readonly lastEventId?: string | undefined;
}

/** One frame of a stream; without data the stream has begun, and nothing is to be said yet. */
interface StreamFrame {
  readonly data?: JsonObject;
  /** Where it stands in the log of the task. */
  readonly generation?: number;
}

export type Performed =
  { readonly body: JsonObject } | { readonly frames: AsyncGenerator<StreamFrame, void> };

export async function perform(desk: Desk, request: Request): Promise<Performed> {
  const { wire, operation, call, value } = request;
  switch (operation) {
    case 'send': {
      const input = readSend(desk, request);
      return { body: wire.writeSent(await send(desk, call, input), input.historyLength) };
    }
    case 'stream':
      return { frames: framesOf(wire, sendStream(desk, call, readSend(desk, request))) };
    case 'get':
    case 'cancel': {
      const input = inTenant(call, wire.readTask(value));
      const find = operation === 'get' ? getTask : cancelTask;
      return { body: wire.writeTask(await find(desk, call, input), input.historyLength) };
    }
    case 'subscribe': {
      const { id } = inTenant(call, wire.readTask(value));
      return { frames: framesOf(wire, subscribe(desk, call, id, request.lastEventId)) };
    }
    case 'list': {
      const input = inTenant(call, wire.readList(value));
      return { body: wire.writePage(await listTasks(desk, call, input), input) };
    }
    case 'createPush':
    case 'getPush':
    case 'listPush':
    case 'deletePush':
      throw noPush();
    default:
      return { body: await extendedCard(desk, request) };
  }
}

async function extendedCard(
  { extendedCard: find }: Desk,
  { wire, call }: Request,
): Promise<JsonObject> {
  const found = await find(call, wire.name === 'v1' ? 'strict' : 'superset');
  switch (found.kind) {
    case 'card':
      return found.card;
    case 'unauthenticated':
      throw refusal('UNAUTHENTICATED', 'UNAUTHENTICATED', 'the extended card is for known callers');
    case 'forbidden':
      throw refusal('PERMISSION_DENIED', 'NOT_AUTHORIZED', 'the caller may not see it');
    case 'notConfigured':
      throw refusal(
        'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
        'CT_UNSUPPORTED',
        'there is no extended agent card for this caller',
      );
    default:
      throw refusal(
        'UNSUPPORTED_OPERATION',
        'CT_UNSUPPORTED',
        'there is no extended agent card here',
      );
  }
}

function readSend({ rules }: Desk, { wire, call, value, extensions }: Request): SendInput {
  const input = inTenant(call, wire.readSend(value));
  const asked = new Set([...extensions, ...(input.message.extensions ?? [])]);
  const missing = rules.extensions.filter(isMissing(asked));
  if (missing.length === 0) return input;
  const uris = missing.map(({ uri }) => uri).join(', ');
  throw refusal(
    'EXTENSION_SUPPORT_REQUIRED',
    'CT_UNSUPPORTED',
    `this agent needs extensions that were not asked for: ${uris}`,
  );
}

function isMissing(asked: ReadonlySet<string>): (extension: KnownExtension) => boolean {
  return ({ uri, required = false }) => required && !asked.has(uri);
}

/** In the tenant of somebody else there is nothing. */
function inTenant<T extends { readonly tenant?: string }>({ principal }: CallContext, input: T): T {
  if (input.tenant !== undefined && input.tenant !== principal.tenant) throw noSuchTask();
  return input;
}

async function* framesOf(wire: Wire, told: AsyncIterable<Told>): AsyncGenerator<StreamFrame, void> {
  for await (const one of told) {
    if (one === undefined) yield {};
    else if ('message' in one) yield { data: wire.writeAnswer(one.message) };
    else {
      const data = wire.writeStep(one.step, one.isLast);
      if (data !== undefined) yield { data, generation: one.step.task.generation };
    }
  }
}
