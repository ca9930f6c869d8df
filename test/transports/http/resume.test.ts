// Proves that server-sent events go on where they were cut: by repeating the same signed request with `Last-Event-ID`,
// and in our own client by itself.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { TaskUpdate } from '../../../src/client/task-update.ts';
import { decodeMessage } from '../../../src/envelope/decode.ts';
import type { SealedEnvelope } from '../../../src/pipeline/seal-envelope.ts';
import { readLines } from '../../../transports/http/lines.ts';
import { createSseParser } from '../../../transports/http/sse.ts';
import { cuttable } from '../../support/wire/cuttable-wire.ts';
import { taskPayload } from '../../support/wire/envelopes.ts';
import { forge } from '../../support/wire/forge.ts';
import { until } from '../../support/agents/exchanges.ts';
import {
  PacedTask,
  SeenEvents,
  namesOfLog,
  seededNumbers,
} from '../../support/agents/paced-task.ts';
import type { Pair } from '../../support/agents/transport-pairs.ts';
import { createPair, httpWire } from '../../support/agents/transport-pairs.ts';

const CUTS = 50;
const FIRST_EVENTS = 2;
const CONSTRAINTS = taskPayload['constraints'] as JsonObject;

let paced: PacedTask;
let pair: Pair;
beforeEach(async () => {
  paced = new PacedTask();
  pair = await createPair(httpWire, { onTask: paced.onTask });
});
afterEach(() => pair.close());

const callOf = (tool: string, args: JsonObject): { ct: string; payload: JsonObject } => ({
  ct: 'toolcall.v1',
  payload: { tool, call_id: 'c', args, expect: {} },
});

interface StreamOptions {
  readonly accept?: string;
  readonly lastEventId?: number;
}

async function post(
  { bytes }: SealedEnvelope,
  { accept = 'text/event-stream', lastEventId }: StreamOptions = {},
): Promise<IncomingMessage> {
  const headers = {
    'content-type': 'application/json',
    accept,
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  };
  const outgoing = request(pair.url, { method: 'POST', agent: false, headers });
  outgoing.end(bytes);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
}

interface Message {
  readonly id: number;
  readonly envelope: JsonObject;
  readonly bytes: Uint8Array;
}

/** Reads until so many bytes have come, or the end; what was not whole by then is lost. */
async function eventsIn(response: IncomingMessage, maxBytes = Infinity): Promise<Message[]> {
  const parser = createSseParser(1_048_576);
  const messages: Message[] = [];
  for await (const chunk of upTo(response, maxBytes)) {
    for (const { id, data } of parser.push(chunk)) {
      const envelope = decodeMessage(data, 'json') as JsonObject;
      messages.push({ id: Number(id), envelope, bytes: data });
    }
  }
  response.destroy();
  return messages;
}

function take(messages: readonly Message[], seen: SeenEvents): void {
  for (const { id, envelope } of messages) {
    expect(envelope['type']).toBe('evt');
    seen.add(envelope['ct'] as string, envelope['payload']!);
    expect(id).toBe(seen.generation);
  }
}

/** Repeats the request until its connection was cut so often, each time at another byte. */
async function cutAgainAndAgain(message: SealedEnvelope, seed: number): Promise<SeenEvents> {
  const random = seededNumbers(seed);
  const seen = new SeenEvents();
  for (let cut = 0; cut < CUTS; cut += 1) {
    paced.allow(1 + random(5));
    const lastEventId = seen.generation === 0 ? {} : { lastEventId: seen.generation };
    const left = FIRST_EVENTS + paced.steps - seen.generation;
    // An event is larger than 1 KB, so there is always so much to come.
    const messages = await eventsIn(await post(message, lastEventId), 1 + random(left * 1_000));
    take(messages, seen);
  }
  return seen;
}

