// Proves what the card of an agent says of sealing, in every form, that it is enough to seal to it, and what an agent that
// does not seal makes of it.

import { describe, expect, test } from 'vitest';

import { verifyCard } from '../../../../profiles/a2a/index.ts';
import {
  SEALED_EXTENSION,
  sealMessage,
  sealedPeerOf,
} from '../../../../profiles/a2a/sealed/index.ts';
import type { JsonObject } from '../../../../src/codec/index.ts';
import { NONCES } from '../../../../src/security/replay/entry.ts';
import { TaskError } from '../../../../src/tasks/error.ts';
import { createMemoryStore } from '../../../../src/stores/memory.ts';
import type { TestAgent } from '../../../support/a2a/agent.ts';
import type { Answer, Json } from '../../../support/a2a/ask.ts';
import { ask, at, textAt } from '../../../support/a2a/ask.ts';
import type { Cell } from '../../../support/a2a/cells.ts';
import { CELLS } from '../../../support/a2a/cells.ts';
import type { Shape } from '../../../support/a2a/sealed.ts';
import {
  SECRET,
  inForm,
  newSides,
  opened,
  saying,
  sealFor,
  sealedAgentFor,
} from '../../../support/sealed-face/user.ts';

const [cell] = CELLS as [Cell];

async function cardOf({ origin }: TestAgent, version: string): Promise<JsonObject> {
  const headers = { 'a2a-version': version };
  const { body } = await ask(`${origin}/.well-known/agent-card.json`, { headers });
  return body as unknown as JsonObject;
}

const extensionsIn = (card: JsonObject): readonly Json[] =>
  (at(card as unknown as Json, 'capabilities.extensions') ?? []) as readonly Json[];

describe('#sealed-card the card of an agent', () => {
  test.each(['1.0', '0.3'])('names what seals to it in version %s, signed', async (version) => {
    const side = await newSides();
    const agent = await sealedAgentFor(side);
    const card = await cardOf(agent, version);
    const [extension] = extensionsIn(card);
    expect(at(extension, 'uri')).toBe(SEALED_EXTENSION);
    expect(at(extension, 'required')).toBeUndefined();
    expect(at(extension, 'params.agentId')).toBe(side.identity.agentId);
    const { body } = await ask(`${agent.origin}/.well-known/jwks.json`);
    const verdict = await verifyCard(card, body as never);
    const peer = await sealedPeerOf(verdict);
    const request = await sealMessage(saying('hello'), { identity: side.user, to: peer! });
    const message = inForm('v1', request);
    const answer = await cell.ask(agent, 'send', { message, as: 'user' });
    expect((await opened(side, cell.taskOf(answer), request)).state).toBe('completed');
  });

  test('says so where nothing else is taken, and nothing where it is not known', async () => {
    const side = await newSides();
    const strict = await sealedAgentFor(side, { face: { sealed: 'require' } });
    expect(at(extensionsIn(await cardOf(strict, '1.0'))[0], 'required')).toBe(true);
    const plain = await sealedAgentFor(side, { face: { sealed: 'none' } });
    expect(extensionsIn(await cardOf(plain, '1.0'))).toEqual([]);
    const request = await sealFor(side, saying('hello'));
    const message = inForm('v1', request);
    const answer = await cell.ask(plain, 'send', { message, as: 'user' });
    expect(textAt(cell.taskOf(answer), 'artifacts.0.parts.0.data.a2aSdl.id')).not.toBe('');
    expect(answer.headers.get('a2a-extensions')).toBeNull();
  });
});

describe('#sealed-carrier what is kept of who brought a task', () => {
  test('goes with the task', async () => {
    const side = await newSides();
    const store = createMemoryStore();
    const agent = await sealedAgentFor(side, {
      runtime: { store, tasks: { maxTasksPerOwner: 1 } },
    });
    const ids: string[] = [];
    for (const words of ['one', 'two']) {
      const message = inForm('v1', await sealFor(side, saying(words)));
      const answer = await cell.ask(agent, 'send', { message, as: 'user' });
      ids.push(textAt(cell.taskOf(answer), 'id'));
    }
    const { entries } = await store.list('task-carrier');
    expect(entries).toHaveLength(1);
    const gone = await cell.ask(agent, 'get', { id: ids[0]!, as: 'user' });
    expect(cell.reasonOf(gone)).toBe('TASK_NOT_FOUND');
    const kept = await cell.ask(agent, 'get', { id: ids[1]!, as: 'user' });
    expect(kept.status).toBe(200);
  });
});

