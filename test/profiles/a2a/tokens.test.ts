// Proves that no token which only looks like one of the issuer gets in, over any wire and binding, that its scopes count,
// and what happens while the keys of the issuer change or cannot be had.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { CallersOptions } from '../../../profiles/auth/index.ts';
import { createCallers } from '../../../profiles/auth/index.ts';
import type { TestAgent } from '../../support/a2a/agent.ts';
import { agentFor } from '../../support/a2a/agent.ts';
import type { Answer } from '../../support/a2a/ask.ts';
import { at } from '../../support/a2a/ask.ts';
import { CELLS } from '../../support/a2a/cells.ts';
import type { Issuer, Json } from '../../support/auth/issuer.ts';
import { jwkOf, makeKey, signToken, startIssuer } from '../../support/auth/issuer.ts';
import type { TokenParts } from '../../support/auth/wrong-tokens.ts';
import { WRONG_TOKENS, issuerKeys } from '../../support/auth/wrong-tokens.ts';

const AUDIENCE = 'https://agent.example';
const [key, second, encrypting] = [makeKey('k1'), makeKey('k2'), makeKey('k3')];
/** Stands still, but for where a test moves it. */
let now = Date.now();
let issuer: Issuer;
let trap: Issuer;
let parts: TokenParts;

beforeEach(async () => {
  now = Date.now();
  [issuer, trap] = [await startIssuer(), await startIssuer()];
  const nowS = Math.floor(now / 1_000);
  const claims = (members: Json = {}): Json => ({
    iss: issuer.url,
    aud: AUDIENCE,
    sub: 'alice',
    iat: nowS,
    exp: nowS + 300,
    ...members,
  });
  parts = { key, second, encrypting, claims, audience: AUDIENCE, nowS, trap: trap.jwksUrl };
  issuer.keys = issuerKeys(parts);
});
afterEach(() => Promise.all([issuer.stop(), trap.stop()]));

async function agentWith(options: Partial<CallersOptions> = {}): Promise<TestAgent> {
  const { url, jwksUrl } = issuer;
  const proof = { scheme: 'jwt', issuer: url, audience: AUDIENCE, jwksUrl } as const;
  const callers = createCallers({
    entries: [{ name: 'sso', proof }],
    now: () => now,
    attempts: { maxFailures: 10_000 },
    ...options,
  });
  return agentFor({ runtime: { callers } });
}

/** What is asked does not matter: nobody gets so far. */
const REFUSED = [
  'send',
  'stream',
  'get',
  'cancel',
  'subscribe',
  'getPush',
  'extendedCard',
] as const;

test.each(Object.keys(WRONG_TOKENS))(
  'a token %s is refused over every wire and binding, in the same words #callers-jwt #a2a-callers',
  async (name) => {
    const agent = await agentWith();
    for (const cell of CELLS) {
      const right = await cell.ask(agent, 'send', { as: signToken(key, parts.claims()) });
      expect(at(cell.taskOf(right), 'status.state')).toBe(cell.stateOf('completed'));
      for (const operation of REFUSED) {
        const wrong = await cell.ask(agent, operation, { id: 'x', as: WRONG_TOKENS[name]!(parts) });
        const nothing = await cell.ask(agent, operation, { id: 'x' });
        expect([cell.name, wrong.status, cell.reasonOf(wrong)]).toEqual([
          cell.name,
          401,
          'UNAUTHENTICATED',
        ]);
        expect(wrong.headers.get('www-authenticate')).toBe('Bearer realm="a2a"');
        expect(wrong.text).toBe(nothing.text);
      }
    }
    // No address that a token names was asked, and the issuer itself at most twice: for the first, and for a new id.
    expect(trap.asked()).toBe(0);
    expect(issuer.asked()).toBeLessThanOrEqual(2);
  },
);

test('a token that is larger than headers may be is no request #a2a-callers', async () => {
  const agent = await agentWith();
  const token = signToken(key, parts.claims({ more: 'x'.repeat(16_000) }));
  for (const cell of CELLS) {
    expect((await cell.ask(agent, 'send', { as: token })).status).toBe(431);
  }
});

