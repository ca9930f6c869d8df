// Proves what an agent refuses of those who stand between: every envelope that does not hold, in the same words, and plain
// messages of whom has to seal. What was wrong is in the audit log alone.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { sealMessage } from '../../../../profiles/a2a/sealed/index.ts';
import type { CallerEntry } from '../../../../profiles/auth/index.ts';
import { createCallers } from '../../../../profiles/auth/index.ts';
import { createIdentity } from '../../../../src/security/identity/identity.ts';
import { createMemoryStore } from '../../../../src/stores/memory.ts';
import type { TestAgent } from '../../../support/a2a/agent.ts';
import { ENTRIES, openAgent } from '../../../support/a2a/agent.ts';
import type { Answer, Json } from '../../../support/a2a/ask.ts';
import { at, textAt } from '../../../support/a2a/ask.ts';
import type { Cell } from '../../../support/a2a/cells.ts';
import { CELLS } from '../../../support/a2a/cells.ts';
import type { Shape } from '../../../support/a2a/sealed.ts';
import type { SealedSide } from '../../../support/sealed-face/user.ts';
import {
  entryOf,
  formOf,
  inForm,
  knowing,
  newSides,
  opened,
  saying,
  sealFor,
  sealedAgentFor,
  textIn,
} from '../../../support/sealed-face/user.ts';

