// negotiation.v1: what an agent tells of itself, and what it never offers.

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { defaultCapabilities } from '../../src/envelope/capabilities.ts';
import { capHash, isCapHash } from '../../src/handlers/negotiation/cap-hash.ts';
import type { NegotiationOptions } from '../../src/handlers/negotiation/handler.ts';
import { createNegotiationHandler } from '../../src/handlers/negotiation/handler.ts';
import { ToolRegistry } from '../../src/handlers/tools/registry.ts';
import { createVersionPolicy } from '../../src/handlers/negotiation/version-policy.ts';
import { parse } from '../support/wire/bytes.ts';
import { EPOCH_MS, alice } from '../support/wire/envelopes.ts';
import { memberOf, payloadOf, requestContext } from '../support/agents/handler-context.ts';
import type { ContextParts } from '../support/agents/handler-context.ts';
import { makePeer } from '../support/trust/peers.ts';
import { rightsOf } from '../support/trust/rights.ts';

const own = defaultCapabilities({ tools: ['math.add', 'sys.ping', 'tool.list'] });
const asked = { need: { ct: ['task.v2'] }, have: {}, ask: ['downgrade_ct'], supported_ct: [] };

function negotiate(
  parts: ContextParts = {},
  options: Partial<NegotiationOptions> = {},
): Promise<JsonObject> {
  const { handle } = createNegotiationHandler({
    cap: () => own,
    contentTypes: () => ['task.v1', 'negotiation.v1'],
    tools: new ToolRegistry(),
    rights: rightsOf(parts.peer && [parts.peer]),
    implementation: { name: 'a2a-sdl', version: '1.2.3' },
    ...options,
  });
  return payloadOf(handle(asked, requestContext(parts)));
}

describe('#content-types negotiation.v1', () => {
  test('is answered with what v1 peers look for', async () => {
    expect(await negotiate()).toMatchObject({
      ask: [],
      supported_ct: ['negotiation.v1', 'task.v1'],
      available_tools: ['math.add', 'sys.ping', 'tool.list'],
      session_binding: { supported: false, content_type: 'session.v1', alg: 'ed25519' },
    });
    const sessions = await negotiate({}, { hasSessions: true });
    expect(memberOf(sessions, 'session_binding', 'supported')).toBe(true);
  });

  test('tells the versions of protocol, package and content types', async () => {
    const deprecated = {
      version: 1,
      after: '2025-01-01T00:00:00Z',
      sunset: '2027-01-01T00:00:00Z',
    };
    const versions = createVersionPolicy({
      contentTypes: { task: { deprecated } },
      now: () => EPOCH_MS,
    });
    expect(memberOf(await negotiate({}, { versions }), 'have', 'versions')).toEqual({
      protocol: { min: 1, max: 1 },
      package: { name: 'a2a-sdl', version: '1.2.3' },
      content_types: { task: { min: 1, max: 1, deprecated }, negotiation: { min: 1, max: 1 } },
    });
  });

  test('tells only the tools that the peer may call', async () => {
    const peer = makePeer(alice.agent_id, { tools: ['sys.ping'] });
    expect((await negotiate({ peer }))['available_tools']).toEqual(['sys.ping']);
    const allow = { ct: ['toolcall.v1'], tools: ['math.add'] };
    const granted = { allow, notAfterMs: EPOCH_MS };
    expect((await negotiate({ peer, granted }))['available_tools']).toEqual([
      'math.add',
      'sys.ping',
    ]);
    const mute = makePeer(alice.agent_id, { contentTypes: ['negotiation.v1'] });
    expect((await negotiate({ peer: mute }))['available_tools']).toEqual([]);
  });
});

describe('#sec-reply-strength negotiation', () => {
  test.each([
    ['sig', 'sig', 'sig'],
    ['none', 'sig', 'sig'],
    ['enc+sig', 'sig', 'enc+sig'],
    ['sig', 'enc', 'enc+sig'],
  ] as const)('in mode %s where %s is required asks for %s (W19)', async (mode, least, needed) => {
    const payload = await negotiate({ mode }, { minMode: () => least });
    expect(payload['need']).toEqual({ mode: needed });
  });

  test('asks for signatures by default', async () => {
    expect((await negotiate({ mode: 'none' }))['need']).toEqual({ mode: 'sig' });
  });
});

describe('#cap-hash the hash of both caps', () => {
  const cap: JsonObject = { a2a_sdl: { v: 1, sig: ['ed25519'] }, tools: [] };

  test('proves to the requester what both have said (W19)', async () => {
    const { cap_hash } = await negotiate({ cap });
    expect(isCapHash(cap_hash, cap, own)).toBe(true);
    const weakened: JsonObject = { a2a_sdl: { v: 1, sig: [] }, tools: [] };
    expect(isCapHash(cap_hash, weakened, own)).toBe(false);
    expect(isCapHash(cap_hash, cap, { ...own, tools: [] })).toBe(false);
    expect(isCapHash(undefined, cap, own)).toBe(false);
  });

  test('tells the two sides apart', () => {
    expect(capHash(cap, own)).not.toBe(capHash(own, cap));
  });

  test('does not depend on key bundles, which come and go', async () => {
    const withBundle = {
      ...cap,
      a2a_sdl: { v: 1, sig: ['ed25519'], bundle: { seq: 4 }, knows: 2 },
    };
    expect(capHash(withBundle, own)).toBe(capHash(cap, own));
    const answer = await negotiate({ cap }, { cap: () => withBundle });
    expect(memberOf(answer, 'have', 'a2a_sdl')).toEqual({ v: 1, sig: ['ed25519'] });
  });

  test('is the same before and after a signature over JCS merged the numbers', () => {
    const written = parse('{"limits":{"max_bytes":1048576.0}}') as JsonObject;
    expect(capHash(written, {})).toBe(capHash({ limits: { max_bytes: 1_048_576 } }, {}));
  });

  test('is fixed for all time', () => {
    expect(capHash({ a: 1 }, { b: 2 })).toBe(
      'sha256:18a11c2db8a6f97bf0df4b5278ba63a7eac56f18a17450ecf7eb9681575f1d8b',
    );
  });
});
