// Owns the one way from a request of any wire to its answer or its stream, whatever binding brought it. SPEC.md section 20
// (#a2a-semantics).

import type { CallContext, JsonObject, JsonValue } from '../../../src/door/index.ts';
import { noSuchTask, refusal } from '../errors/a2a-error.ts';
import { createPush, deletePush, getPush, listPush, noPush } from '../push/operations.ts';
import type { Carriage } from '../sealed-tasks/recognise.ts';
import type { Wire } from '../wires/wire.ts';
import type { Desk, KnownExtension } from './desk.ts';
import type { Frames } from './frames.ts';
import { framesFor, sealedFrames } from './frames.ts';
import type { OperationName, SendInput } from './inputs.ts';
import { withoutBytes } from './received.ts';
import { sealedMessageIn, sendSealed, streamSealed, subscribeSealed } from './sealed.ts';
import { send } from './send.ts';
import { assertStreams, sendStream, subscribe } from './streams.ts';
import { cancelTask, getTask, listTasks } from './tasks.ts';

export interface Request {
  readonly wire: Wire;
  readonly operation: OperationName;
  readonly call: CallContext;
  /** What is asked, as JSON of the wire. */
  readonly value: JsonObject;
  /** The extensions that the caller asked for, by their URIs. */
  readonly extensions: ReadonlySet<string>;
  /** Makes room for a stream before anything is done for it. Throws LIMIT_RATE. */
  readonly openStream: () => void;
  /** What it saw last of the stream. */
  readonly lastEventId?: string | undefined;
  /** What an envelope in it is judged with. */
  readonly carriage: Carriage;
  /** The message was sealed. */
  readonly onSealed: () => void;
}

export type Performed = { readonly body: JsonValue } | Frames;

export async function perform(desk: Desk, request: Request): Promise<Performed> {
  const { wire, operation, call, value } = request;
  switch (operation) {
    case 'send': {
      const input = readSend(desk, request);
      const found = await sealedMessageIn(desk, call, input);
      const sent =
        found === undefined
          ? await send(desk, call, input)
          : await sendSealed(sendingOf(desk, request), input, found);
      return { body: wire.writeSent(sent, input.historyLength) };
    }
    case 'stream': {
      const input = readSend(desk, request);
      const found = await sealedMessageIn(desk, call, input);
      assertStreams(desk);
      request.openStream();
      if (found !== undefined) {
        return sealedFrames(
          desk,
          request,
          await streamSealed(sendingOf(desk, request), input, found),
        );
      }
      return framesFor(desk, request, await sendStream(desk, call, input));
    }
    case 'get':
    case 'cancel': {
      const input = inTenant(call, wire.readTask(value));
      const find = operation === 'get' ? getTask : cancelTask;
      const carrying = await desk.sealed?.callFor(call, input.id);
      if (carrying === undefined) {
        return { body: wire.writeTask(await find(desk, call, input), input.historyLength) };
      }
      if (operation === 'cancel') await cancelTask(desk, carrying, input);
      const task = await desk.sealed!.task(carrying, input.id);
      return { body: wire.writeTask(task, input.historyLength) };
    }
    case 'subscribe': {
      const { id } = inTenant(call, wire.readTask(value));
      const { lastEventId } = request;
      assertStreams(desk);
      request.openStream();
      const carrying = await desk.sealed?.callFor(call, id);
      if (carrying === undefined) {
        return framesFor(desk, request, subscribe(desk, withoutBytes(call), id, lastEventId));
      }
      const told = subscribeSealed(desk, desk.sealed!, withoutBytes(carrying), id, lastEventId);
      return sealedFrames(desk, request, told);
    }
    case 'list': {
      const input = inTenant(call, wire.readList(value));
      return { body: wire.writePage(await listTasks(desk, call, input), input) };
    }
    case 'createPush':
    case 'getPush':
    case 'listPush':
    case 'deletePush':
      return { body: await performPush(desk, operation, request) };
    default:
      return { body: await extendedCard(desk, request) };
  }
}

async function extendedCard(
  { extendedCard: find }: Desk,
  { wire, call, value }: Request,
): Promise<JsonObject> {
  // 0.3 has no tenants.
  const tenant = wire.name === 'v1' || wire.name === 'draft' ? value['tenant'] : undefined;
  const isOthers = typeof tenant === 'string' && tenant !== '' && tenant !== call.principal.tenant;
  if (isOthers) throw noCardFor();
  const found = await find(call, wire.name === 'v1' ? 'strict' : 'superset');
  switch (found.kind) {
    case 'card':
      return found.card;
    case 'unauthenticated':
      throw refusal('UNAUTHENTICATED', 'UNAUTHENTICATED', 'the extended card is for known callers');
    case 'forbidden':
      throw refusal('PERMISSION_DENIED', 'NOT_AUTHORIZED', 'the caller may not see it');
    case 'notConfigured':
      throw noCardFor();
    default:
      throw refusal(
        'UNSUPPORTED_OPERATION',
        'CT_UNSUPPORTED',
        'there is no extended agent card here',
      );
  }
}

async function performPush(
  desk: Desk,
  operation: 'createPush' | 'getPush' | 'listPush' | 'deletePush',
  { wire: { push }, call, value }: Request,
): Promise<JsonValue> {
  if (desk.push === undefined) throw noPush();
  const callFor = async (taskId: string): Promise<CallContext> =>
    (await desk.sealed?.callFor(call, taskId)) ?? call;
  switch (operation) {
    case 'createPush': {
      const input = inTenant(call, push.readPush(value));
      return push.writePush(await createPush(desk, await callFor(input.taskId), input));
    }
    case 'getPush': {
      const input = inTenant(call, push.readRef(value));
      return push.writePush(await getPush(desk, await callFor(input.taskId), input));
    }
    case 'listPush': {
      const input = inTenant(call, push.readPage(value));
      return push.writePage(await listPush(desk, await callFor(input.taskId), input));
    }
    default: {
      const input = inTenant(call, push.readRef(value));
      await deletePush(desk, await callFor(input.taskId), input);
      return push.dropped;
    }
  }
}

function noCardFor(): Error {
  return refusal(
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    'CT_UNSUPPORTED',
    'there is no extended agent card for this caller',
  );
}

function readSend({ rules }: Desk, { wire, call, value, extensions }: Request): SendInput {
  const input = inTenant(call, wire.readSend(value));
  if (rules.extensions.length === 0) return input;
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

function sendingOf(
  desk: Desk,
  { call, carriage, onSealed }: Request,
): Parameters<typeof sendSealed>[0] {
  onSealed();
  return { desk, sealed: desk.sealed!, call, carriage };
}