describe('#transport-http #replay-retry the same signed request with Last-Event-ID', () => {
  test(`follows a task that it started, cut ${CUTS} times, and gets the one answer`, async () => {
    const sender = await pair.sender();
    const message = await forge(sender, pair.server, {
      payload: { ...taskPayload, constraints: { ...CONSTRAINTS, time_budget_s: 60 } },
    });
    const seen = await cutAgainAndAgain(message, 1);
    paced.end();
    const rest = await eventsIn(await post(message, { lastEventId: seen.generation }));
    const answer = rest.pop()!;
    take(rest, seen);
    expect([...seen.names, 'completed']).toEqual(namesOfLog(paced.steps));
    expect(answer.id).toBe(seen.generation + 1);
    expect(answer.envelope).toMatchObject({ type: 'res', ct: 'state.v1' });

    // Later on it is all there again, from any generation, and the answer is the same to the byte.
    for (const lastEventId of [0, 1, 7, seen.generation, seen.generation + 1]) {
      const again = await eventsIn(await post(message, { lastEventId }));
      expect(again.pop()!.bytes).toEqual(answer.bytes);
      const ids = again.map(({ id }) => id);
      expect(ids).toEqual(
        Array.from({ length: Math.max(0, seen.generation - lastEventId) }, (_, at) => {
          return lastEventId + at + 1;
        }),
      );
    }
  });

  test(`follows a task.watch, cut ${CUTS} times, to the end`, async () => {
    const sender = await pair.sender();
    const task = { ...taskPayload, context: { task: { id: 'w' } } };
    (await post(await forge(sender, pair.server, { payload: task }))).destroy();
    const message = await forge(sender, pair.server, callOf('task.watch', { id: 'w' }));
    const seen = await cutAgainAndAgain(message, 2);
    paced.end();
    const rest = await eventsIn(await post(message, { lastEventId: seen.generation }));
    const answer = rest.pop()!;
    take(rest, seen);
    expect(seen.names).toEqual(namesOfLog(paced.steps));
    expect(answer.envelope).toMatchObject({
      type: 'res',
      payload: { ok: true, result: { status: 'completed' } },
    });
  });

  test('tells all of it again to who has seen nothing, and only the answer where events have no ids', async () => {
    const sender = await pair.sender();
    const message = await forge(sender, pair.server, {});
    paced.allow(4);
    paced.end();
    const whole = await eventsIn(await post(message));
    expect(whole).toHaveLength(FIRST_EVENTS + 4 + 1);
    const again = await eventsIn(await post(message));
    expect(again.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    expect(again.at(-1)!.bytes).toEqual(whole.at(-1)!.bytes);
    for (const accept of ['application/json', 'application/x-ndjson']) {
      const alone = await buffer(await post(message, { accept }));
      expect(new Uint8Array(alone.subarray(0, whole.at(-1)!.bytes.length))).toEqual(
        whole.at(-1)!.bytes,
      );
    }
  });

  test('counts for nothing on a request that is new', async () => {
    const sender = await pair.sender();
    paced.allow(4);
    paced.end();
    const message = await forge(sender, pair.server, {});
    const whole = await eventsIn(await post(message, { lastEventId: 3 }));
    expect(whole.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('tells an answer that came before the end of its task once more, and nothing that came after it', async () => {
    const sender = await pair.sender();
    const payload = {
      ...taskPayload,
      constraints: { ...CONSTRAINTS, time_budget_s: 0 },
      context: { task: { id: 'b' } },
    };
    const message = await forge(sender, pair.server, { payload });
    const whole = await eventsIn(await post(message));
    paced.allow(6);
    paced.end();
    const watch = await forge(sender, pair.server, callOf('task.watch', { id: 'b' }));
    expect(await eventsIn(await post(watch))).toHaveLength(FIRST_EVENTS + 6 + 2);
    const again = await eventsIn(await post(message, { lastEventId: 0 }));
    expect(again.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
    expect(again.at(-1)!.bytes).toEqual(whole.at(-1)!.bytes);
  });
});

describe('#transport-http lines that are cut', () => {
  test(`${CUTS} times and resumed by task.watch yield exactly the log`, async () => {
    const random = seededNumbers(3);
    const sender = await pair.sender();
    const payload = { ...taskPayload, context: { task: { id: 'l' } } };
    (await post(await forge(sender, pair.server, { payload }))).destroy();
    const seen = new SeenEvents();
    const watchOn = async (maxBytes?: number): Promise<JsonObject[]> => {
      const watch = callOf('task.watch', { id: 'l', after: seen.generation });
      const message = await forge(sender, pair.server, watch);
      const response = await post(message, { accept: 'application/x-ndjson' });
      const envelopes: JsonObject[] = [];
      for await (const line of readLines(upTo(response, maxBytes), 1_048_576)) {
        envelopes.push(decodeMessage(line, 'json') as JsonObject);
      }
      response.destroy();
      return envelopes;
    };
    for (let cut = 0; cut < CUTS; cut += 1) {
      paced.allow(1 + random(5));
      const left = FIRST_EVENTS + paced.steps - seen.generation;
      for (const { ct, payload: told } of await watchOn(1 + random(left * 1_000))) {
        seen.add(ct as string, told!);
      }
    }
    paced.end();
    const rest = await watchOn();
    expect(rest.pop()).toMatchObject({ type: 'res', payload: { ok: true } });
    for (const { ct, payload: told } of rest) seen.add(ct as string, told!);
    expect(seen.names).toEqual(namesOfLog(paced.steps));
  });
});

describe('#transport-http #exchange our own client', () => {
  test('goes on by itself where the connection was cut: every event once', async () => {
    const wire = cuttable(pair.wire.dialer);
    const { runtime } = await pair.client({}, wire.dialer);
    const peer = runtime.connect(pair.server.identity.agentId);
    const seen = new SeenEvents();
    const updates: TaskUpdate[] = [];
    const reading = (async () => {
      for await (const update of peer.task('go')) {
        updates.push(update);
        const { type, ct, payload } = update.received!;
        if (type === 'evt') seen.add(ct, payload);
      }
    })();
    for (let cut = 1; cut <= 3; cut += 1) {
      paced.allow(5);
      await until(() => seen.generation === FIRST_EVENTS + paced.steps);
      await wire.cut();
      // What happens meanwhile is in the log only.
      paced.allow(3);
      await until(() => wire.sent.length === cut + 1);
    }
    paced.end();
    await reading;
    expect([...seen.names, 'completed']).toEqual(namesOfLog(paced.steps));
    expect(updates.at(-1)).toMatchObject({ isAnswer: true, status: 'completed' });
    expect(wire.sent.map(({ afterGeneration }) => afterGeneration)).toEqual([undefined, 7, 15, 23]);
  });
});

async function* upTo(response: IncomingMessage, maxBytes = Infinity): AsyncGenerator<Uint8Array> {
  let left = maxBytes;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}
