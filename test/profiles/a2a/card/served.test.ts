// Cards over real HTTP: which form answers whom, what caches are told, and when a card changes.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { ExtendedCard } from '../../../../profiles/a2a/card/cards.ts';
import type { CardCapabilities, CardOptions } from '../../../../profiles/a2a/card/options.ts';
import { createIdentity, rotateIdentity } from '../../../../src/security/index.ts';
import type { Authenticated } from '../../../../src/transport.ts';
import type { CardAgent } from '../../../support/a2a/card-face.ts';
import { CARD_PATH, FULL, KEYS_PATH, startCardAgent } from '../../../support/a2a/card-face.ts';

const identity = await createIdentity();
let nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

describe('#a2a-card-served which form', () => {
  let agent: CardAgent;
  let strict: CardAgent;
  beforeAll(async () => {
    agent = await startCardAgent({ form: 'superset' }, identity);
    strict = await startCardAgent({ form: 'strict' }, identity);
  });
  afterAll(async () => void (await Promise.all([agent.close(), strict.close()])));

  const formOf = async (from: CardAgent, path: string, version?: string): Promise<string> => {
    const card = await from.json(path, version === undefined ? {} : { 'A2A-Version': version });
    return 'protocolVersion' in card ? 'superset' : 'strict';
  };

  test.each([
    ['1.0', 'strict', 'strict'],
    ['1.0.1', 'strict', 'strict'],
    ['0.3', 'superset', 'superset'],
    ['0.3.0', 'superset', 'superset'],
    ['', 'superset', 'strict'],
    [undefined, 'superset', 'strict'],
  ])('A2A-Version %s', async (version, ofSuperset, ofStrict) => {
    for (const path of [CARD_PATH, '/.well-known/agent.json']) {
      expect(await formOf(agent, path, version)).toBe(ofSuperset);
      expect(await formOf(strict, path, version)).toBe(ofStrict);
    }
  });

  test('the version may be in the query; the header goes before it', async () => {
    expect(await formOf(agent, `${CARD_PATH}?A2A-Version=1.0`)).toBe('strict');
    expect(await formOf(agent, `${CARD_PATH}?A2A-Version=1.0`, '0.3')).toBe('superset');
  });

  test.each(['99.0', '1.1', '1.0.x', '0.30', 'latest'])(
    'another version is refused by the wire: %s',
    async (version) => {
      const answer = await agent.get(CARD_PATH, { 'A2A-Version': version });
      expect([answer.status, await answer.text()]).toEqual([400, `no ${version} here`]);
    },
  );

  test('both addresses give the same bytes', async () => {
    const [one, other] = await Promise.all(
      [CARD_PATH, '/.well-known/agent.json'].map(async (path) => (await agent.get(path)).text()),
    );
    expect(one).toBe(other);
  });

  test('only GET and HEAD', async () => {
    for (const path of [CARD_PATH, KEYS_PATH]) {
      expect((await agent.get(path, {}, 'POST')).status).toBe(405);
      const head = await agent.get(path, {}, 'HEAD');
      const get = await agent.get(path);
      expect([head.status, await head.text()]).toEqual([200, '']);
      const names = ['etag', 'last-modified', 'cache-control', 'vary', 'content-type'];
      expect(names.map((name) => head.headers.get(name))).toEqual(
        names.map((name) => get.headers.get(name)),
      );
    }
    expect((await agent.get('/.well-known/other.json')).status).toBe(404);
  });
});

describe('#a2a-card-served what caches are told', () => {
  let agent: CardAgent;
  beforeAll(async () => void (agent = await startCardAgent({ now: () => nowMs }, identity)));
  afterAll(() => agent.close());

  test('tag, time, age and what the answer depends on', async () => {
    const { headers } = await agent.get(CARD_PATH);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('etag')).toMatch(/^"[\w-]{43}"$/);
    expect(headers.get('last-modified')).toBe('Fri, 02 Jan 2026 03:04:05 GMT');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('vary')).toContain('A2A-Version');
  });

  test('each form has a tag of its own', async () => {
    const tags = await Promise.all(
      ['1.0', '0.3'].map(async (version) =>
        (await agent.get(CARD_PATH, { 'A2A-Version': version })).headers.get('etag'),
      ),
    );
    expect(new Set(tags).size).toBe(2);
  });

  test.each(['card', 'keys'])('304 for who has it already: %s', async (what) => {
    const path = what === 'card' ? CARD_PATH : KEYS_PATH;
    const { headers } = await agent.get(path);
    const etag = headers.get('etag')!;
    const since = headers.get('last-modified')!;
    const early = 'Fri, 02 Jan 2026 03:04:04 GMT';
    const cases: [Record<string, string>, number][] = [
      [{ 'if-none-match': etag }, 304],
      [{ 'if-none-match': `W/${etag}` }, 304],
      [{ 'if-none-match': `"other", ${etag}` }, 304],
      [{ 'if-none-match': '*' }, 304],
      [{ 'if-none-match': '"other"' }, 200],
      [{ 'if-modified-since': since }, 304],
      [{ 'if-modified-since': early }, 200],
      [{ 'if-modified-since': 'yesterday' }, 200],
      [{ 'if-none-match': '"other"', 'if-modified-since': since }, 200],
      [{ 'if-none-match': etag, 'if-modified-since': early }, 304],
    ];
    for (const [asked, status] of cases) {
      const answer = await agent.get(path, asked);
      expect([asked, answer.status]).toEqual([asked, status]);
      expect((await answer.text()) === '').toBe(status === 304);
      expect(answer.headers.get('etag')).toBe(etag);
    }
  });
});