describe('#sealed-repeat a crash behind the start of the task', () => {
  test('is made good by the repeat: the same task, and it ran once', async () => {
    const side = await newSides();
    const store = createMemoryStore();
    let runs = 0;
    let isBroken = true;
    const put: typeof store.put = async (space, ...rest) => {
      // The nonce is claimed before the task begins, and its end is never written.
      const hasBegun = (await store.list('task')).entries.length > 0;
      if (isBroken && hasBegun && space === NONCES) throw new Error('the disk is gone');
      return store.put(space, ...rest);
    };
    const failing = new Proxy(store, {
      get: (target, name) => {
        if (name === 'put') return put;
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const runtime = {
      store: failing,
      timeouts: { joinMs: 0 },
      onTask: async () => {
        runs += 1;
        return 'done';
      },
    };
    const agent = await sealedAgentFor(side, { runtime });
    const request = await sealFor(side, saying('hello'));
    const message = inForm('v1', request);
    const lost = await cell.ask(agent, 'send', { message, as: 'user' });
    expect(cell.reasonOf(lost)).toBe('INTERNAL_ERROR');
    isBroken = false;
    await agent.runtime.close({ graceMs: 0 });
    const again = await sealedAgentFor(side, { runtime });
    const answer = await cell.ask(again, 'send', { message, as: 'user' });
    expect((await opened(side, cell.taskOf(answer), request)).state).toBe('completed');
    expect(runs).toBe(1);
  });
});

describe('#a2a-options what an operator chose counts for what is sealed', () => {
  test('media types of parts, and ids of contexts', async () => {
    const side = await newSides();
    const agent = await sealedAgentFor(side, {
      face: { inputModes: ['text/plain'], contextIds: 'refuse' },
    });
    const send = async (message: Shape): Promise<Answer> =>
      cell.ask(agent, 'send', { message: inForm('v1', message), as: 'user' });
    const image = { ...saying('x'), parts: [{ raw: 'AAAA', mediaType: 'image/png' }] };
    const refused = await sealFor(side, image);
    expect(cell.reasonOf(await send(refused))).toBe('CONTENT_TYPE_NOT_SUPPORTED');
    const request = await sealFor(side, saying('hello'));
    const made = await send({ ...request, contextId: 'made-up' });
    expect(cell.reasonOf(made)).toBe('INVALID_PARAMS');
    // What was refused has not used up its envelope.
    expect((await opened(side, cell.taskOf(await send(request)), request)).state).toBe('completed');
  });
});

describe('#sealed-end an agent that answers before a task begins', () => {
  test.each(['send', 'stream'] as const)(
    '%s: a message, and the same for a repeat',
    async (operation) => {
      const side = await newSides();
      let asked = 0;
      const accepts = (): string => `${SECRET} ${(asked += 1)}`;
      const agent = await sealedAgentFor(side, { runtime: { accepts } });
      const request = await sealFor(side, saying('hello'));
      const wish = { message: inForm('v1', request), as: 'user' };
      for (let time = 0; time < 2; time += 1) {
        const { text } = await cell.ask(agent, operation, wish);
        expect(text).not.toContain(SECRET);
        const data = JSON.parse(text.replace(/^data: /, '')) as Json;
        const answer = await opened(side, at(data, 'result.message'), request);
        expect(JSON.stringify(answer.messages)).toContain(`${SECRET} 1`);
        expect(answer.isFinal).toBe(true);
      }
    },
  );
});

describe('#sealed-refused an agent that does not take a task', () => {
  test('says so to who carries it, and not why', async () => {
    const side = await newSides();
    const accepts = (): never => {
      throw new TaskError(`because of ${SECRET}`, { code: 'NO' });
    };
    const agent = await sealedAgentFor(side, { runtime: { accepts } });
    const plain = await cell.ask(agent, 'send', { text: 'hello', as: 'user' });
    expect(plain.text).toContain(SECRET);
    const message = inForm('v1', await sealFor(side, saying('hello')));
    const refused = await cell.ask(agent, 'send', { message, as: 'user' });
    expect(cell.reasonOf(refused)).toBe(cell.reasonOf(plain));
    expect(refused.text).not.toContain(SECRET);
  });
});