describe('the scopes of a token #callers-scopes', () => {
  test('that do not allow it: 403, with what is missing told as such', async () => {
    const agent = await agentWith();
    const narrow = signToken(key, parts.claims({ scope: 'openid tool:sys.ping' }));
    for (const cell of CELLS) {
      for (const operation of ['send', 'stream', 'get', 'cancel', 'subscribe'] as const) {
        const response = await cell.fetch(agent, operation, { id: 'x', as: narrow });
        // In 0.3 what a subscription is refused with is told by a stream.
        if (response.headers.get('content-type') === 'text/event-stream') {
          expect(await response.text()).toContain('PERMISSION_DENIED');
          continue;
        }
        expect(response.status).toBe(403);
        expect(response.headers.get('www-authenticate')).toBe(
          'Bearer realm="a2a", error="insufficient_scope"',
        );
      }
    }
  });

  test('that allow it do, and each subject is an owner of its own', async () => {
    const agent = await agentWith();
    const [cell] = CELLS;
    const of = (sub: string): string =>
      signToken(key, parts.claims({ sub, scope: 'ct:task.v1 profile' }));
    const sent = await cell!.ask(agent, 'send', { text: 'ask', as: of('alice') });
    expect(at(cell!.taskOf(sent), 'status.state')).toBe('TASK_STATE_INPUT_REQUIRED');
    const list = async (sub: string): Promise<unknown> =>
      at(cell!.resultOf(await cell!.ask(agent, 'list', { as: of(sub) })), 'totalSize');
    expect([await list('alice'), await list('bob')]).toEqual([1, 0]);
  });
});

describe('the keys of an issuer #callers-jwt', () => {
  const [cell] = CELLS;
  const ask = (agent: TestAgent, token: string): Promise<Answer> =>
    cell!.ask(agent, 'list', { as: token });
  const statusOf = async (agent: TestAgent, token: string): Promise<number> =>
    (await ask(agent, token)).status;

  test('rotate while the agent runs, and ids that were made up do not make it ask without end', async () => {
    const agent = await agentWith();
    const claims = parts.claims();
    expect(await statusOf(agent, signToken(key, claims))).toBe(200);
    const next = makeKey('next');
    issuer.keys = [jwkOf(next)];
    for (let made = 0; made < 20; made += 1) {
      expect(await statusOf(agent, signToken(makeKey(`made-up-${made}`), claims))).toBe(401);
    }
    expect(issuer.asked()).toBe(1);
    now += 10_000;
    const later = parts.claims({ exp: Math.floor(now / 1_000) + 60 });
    const tokens = Array.from({ length: 10 }, () => signToken(next, later));
    const statuses = await Promise.all(tokens.map((token) => statusOf(agent, token)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(issuer.asked()).toBe(2);
    expect(await statusOf(agent, signToken(key, later))).toBe(401);
  });

  test('that cannot be had: 503 for later, and nobody else is kept out', async () => {
    issuer.isAway = true;
    const agent = await agentWith({ anonymous: ['a2a'] });
    for (const each of CELLS) {
      const answer = await each.ask(agent, 'send', { as: signToken(key, parts.claims()) });
      expect([answer.status, each.reasonOf(answer)]).toEqual([503, 'UNAVAILABLE']);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect((await each.ask(agent, 'send')).status).toBeLessThan(300);
    }
    expect(issuer.asked()).toBe(1);
    issuer.isAway = false;
    now += 10_000;
    const claims = parts.claims({ exp: Math.floor(now / 1_000) + 60 });
    expect(await statusOf(agent, signToken(key, claims))).toBe(200);
  });

  test('that were had before are used on for an hour', async () => {
    const agent = await agentWith();
    const token = (): string => signToken(key, parts.claims({ exp: Math.floor(now / 1_000) + 60 }));
    expect(await statusOf(agent, token())).toBe(200);
    issuer.isAway = true;
    now += 3_599_999;
    expect(await statusOf(agent, token())).toBe(200);
    now += 10_001;
    expect(await statusOf(agent, token())).toBe(503);
  });
});