describe('#a2a-card-served a card that changes', () => {
  test('has the same tag and time while it says the same, and others as soon as it does not', async () => {
    let interfaces = FULL.interfaces as Exclude<CardOptions['interfaces'], () => unknown>;
    const agent = await startCardAgent(
      { now: () => nowMs, interfaces: () => interfaces },
      identity,
    );
    const ask = async (): Promise<(string | null)[]> => {
      const { headers } = await agent.get(CARD_PATH);
      return [headers.get('etag'), headers.get('last-modified')];
    };
    const first = await ask();
    nowMs += 60_000;
    expect(await ask()).toEqual(first);
    interfaces = interfaces.filter(({ binding }) => binding !== 'GRPC');
    const second = await ask();
    expect(second[0]).not.toBe(first[0]);
    expect(second[1]).toBe('Fri, 02 Jan 2026 03:05:05 GMT');
    // Twice within one second: who has the second one must not be told that it is the third.
    interfaces = interfaces.filter(({ binding }) => binding !== 'JSONRPC');
    const third = await ask();
    expect(third[0]).not.toBe(second[0]);
    expect(third[1]).toBe('Fri, 02 Jan 2026 03:05:06 GMT');
    await agent.close();
  });

  test('is signed again when the keys change, and the old key stays while it is valid', async () => {
    let own = identity;
    const agent = await startCardAgent({}, () => own);
    const kidOf = async (): Promise<unknown> => {
      const { signatures } = await agent.json<{ signatures: { protected: string }[] }>(CARD_PATH);
      const kids = signatures.map((signature) => {
        const header: unknown = JSON.parse(
          Buffer.from(signature.protected, 'base64url').toString('utf8'),
        );
        return (header as { kid: string }).kid;
      });
      expect(new Set(kids).size).toBe(1);
      return kids[0];
    };
    const keysOf = async (): Promise<unknown[]> =>
      (await agent.json<{ keys: { kid: string }[] }>(KEYS_PATH)).keys.map(({ kid }) => kid);
    const before = await kidOf();
    expect(await keysOf()).toEqual([before]);
    own = await rotateIdentity(identity);
    const after = await kidOf();
    expect(after).not.toBe(before);
    expect(await keysOf()).toEqual([after, before]);
    await agent.close();
  });

  test('keys are public ones, for signatures', async () => {
    const agent = await startCardAgent({}, identity);
    const { keys } = await agent.json<{ keys: object[] }>(KEYS_PATH);
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([
      ['alg', 'crv', 'kid', 'kty', 'use', 'x'],
    ]);
    expect(keys[0]).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' });
    await agent.close();
  });

  test('what no card can have is found when the agent starts', async () => {
    const skills = [{ id: '', name: 'x', description: 'x', tags: ['x'] }];
    await expect(startCardAgent({ skills }, identity)).rejects.toThrow('"skills[0].id"');
  });
});

describe('#a2a-card-extended the extended card', () => {
  const caller = (id: string): Authenticated => ({
    principal: { id: `~bearer:${id}`, tenant: '', scheme: 'bearer', caller: id },
  });
  const capabilities = (extendedAgentCard: boolean): CardCapabilities => ({
    ...FULL.capabilities,
    extendedAgentCard,
  });
  const extended: CardOptions['extended'] = ({ principal }) => {
    if (principal.caller === 'weak') return 'forbidden';
    if (principal.caller === 'forgotten') return undefined;
    return { description: `For ${principal.caller}.`, skills: [...FULL.skills!, SECRET] };
  };
  const SECRET = { id: 'secret', name: 'Secret', description: 'Not for all.', tags: ['secret'] };

  test('tells who may have it, who may not, and where there is none', async () => {
    const agent = await startCardAgent({ extended, capabilities: capabilities(true) }, identity);
    const of = async (who: string | undefined): Promise<ExtendedCard['kind']> =>
      (await agent.cards.extended(who === undefined ? who : caller(who))).kind;
    expect(await of('user')).toBe('card');
    expect(await of('weak')).toBe('forbidden');
    expect(await of('forgotten')).toBe('notConfigured');
    expect(await of(undefined)).toBe('unauthenticated');
    await agent.close();

    const without = await startCardAgent({ capabilities: capabilities(true) }, identity);
    expect(await without.cards.extended(caller('user'), 'strict')).toEqual({
      kind: 'notConfigured',
    });
    expect(await without.cards.extended(undefined)).toEqual({ kind: 'unauthenticated' });
    await without.close();

    const off = await startCardAgent({ extended, capabilities: capabilities(false) }, identity);
    for (const who of [caller('user'), undefined]) {
      expect(await off.cards.extended(who, 'strict')).toEqual({ kind: 'unsupported' });
    }
    await off.close();
  });

  test('says more to its caller, in both forms, and nothing of it is in the public card', async () => {
    const agent = await startCardAgent({ extended, capabilities: capabilities(true) }, identity);
    for (const form of ['strict', 'superset'] as const) {
      const got = await agent.cards.extended(caller('user'), form);
      const card = got.kind === 'card' ? got.card : {};
      expect(card).toMatchObject({ name: 'agent', description: 'For user.', version: '2.3.4' });
      expect(card['skills']).toHaveLength(3);
      expect('protocolVersion' in card).toBe(form === 'superset');
      expect(card['signatures']).not.toEqual((await agent.cards.document(form))['signatures']);
    }
    expect(await (await agent.get(CARD_PATH)).text()).not.toContain('secret');
    await agent.close();
  });
});
