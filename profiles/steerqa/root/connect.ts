// Owns Root's side of an offer: sent, repeated while that can help and there is time, its partials and its final checked.
// SPEC.md section 18 (#steerqa-root).

import { randomUUID } from 'node:crypto';

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import { isJsonObject, readJson, writeJson } from '../../../src/transport.ts';
import type { SteerqaOffer, SteerqaResult } from '../messages.ts';
import { VERSION } from '../messages.ts';
import { writeMoment } from '../moment.ts';
import { checkMessage } from '../schemas.ts';
import type { AnswerBody } from './answer.ts';
import { messagesIn } from './answer.ts';
import { SteerqaFailure, TRANSPORT, transportFailure } from './failure.ts';
import { clamped } from './clamp.ts';

/** An offer as Root gives it; what is left out is made. */
export type NewOffer = Partial<SteerqaOffer> &
  Pick<SteerqaOffer, 'prompt' | 'agent_version' | 'ttl'>;

export interface SteerqaRootOptions {
  /** Such as `{ authorization: 'Bearer …' }`. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** How the agent is to answer. @default 'ndjson' */
  readonly accept?: 'json' | 'ndjson' | 'sse';
  /** How often an offer is sent at most. @default 8 */
  readonly maxAttempts?: number;
  /** Before the second try, at most; twice as long before each further one. @default 100 */
  readonly backoffMs?: number;
  /** The largest message that is read. @default 1048576 */
  readonly maxBytes?: number;
  /** @default the one of the platform */
  readonly fetch?: (url: string, init: RequestParts) => Promise<AnswerBody>;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
  /** Resolves after so many milliseconds. @default real time */
  readonly wait?: (ms: number) => Promise<void>;
}

/** What is asked of `fetch`. */
export interface RequestParts {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Another place is not asked: such an answer is none. */
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** Partials as they come, then the final. Throws a {@link SteerqaFailure}. */
export interface SentOffer extends AsyncIterable<SteerqaResult> {
  /** The final alone. */
  final(): Promise<SteerqaResult>;
}

export interface SteerqaRoot {
  offer(offer: NewOffer): SentOffer;
}

const TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  sse: 'text/event-stream',
} as const;
const LONGEST_BACKOFF_MS = 5_000;

/** Root's way to the agent at this address. */
export function connectSteerqa(url: string, options: SteerqaRootOptions = {}): SteerqaRoot {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new TypeError('"url" expected an address such as http://127.0.0.1:8787/task_offer');
  }
  return {
    offer: (offer) => {
      const sent = (): AsyncGenerator<SteerqaResult, undefined> => send(url, offer, options);
      return { [Symbol.asyncIterator]: sent, final: () => lastOf(sent()) };
    },
  };
}

async function lastOf(results: AsyncIterable<SteerqaResult>): Promise<SteerqaResult> {
  let last: SteerqaResult | undefined;
  for await (const result of results) last = result;
  // The stream throws where it has no final.
  return last!;
}

async function* send(
  url: string,
  given: NewOffer,
  options: SteerqaRootOptions,
): AsyncGenerator<SteerqaResult, undefined> {
  const { now = Date.now, random = Math.random, wait = pause } = options;
  const { maxAttempts = 8, backoffMs = 100 } = options;
  const first = completed(given, now());
  const { dimension_cap } = first;
  const cap = dimension_cap === undefined ? undefined : numberOf(dimension_cap);
  const until = now() + first.ttl;
  const seen = new Set<string>();
  for (let attempt = 1, offer = first; ; attempt += 1) {
    const told: string[] = [];
    try {
      for await (const message of tryOnce(url, offer, options, until - now())) {
        const { isFinal, body } = resultIn(message, offer);
        if (isFinal) return void (yield clamped(plain(message), cap));
        // A repeated offer brings again what came before.
        const shown = textOf(body);
        told.push(shown);
        if (!seen.has(shown)) yield plain(message);
      }
      throw transportFailure('the answer ended without a final');
    } catch (thrown) {
      const failure = asFailure(thrown);
      const backoff = random() * Math.min(LONGEST_BACKOFF_MS, backoffMs * 2 ** (attempt - 1));
      const left = Math.floor(until - now() - backoff);
      if (!failure.retryable || attempt >= maxAttempts || left < 1) throw failure;
      await wait(backoff);
      for (const shown of told) seen.add(shown);
      offer = {
        ...first,
        issued_at: writeMoment(now()),
        ttl: Math.max(1, Math.floor(until - now())),
      };
    }
  }
}

