// Proves sealed tasks over gRPC in both packages: their numbers are doubles on the way, and envelopes hold all the same.

import { beforeAll, describe, expect, test } from 'vitest';

import { SEALED_EXTENSION, sealMessage } from '../../../../profiles/a2a/sealed/index.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import { at, textAt } from '../../../support/a2a/ask.ts';
import { grpcClient } from '../../../support/a2a/grpc-client.ts';
import type { SealedSide } from '../../../support/sealed-face/user.ts';
import {
  SECRET,
  inForm,
  newSides,
  opened,
  openedStream,
  saying,
  sealFor,
  sealedGrpcAgentFor,
  textIn,
} from '../../../support/sealed-face/user.ts';

let side: SealedSide;
beforeAll(async () => {
  side = await newSides();
});

const PACKAGES = [
  { version: '1.0', form: 'v1', nameOf: (id: string): Json => ({ id }) },
  { version: '0.3', form: 'v03-rest', nameOf: (id: string): Json => ({ name: `tasks/${id}` }) },
] as const;

describe.each(PACKAGES)('gRPC $version #sealed-tasks #sealed-refused', (one) => {
  const { version, form, nameOf } = one;
  const member = version === '1.0' ? 'message' : 'request';
  const waiting = version === '1.0' ? {} : { configuration: { blocking: true } };

  test('questions, streams, cancels and refusals', { timeout: 30_000 }, async () => {
    const agent = await sealedGrpcAgentFor(side);
    const client = grpcClient(agent.grpc, version);
    const as = { as: 'user' };
    const asking = await sealFor(side, saying('ask'));
    const asked = await client.ask(
      'SendMessage',
      { [member]: inForm(form, asking), ...waiting },
      as,
    );
    expect(asked.initial.get('a2a-extensions')).toEqual([SEALED_EXTENSION]);
    const question = await opened(side, at(asked.body, 'task'), asking);
    expect(textIn(question.messages)).toContain('which?');
    const id = textAt(asked.body, 'task.id');
    const data = {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ text: SECRET }, { data: { n: 2.5 } }],
    };
    const reply = await sealFor(side, data);
    const told = await client.ask(
      'SendMessage',
      { [member]: inForm(form, reply, id), ...waiting },
      as,
    );
    const whole = await opened(side, at(told.body, 'task'), [asking, reply]);
    expect(textIn(whole.artifacts)).toContain(`told ${SECRET}`);
    expect(JSON.stringify([asked.body, told.body])).not.toMatch(/which\?|the-secret/);

    const chunks = await sealFor(side, saying('chunks'));
    const frames: Json[] = [];
    const stream = client.stream('SendStreamingMessage', { [member]: inForm(form, chunks) }, as);
    for await (const frame of stream) frames.push(frame);
    const events = await openedStream(side, frames, chunks);
    expect(events.at(-1)!.receipt).toMatchObject({ events: 3, coversAll: true });

    const holding = await sealFor(side, saying('ask'));
    const held = await client.ask(
      'SendMessage',
      { [member]: inForm(form, holding), ...waiting },
      as,
    );
    const heldId = textAt(held.body, 'task.id');
    const canceled = await client.ask('CancelTask', nameOf(heldId), as);
    expect((await opened(side, canceled.body, holding)).state).toBe('canceled');
    const got = await client.ask('GetTask', nameOf(heldId), { as: 'other' });
    expect(got.reason).toBe('TASK_NOT_FOUND');

    const unknown = await sealMessage(saying('hello'), {
      identity: side.stranger,
      to: side.identity,
    });
    const refused = await client.ask('SendMessage', { [member]: inForm(form, unknown) }, as);
    expect(refused.status).toBe('INVALID_ARGUMENT');
    expect(refused.reason).toBe('SDL_ENVELOPE_REJECTED');
  });
});
