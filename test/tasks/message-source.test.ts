// Proves that what a message came in stays with it in the log, goes out on no wire, and cannot be said by anybody outside.

import { expect, test } from 'vitest';

import { encodeEvent, decodeEvent } from '../../src/tasks/log/record.ts';
import type { TaskEvent } from '../../src/tasks/event.ts';
import { createMessage } from '../../src/tasks/message.ts';
import { readMessage, writeMessage } from '../../src/tasks/part-json.ts';

const source = { face: 'mine', value: { sealed: { n: 1 } } };
const message = createMessage({ id: 'm', role: 'user', parts: [{ text: 'hello' }], source });

test('#parts the log keeps what a message came in', () => {
  const record = encodeEvent({ type: 'message', message }, 5);
  const event = decodeEvent({ position: 1, value: record }) as TaskEvent & { type: 'message' };
  expect(event.message.source).toEqual(source);
  expect(event.message.text).toBe('hello');
});

test('#parts the wire neither tells nor takes it', () => {
  expect(writeMessage(message)).not.toHaveProperty('source');
  const forged = { ...writeMessage(message), source };
  expect(readMessage(forged, 'message').source).toBeUndefined();
});