/** All that an offer needs. Throws a {@link SteerqaFailure} where it does not fit. */
function completed(given: NewOffer, nowMs: number): SteerqaOffer {
  const offer: SteerqaOffer = {
    version: VERSION,
    message_type: 'task_offer',
    task_id: randomUUID(),
    trace_id: randomUUID(),
    issued_at: writeMoment(nowMs),
    idempotency_key: randomUUID(),
    ...given,
  };
  const { kind, misfit } = checkMessage(offer as unknown as JsonObject);
  const isOffer = kind === 'intent_offer' || kind === 'dimension_offer';
  if (misfit === undefined && isOffer) return { ...offer, ttl: numberOf(offer.ttl) };
  const words = isOffer ? misfit!.words : '/message_type does not fit: task_offer';
  throw new SteerqaFailure('SCHEMA_VALIDATION_FAILED', words, { retryable: false });
}

async function* tryOnce(
  url: string,
  offer: SteerqaOffer,
  {
    headers = {},
    accept = 'ndjson',
    maxBytes = 1_048_576,
    fetch = platformFetch,
  }: SteerqaRootOptions,
  leftMs: number,
): AsyncGenerator<JsonObject, undefined> {
  const over = new AbortController();
  // A little more: the agent says by itself that the time is over.
  const timer = setTimeout(() => over.abort(), Math.min(leftMs, 2_000_000_000) + 1_000);
  let status: number | undefined;
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': TYPES.json, accept: TYPES[accept] },
      body: textOf(offer as unknown as JsonValue),
      redirect: 'manual',
      signal: over.signal,
    });
    ({ status } = answer);
    for await (const message of messagesIn(answer, maxBytes)) {
      if (!isJsonObject(message)) throw transportFailure('a message is no object', status);
      if (message['message_type'] === 'error') throw failureIn(message, status);
      if (status !== 200) throw statusFailure(status);
      yield message;
    }
    if (status !== 200) throw statusFailure(status);
    return undefined;
  } catch (thrown) {
    const failure = asFailure(thrown);
    // Of an answer that is no message, the status alone says what it means.
    const isMute = failure.code === TRANSPORT && status !== undefined && status !== 200;
    throw isMute ? statusFailure(status!) : failure;
  } finally {
    clearTimeout(timer);
    // Who has its final reads no further.
    over.abort();
  }
}

/** What an error of the agent means: a status of 4xx is never tried again, whatever the body says. */
function failureIn(message: JsonObject, status: number): SteerqaFailure {
  if (checkMessage(message).misfit !== undefined) return statusFailure(status);
  const { code, message: words, retryable } = message;
  const isFinal = status >= 400 && status < 500;
  return new SteerqaFailure(code as string, words as string, {
    retryable: retryable === true && !isFinal,
    status,
  });
}

function statusFailure(status: number): SteerqaFailure {
  const isPassing = status >= 500 || status === 200;
  return new SteerqaFailure(TRANSPORT, `the agent answered with ${status}`, {
    retryable: isPassing,
    status,
  });
}

/** A result that fits its schema and answers this offer. */
function resultIn(
  message: JsonObject,
  offer: SteerqaOffer,
): { readonly isFinal: boolean; readonly body: JsonObject } {
  const { kind, misfit } = checkMessage(message);
  const { verdict, intent_packet, early_result, arbitration_hint } = message;
  const body = verdict ?? intent_packet ?? early_result ?? arbitration_hint;
  if (misfit !== undefined || !isJsonObject(body)) {
    throw wrongResult(misfit?.words ?? 'it is no result');
  }
  const named = verdict ?? early_result;
  const wrongFinal = offer.dimension === undefined ? verdict : intent_packet;
  const isOurs =
    message['task_id'] === offer.task_id &&
    wrongFinal === undefined &&
    (!isJsonObject(named) ||
      (named['run_id'] === offer.run_id && named['dimension'] === offer.dimension));
  if (!isOurs) throw wrongResult('it answers another offer');
  return { isFinal: kind === 'replica_result' || kind === 'intent_result', body };
}

/** The agent would say the same again. */
function wrongResult(words: string): SteerqaFailure {
  return new SteerqaFailure('RESULT_INVALID', `the result is not usable: ${words}`, {
    retryable: false,
  });
}

function asFailure(thrown: unknown): SteerqaFailure {
  if (thrown instanceof SteerqaFailure) return thrown;
  return transportFailure(
    'the agent was not reached, or the connection was lost',
    undefined,
    thrown,
  );
}

/** Numbers as JavaScript has them. */
function plain(message: JsonObject): SteerqaResult {
  return JSON.parse(JSON.stringify(readJson(writeJson(message)))) as SteerqaResult;
}

/** Who reads an offer from a file may have numbers that keep their text. */
function numberOf(value: unknown): number {
  return Number(value);
}

function textOf(value: JsonValue): string {
  return new TextDecoder().decode(writeJson(value));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function platformFetch(url: string, init: RequestParts): Promise<AnswerBody> {
  return globalThis.fetch(url, init);
}
