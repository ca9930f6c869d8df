// Owns how messages go back over HTTP: the final alone, or one message a line or an event. Nothing is sent before the
// first message, so that what goes wrong until then has a status of its own. SPEC.md section 18 (#steerqa-http).

import type { HttpCall, HttpEvents, HttpStream } from '../../transports/http/index.ts';
import type { Sent } from './exchange.ts';
import type { Form } from './negotiate.ts';

export interface AnswerWriter {
  /** A status is on its way: what goes wrong now travels in band. */
  readonly hasBegun: boolean;
  send(sent: Sent): Promise<void>;
  /** The last message, in band. */
  fail(bytes: Uint8Array): Promise<void>;
  /** No more heartbeats. */
  stop(): void;
}

export const JSON_TYPE = { 'content-type': 'application/json' };
const LINE_END = Uint8Array.of(0x0a);

export function answerWriter(http: HttpCall, form: Form, heartbeatMs: number): AnswerWriter {
  if (form === 'json') return whole(http);
  return form === 'ndjson' ? lines(http, heartbeatMs) : events(http);
}

function whole(http: HttpCall): AnswerWriter {
  return {
    hasBegun: false,
    send: async ({ type, bytes }) => {
      if (type === 'final') await http.answer(200, JSON_TYPE, bytes);
    },
    fail: () => Promise.reject(new Error('an answer of one object has no band')),
    stop: () => undefined,
  };
}

function lines(http: HttpCall, heartbeatMs: number): AnswerWriter {
  let stream: HttpStream | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = (): void => clearInterval(timer);
  const write = async (bytes: Uint8Array, isLast: boolean): Promise<void> => {
    stream ??= http.stream(200, { 'content-type': 'application/x-ndjson' });
    const line = new Uint8Array(bytes.length + 1);
    line.set(bytes);
    line.set(LINE_END, bytes.length);
    const written = stream.write(line);
    if (isLast) {
      stop();
      await written;
      return stream.end();
    }
    timer ??= setInterval(() => void stream!.write(LINE_END).catch(stop), heartbeatMs);
    return written;
  };
  return {
    get hasBegun() {
      return stream !== undefined;
    },
    send: ({ type, bytes }) => write(bytes, type === 'final'),
    fail: (bytes) => write(bytes, true),
    stop,
  };
}

/** The host shows by itself that a silent stream goes on. */
function events(http: HttpCall): AnswerWriter {
  let stream: HttpEvents | undefined;
  const write = async (data: Uint8Array, isLast: boolean): Promise<void> => {
    stream ??= http.events();
    await stream.send({ data });
    if (isLast) await stream.end();
  };
  return {
    get hasBegun() {
      return stream !== undefined;
    },
    send: ({ type, bytes }) => write(bytes, type === 'final'),
    fail: (bytes) => write(bytes, true),
    stop: () => undefined,
  };
}