const [cell] = CELLS as [Cell];
let side: SealedSide;
let agent: TestAgent;
beforeAll(async () => {
  side = await newSides();
  agent = await openAgent(knowing(side));
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

function send(message: Shape, as = 'user', to = agent, id?: string): Promise<Answer> {
  return cell.ask(to, 'send', { message: inForm('v1', message, id), as });
}

function envelopeOf(message: Shape): Shape {
  const [part] = message['parts'] as Shape[];
  return (part!['data'] as Shape)['a2aSdl'] as Shape;
}

/** The same message with another envelope in it. */
function withEnvelope(message: Shape, change: (envelope: Shape) => Shape): Shape {
  const [part] = message['parts'] as Shape[];
  const a2aSdl = change(structuredClone(envelopeOf(message)));
  return { ...message, parts: [{ ...part, data: { a2aSdl } }] };
}

const REJECTED = {
  code: -32_602,
  message: 'the envelope is not accepted',
  data: [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'SDL_ENVELOPE_REJECTED',
      domain: 'a2a-sdl',
    },
  ],
};

describe('#sealed-refused what does not hold', () => {
  const other = async (): Promise<Shape> =>
    sealMessage(saying('hello'), { identity: side.user, to: await createIdentity() });
  const unknown = (): Promise<Shape> =>
    sealMessage(saying('hello'), { identity: side.stranger, to: side.identity });
  const ours = (): Promise<Shape> => sealFor(side, saying('hello'));
  const CASES: Readonly<Record<string, () => Promise<Shape>>> = {
    'for somebody else': other,
    'of somebody who is not known': unknown,
    'with another signature': async () =>
      withEnvelope(await ours(), (envelope) => {
        const sec = envelope['sec'] as Shape;
        const sig = { ...(sec['sig'] as Shape), value: 'A'.repeat(86) };
        return { ...envelope, sec: { ...sec, sig } };
      }),
    'with a member changed': async () =>
      withEnvelope(await ours(), (envelope) => ({ ...envelope, ts: '2026-01-01T00:00:00.000Z' })),
    'with a key that nobody has': async () =>
      withEnvelope(await ours(), (envelope) => ({
        ...envelope,
        sec: { ...(envelope['sec'] as Shape), kid: 'nobody' },
      })),
    'that is no envelope': async () => withEnvelope(await ours(), () => ({ v: 1 })),
    'that is empty': async () => withEnvelope(await ours(), () => ({})),
    'with something beside it': async () => {
      const message = await ours();
      return { ...message, parts: [...(message['parts'] as Shape[]), { text: 'and this' }] };
    },
    'with a second one beside it': async () => {
      const [one, two] = [await ours(), await ours()];
      return { ...one, parts: [...(one['parts'] as Shape[]), ...(two['parts'] as Shape[])] };
    },
    'whose words in clear were changed': async () => ({
      ...(await sealFor(side, saying('hello'), 'detached')),
      parts: [{ text: 'good-bye' }],
    }),
    'without signature': async () =>
      withEnvelope(await ours(), (envelope) => ({
        ...envelope,
        sec: { ...(envelope['sec'] as Shape), mode: 'enc' },
      })),
  };

  test.each(Object.keys(CASES))('an envelope %s, in the same words', async (name) => {
    const answer = await send(await CASES[name]!());
    expect(answer.status).toBe(200);
    expect(at(answer.body, 'error')).toEqual(REJECTED);
  });

  test.each(CELLS)('in the form of $name', async (one) => {
    const message = inForm(formOf(one), await unknown());
    for (const operation of ['send', 'stream'] as const) {
      const answer = await one.ask(agent, operation, { message, as: 'user' });
      if (answer.type === 'text/event-stream') {
        expect(answer.text).toContain('SDL_ENVELOPE_REJECTED');
        continue;
      }
      expect(one.reasonOf(answer)).toBe('SDL_ENVELOPE_REJECTED');
      expect(answer.status).toBe(one.binding === 'jsonrpc' ? 200 : 400);
    }
  });

  test('a content type that is not taken is told, with those that are', async () => {
    const message = withEnvelope(await ours(), (envelope) => ({ ...envelope, ct: 'task.v1' }));
    const answer = await send(message);
    expect(at(answer.body, 'error.code')).toBe(-32_005);
    expect(textAt(answer.body, 'error.message')).toContain('a2a.message.v1, a2a.digest.v1');
  });

  test('what was wrong is in the outcomes and the audit log alone', async () => {
    const outcomes: string[] = [];
    const loud = await sealedAgentFor(side, {
      runtime: {
        audit: true,
        on: { outcome: ({ error }) => void (error && outcomes.push(error.code)) },
      },
    });
    await send(await unknown(), 'user', loud);
    expect(outcomes).toEqual(['SENDER_REFUSED']);
  });
});

describe('#sealed-repeat an envelope that comes again', () => {
  test('from the same caller gets the same task, whatever became of it', async () => {
    const request = await sealFor(side, saying('hello'));
    const [one, two] = await Promise.all([send(request), send(request)]);
    const three = await send(request);
    const ids = [one, two, three].map((answer) => textAt(cell.taskOf(answer), 'id'));
    expect(new Set(ids).size).toBe(1);
    expect((await opened(side, cell.taskOf(three), request)).state).toBe('completed');
  });

  test('from somebody else is refused, and it gets nothing by its id', async () => {
    const request = await sealFor(side, saying('hello'));
    const id = textAt(cell.taskOf(await send(request)), 'id');
    expect(at((await send(request, 'other')).body, 'error')).toEqual(REJECTED);
    const got = await cell.ask(agent, 'get', { id, as: 'other' });
    expect(cell.reasonOf(got)).toBe('TASK_NOT_FOUND');
  });

  test('to another task is refused', async () => {
    const asking = await sealFor(side, saying('ask'));
    const another = await sealFor(side, saying('ask'));
    const [id, otherId] = [
      textAt(cell.taskOf(await send(asking)), 'id'),
      textAt(cell.taskOf(await send(another)), 'id'),
    ];
    const reply = await sealFor(side, saying('red'));
    const ended = await send(reply, 'user', agent, id);
    expect(textIn((await opened(side, cell.taskOf(ended), [asking, reply])).artifacts)).toContain(
      'told red',
    );
    const swapped = await send(reply, 'user', agent, otherId);
    expect(at(swapped.body, 'error')).toEqual(REJECTED);
    const same = await send(reply, 'user', agent, id);
    expect(textAt(cell.taskOf(same), 'status.state')).toBe('TASK_STATE_COMPLETED');
    const history = at(cell.taskOf(same), 'history') as readonly Json[];
    expect(history.filter((message) => at(message, 'role') === 'ROLE_USER')).toHaveLength(2);
  });
});

/** The caller is the agent that seals. */
function linkedEntries(): CallerEntry[] {
  const [user, ...others] = ENTRIES;
  return [{ ...user!, peer: side.user.agentId }, ...others];
}

describe('#sealed-required who has to seal', () => {
  async function linked(policy?: 'none' | 'prefer' | 'require'): Promise<TestAgent> {
    const more = policy === undefined ? {} : { sealed: policy };
    return sealedAgentFor(side, {
      runtime: {
        peers: [entryOf(side.user, more)],
        callers: createCallers({ entries: linkedEntries(), anonymous: [] }),
      },
    });
  }
  const plain = (to: TestAgent, as = 'user', id?: string): Promise<Answer> =>
    cell.ask(to, 'send', { text: 'hello', as, ...(id !== undefined && { id }) });
  const reason = (answer: Answer): string => cell.reasonOf(answer);

  test('what is said to a sealed task has to be sealed, by the same agent', async () => {
    const asking = await sealFor(side, saying('ask'));
    const id = textAt(cell.taskOf(await send(asking)), 'id');
    expect(at((await plain(agent, 'user', id)).body, 'error.code')).toBe(-32_008);
    expect(reason(await plain(agent, 'other', id))).toBe('TASK_NOT_FOUND');
    const both = { ...side, user: await createIdentity() };
    const second = await sealedAgentFor(side, {
      runtime: { peers: [entryOf(side.user), entryOf(both.user)] },
    });
    const asked = await sealFor(side, saying('ask'));
    const taskId = textAt(cell.taskOf(await send(asked, 'user', second)), 'id');
    const foreign = await send(await sealFor(both, saying('red')), 'user', second, taskId);
    expect(reason(foreign)).toBe('TASK_NOT_FOUND');
    const got = cell.resultOf(await cell.ask(second, 'get', { id: taskId, as: 'user' }));
    expect(at(got, 'status.state')).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  test.each(CELLS)('an agent that requires it of everybody: $name', async (one) => {
    const strict = await sealedAgentFor(side, { face: { sealed: 'require' } });
    const refused = await one.ask(strict, 'send', { text: 'hello', as: 'user' });
    expect(one.reasonOf(refused)).toBe('EXTENSION_SUPPORT_REQUIRED');
    // A header proves nothing.
    const headers = { 'a2a-extensions': 'https://w3id.org/a2a-sdl/ext/envelope/v1' };
    const claimed = await one.ask(strict, 'send', { text: 'hello', as: 'user', headers });
    expect(one.reasonOf(claimed)).toBe('EXTENSION_SUPPORT_REQUIRED');
    const request = await sealFor(side, saying('hello'));
    const message = inForm(formOf(one), request);
    const answer = await one.ask(strict, 'send', { message, as: 'user' });
    expect((await opened(side, one.taskOf(answer), request)).state).toBe('completed');
  });

  test('a peer of which the book requires it', async () => {
    const strict = await linked('require');
    expect(reason(await plain(strict))).toBe('EXTENSION_SUPPORT_REQUIRED');
    expect(textAt(cell.taskOf(await plain(strict, 'other')), 'status.state')).toBe(
      'TASK_STATE_COMPLETED',
    );
  });

  test('a peer that has sealed once, also after a restart; one that need not, never', async () => {
    const store = createMemoryStore();
    const start = (policy: 'none' | 'prefer'): Promise<TestAgent> =>
      sealedAgentFor(side, {
        runtime: {
          store,
          peers: [entryOf(side.user, { sealed: policy })],
          callers: createCallers({ entries: linkedEntries(), anonymous: [] }),
        },
      });
    const first = await start('prefer');
    expect(textAt(cell.taskOf(await plain(first)), 'id')).not.toBe('');
    await send(await sealFor(side, saying('hello')), 'user', first);
    expect(reason(await plain(first))).toBe('EXTENSION_SUPPORT_REQUIRED');
    await first.runtime.close({ graceMs: 0 });
    const second = await start('prefer');
    expect(reason(await plain(second))).toBe('EXTENSION_SUPPORT_REQUIRED');
    await second.runtime.close({ graceMs: 0 });
    const third = await start('none');
    expect(textAt(cell.taskOf(await plain(third)), 'id')).not.toBe('');
  });

  test('a caller that is the agent sees its sealed tasks, sealed, also in lists', async () => {
    const own = await linked();
    const request = await sealFor(side, saying('ask'));
    const id = textAt(cell.taskOf(await send(request, 'other', own)), 'id');
    const got = await cell.ask(own, 'get', { id, as: 'user' });
    expect((await opened(side, cell.resultOf(got), request)).state).toBe('input-required');
    const short = await cell.ask(own, 'list', { as: 'user' });
    const long = await cell.ask(own, 'list', { as: 'user', filter: { historyLength: 10 } });
    expect(short.text).toContain(id);
    expect(long.text).toContain(id);
    expect(got.text + short.text + long.text).not.toContain('which?');
    expect(reason(await plain(own, 'user', id))).toBe('EXTENSION_SUPPORT_REQUIRED');
  });
});
