// Owns the tests of headers, media types and forms.

import type { JsonObject, JsonValue } from '../../../../src/codec/value.ts';
import { isJsonObject } from '../../../../src/codec/value.ts';
import { misfits } from '../../../support/a2a/published-form.ts';
import { assertFits } from '../steps.ts';
import type { World } from '../world.ts';
import type { Specials } from './special.ts';
import { textRequest } from './special.ts';

const HELLO = textRequest('tck-complete-task') as JsonObject;

export const FORMS: Specials = {
  'CARD-CACHE-001': {
    check: async ({ judge, agent }) => {
      const { headers } = await fetch(agent.card);
      const etag = headers.get('etag') ?? '';
      judge.check(/max-age=\d+/.test(headers.get('cache-control') ?? ''), 'no Cache-Control');
      judge.check(etag !== '', 'no ETag');
      judge.check(!Number.isNaN(Date.parse(headers.get('last-modified') ?? '')), 'no moment');
      const again = await fetch(agent.card, { headers: { 'if-none-match': etag } });
      judge.check(again.status === 304, `the same is answered with ${again.status}`);
    },
  },
  'CARD-SCHEMA-001': {
    check: async ({ judge, agent }) => {
      const card = (await (await fetch(agent.card)).json()) as JsonObject;
      assertFits({ judge }, 'AgentCard', card);
      const faults = misfits('AgentCard', { ...card, url: agent.http });
      judge.check(faults.length === 1, 'a member of another version is not noticed');
    },
  },
  'DM-SERIAL-002': {
    check: async (world) => {
      const { judge, binding, token } = world;
      const sent = await binding.call('SendMessage', HELLO, token);
      judge.check('value' in sent, 'it is refused');
      if ('value' in sent) assertFits({ judge }, 'SendMessageResponse', sent.value);
    },
  },
  'DM-FMT-001': {
    check: async ({ judge, responses }) => {
      const odd = namesIn(responses.get('send-raw')!).filter((name) => name.includes('_'));
      judge.check(odd.length === 0, `names with "_": ${odd.join(', ')}`);
    },
  },
  'JSONRPC-CT-001': {
    check: (world) => assertTypes(world, 'application/json'),
  },
  'REST-CT-001': {
    check: (world) => assertTypes(world, 'application/a2a+json'),
  },
  'CORE-CTX-001': {
    check: async ({ judge, binding, token, test }) => {
      const contextId = test.steps[0]!.params!['contextId'] as string;
      const listed = await binding.call('ListTasks', { contextId }, token);
      const total = 'value' in listed ? listed.value['totalSize'] : undefined;
      judge.check(total === 0, `${JSON.stringify(total)} tasks in a context that was refused`);
    },
  },
  'GRPC-STATUS-001': {
    check: async ({ judge, binding, token }) => {
      const { status } = await binding.call('GetTask', { id: 'nothing' }, token);
      judge.check(status === 'NOT_FOUND', `the status is ${status}`);
    },
  },
};

/** Also what is refused. */
async function assertTypes({ judge, binding, token }: World, type: string): Promise<void> {
  for (const answer of [
    await binding.call('SendMessage', HELLO, token),
    await binding.call('GetTask', { id: 'nothing' }, token),
  ]) {
    const found = answer.headers.get('content-type') ?? '';
    judge.check(found.split(';')[0] === type, `the media type is ${found}`);
  }
}

function namesIn(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(namesIn);
  if (!isJsonObject(value)) return [];
  return [...Object.keys(value), ...Object.values(value).flatMap(namesIn)];
}
