// Proves when a message is sent again and when not, and that the doubt is said where it remains.

import { describe, expect, test } from 'vitest';

import type { Json } from '../../../support/a2a/ask.ts';
import { bridgeFor, failureOf } from '../../../support/a2a/bridge/bridge.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import type { Recorded, Script, ScriptedAgent } from '../../../support/a2a/scripted-agent.ts';
import {
  answerRpc,
  artifactJson,
  cardOf,
  scriptedAgent,
  statusJson,
  streamRpc,
  taskJson,
} from '../../../support/a2a/scripted-agent.ts';

type Answer = NonNullable<Script['handle']>;

const SEND = 'SendStreamingMessage';

function messageIn({ body }: Recorded): { readonly messageId: string; readonly taskId?: string } {
  return (body as unknown as { params: { message: never } }).params.message;
}

function sends({ requests }: ScriptedAgent): readonly Recorded[] {
  return requests.filter(({ rpc }) => rpc === SEND);
}

const whole = (id: string, messageId: string, state: string): Json =>
  taskJson(id, state, {
    history: [{ messageId, role: 'ROLE_USER', parts: [{ text: 'x' }] }],
    artifacts: [{ artifactId: 'a', parts: [{ text: 'made' }] }],
  });

/** The first answer is lost; what else is asked is answered by the others. */
async function losing(others: Readonly<Record<string, Answer>>, card = {}): Promise<ScriptedAgent> {
  let count = 0;
  const agent: ScriptedAgent = await scriptedAgent({
    card: (origin) => cardOf(origin, card),
    handle: (request, response) => {
      const isFirst = request.rpc === SEND && (count += 1) === 1;
      if (isFirst) response.destroy();
      else others[request.rpc]?.(request, response);
    },
  });
  return agent;
}

const completing: Answer = (request, response) => {
  const stream = streamRpc(response, request);
  stream.send({ task: taskJson('t', 'WORKING') });
  stream.send(artifactJson('t', 'a', 'made'));
  stream.send(statusJson('t', 'COMPLETED'));
  stream.end();
};

describe('#bridge-doubt a message whose answer is lost', () => {
  test('is found among the tasks of its context, and its task gone on with', async () => {
    const upstream = await losing({
      ListTasks: (request, response) => {
        const { messageId } = messageIn(sends(upstream)[0]!);
        const tasks = [whole('other', 'another', 'COMPLETED'), whole('t', messageId, 'WORKING')];
        answerRpc(response, request, { tasks, nextPageToken: '', pageSize: 2, totalSize: 2 });
      },
      SubscribeToTask: (request, response) => {
        const { messageId } = messageIn(sends(upstream)[0]!);
        const stream = streamRpc(response, request);
        stream.send({ task: whole('t', messageId, 'WORKING') });
        stream.send(statusJson('t', 'COMPLETED'));
        stream.end();
      },
    });
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    const { status, artifacts } = await bridge.ask('x');
    expect([status.state, artifacts.map(({ text }) => text)]).toEqual(['completed', ['made']]);
    expect(sends(upstream)).toHaveLength(1);
  });

  test('is not sent again where nobody knows of it', async () => {
    const upstream = await losing({
      ListTasks: (request, response) =>
        answerRpc(response, request, { tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 }),
    });
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    const [state, code, words] = failureOf(await bridge.ask('x'));
    expect([state, code]).toEqual(['failed', 'OUTCOME_UNKNOWN']);
    expect(words).toContain('(outcome: unknown)');
    expect(sends(upstream)).toHaveLength(1);
  });

  test.each<[string, Answer]>([
    ['what is no answer', (_request, response) => response.end('hello')],
    ['a gateway that gave up', (_request, response) => response.writeHead(504).end()],
  ])('is in doubt after %s', async (_name, answer) => {
    const upstream = await scriptedAgent({
      handle: (request, response) => {
        if (request.rpc === SEND) answer(request, response);
        else answerRpc(response, request, { tasks: [], nextPageToken: '' });
      },
    });
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    expect(failureOf(await bridge.ask('x')).slice(0, 2)).toEqual(['failed', 'OUTCOME_UNKNOWN']);
    expect(sends(upstream)).toHaveLength(1);
  });

  test('is sent again, under the same id, where its card or the operator says that it is done once', async () => {
    const uri = 'https://w3id.org/a2a-sdl/ext/idempotency/v1';
    const capabilities = { streaming: true, extensions: [{ uri }] };
    for (const [card, settings] of [
      [{ capabilities }, {}],
      [{}, { idempotent: true }],
    ]) {
      const upstream = await losing({ [SEND]: completing }, card);
      const bridge = await bridgeFor({
        upstreams: { behind: { url: upstream.origin, ...settings } },
      });
      expect((await bridge.ask('x')).status.state).toBe('completed');
      const [first, second, ...more] = sends(upstream).map((one) => messageIn(one).messageId);
      expect([second, more]).toEqual([first, []]);
    }
  });

  test('is sent again where it was turned away', async () => {
    let count = 0;
    const upstream = await scriptedAgent({
      handle: (request, response) => {
        if ((count += 1) <= 2) response.writeHead(count === 1 ? 503 : 429).end();
        else completing(request, response);
      },
    });
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    expect((await bridge.ask('x')).status.state).toBe('completed');
    expect(sends(upstream)).toHaveLength(3);
  });
});

describe('#bridge-doubt a reply whose answer is lost', () => {
  const asking = (isTaken: boolean): Promise<ScriptedAgent> => {
    let replies = 0;
    const history: Json[] = [];
    return scriptedAgent({
      handle: (request, response) => {
        const asked = {
          id: 't',
          contextId: 'context',
          status: {
            state: 'TASK_STATE_INPUT_REQUIRED',
            timestamp: '2026-01-01T00:00:00Z',
            message: { messageId: 'q', role: 'ROLE_AGENT', parts: [{ text: 'which?' }] },
          },
          history,
        };
        if (request.rpc === 'GetTask') return answerRpc(response, request, asked);
        const isReply = request.rpc === SEND && messageIn(request).taskId !== undefined;
        if (isReply && (replies += 1) === 1) {
          if (isTaken) history.push({ ...messageIn(request), role: 'ROLE_USER' });
          return response.destroy();
        }
        if (isReply || request.rpc === 'SubscribeToTask') return completing(request, response);
        const stream = streamRpc(response, request);
        stream.send({ task: asked });
        return stream.end();
      },
    });
  };

  test('is found in the history of its task', async () => {
    const upstream = await asking(true);
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    const asked = await bridge.ask('x');
    expect([asked.status.state, asked.status.message?.text]).toEqual(['input-required', 'which?']);
    const sent = await bridge.client.send({ message: message('this'), taskId: asked.id });
    expect('task' in sent && sent.task.status.state).toBe('completed');
    expect(sends(upstream)).toHaveLength(2);
  });

  test('is for the owner to give again, who is told of the doubt', async () => {
    const upstream = await asking(false);
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    const { id } = await bridge.ask('x');
    const again = await bridge.client.send({ message: message('this'), taskId: id });
    const status = 'task' in again ? again.task.status : undefined;
    expect(status?.state).toBe('input-required');
    expect(status?.message?.text).toContain('not known (outcome: unknown). It asked:\nwhich?');
    expect(sends(upstream)).toHaveLength(2);
    const sent = await bridge.client.send({ message: message('this'), taskId: id });
    expect('task' in sent && sent.task.status.state).toBe('completed');
  });
});
