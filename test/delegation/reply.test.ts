// An answer to another agent is said as plainly as can be, so that agents that know no parts understand it too.

import { describe, expect, test } from 'vitest';

import { saidReply } from '../../src/delegation/said-reply.ts';
import { createMessage } from '../../src/tasks/message.ts';

describe('#task-ids what an author answers another agent', () => {
  test.each([
    ['yes', 'yes'],
    [{ text: 'yes' }, 'yes'],
    [{ data: { size: 3 } }, { size: 3 }],
    [createMessage({ id: 'm', role: 'user', parts: [{ text: 'yes' }] }), 'yes'],
  ])('is a plain value where that says all of it: %j', (words, said) => {
    expect(saidReply(words)).toEqual(said);
  });

  test.each([
    [[{ text: 'a' }, { text: 'b' }]],
    [[{ text: 'a', mediaType: 'text/markdown' }]],
    [[{ url: 'https://example.com/' }]],
    [[]],
  ])('is a message where it says more: %j', (parts) => {
    expect(saidReply(parts)).toEqual({ parts });
  });

  test('keeps what is beside the parts', () => {
    const metadata = { why: 'asked' };
    const words = { parts: [{ text: 'a' }], metadata };
    expect(saidReply(words)).toEqual(words);
  });
});
