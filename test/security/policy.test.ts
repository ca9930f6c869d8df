// What a receiver accepts: messages for it, in a mode that is strong enough, from those who may; and replies that match.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import type { Envelope, SecurityMode } from '../../src/envelope/types.ts';
import { authorize } from '../../src/security/policy/authorize.ts';
import { didKeyFromPublicKey } from '../../src/security/identity/did-key.ts';
import type { GrantScope } from '../../src/security/policy/grant-shape.ts';
import { SECURITY_MODES, isAtLeast, joinModes } from '../../src/security/message/mode.ts';
import type { PolicyOptions } from '../../src/security/policy/options.ts';
import type { Policy } from '../../src/security/policy/policy.ts';
import { createPolicy } from '../../src/security/policy/policy.ts';
import { COMPAT_SWITCHES } from '../../src/security/policy/switches.ts';
import { codeOf, errorOf } from '../support/wire/bytes.ts';
import { taskPayload } from '../support/wire/envelopes.ts';
import { makePeer, messageFrom } from '../support/trust/peers.ts';

const crypto = chooseProvider('noble');
const NOW = Date.UTC(2026, 0, 10);
const ME = 'did:key:bob'; // to whom the support's messages are written
const DID = didKeyFromPublicKey(crypto.ed25519PublicKey(new Uint8Array(32).fill(1)));
const peer = makePeer('alice');

const policyOf = (options: Partial<PolicyOptions> = {}): Policy =>
  createPolicy({ agentIds: [ME], ...options });

describe('#checks (address) W5 a message', () => {
  const to = (agentId: string): Envelope => {
    const message = messageFrom({});
    return { ...message, to: { ...message.to, agent_id: agentId } };
  };

  test('is taken when it is for this agent or one of its aliases', () => {
    const policy = policyOf({ agentIds: [ME, 'second'], aliases: ['old-name'] });
    for (const id of [ME, 'second', 'old-name']) {
      expect(codeOf(() => policy.checkAddress(to(id)))).toBeUndefined();
    }
  });

  test.each(['did:key:carol', `${ME} `, 'DID:KEY:BOB', '*'])('for "%s" is refused', (id) => {
    const error = errorOf(() => policyOf({ aliases: ['old-name'] }).checkAddress(to(id)));
    expect(error?.code).toBe('ADDRESS_WRONG');
    expect(error?.message).not.toContain(id);
  });
});

describe('#checks (policy) the strength of modes', () => {
  test.each<[SecurityMode, SecurityMode[]]>([
    ['none', ['none']],
    ['sig', ['none', 'sig']],
    ['enc', ['none', 'enc']],
    ['enc+sig', ['none', 'sig', 'enc', 'enc+sig']],
  ])('%s is at least %j', (mode, weaker) => {
    expect(SECURITY_MODES.filter((other) => isAtLeast(mode, other))).toEqual(weaker);
  });

  test('what several ask for together is at least each, and no more', () => {
    const mode = fc.constantFrom(...SECURITY_MODES);
    fc.assert(
      fc.property(mode, mode, mode, (one, other, any) => {
        const joined = joinModes(one, other);
        expect(isAtLeast(any, joined)).toBe(isAtLeast(any, one) && isAtLeast(any, other));
      }),
    );
  });
});

describe('#checks (policy) the mode of a request', () => {
  const accepted = (policy: Policy, from = peer, latched: SecurityMode = 'none'): SecurityMode[] =>
    SECURITY_MODES.filter((mode) => {
      const code = codeOf(() => policy.checkMode(messageFrom({ mode }), from, latched));
      if (code !== undefined) expect(code).toBe('MODE_REFUSED');
      return code === undefined;
    });

  test('is by default one with a signature', () => {
    expect(accepted(policyOf())).toEqual(['sig', 'enc+sig']);
  });

  test('is none where there is no security block', () => {
    const { sec: _, ...bare } = messageFrom({});
    expect(codeOf(() => policyOf().checkMode(bare, peer, 'none'))).toBe('MODE_REFUSED');
  });

  test('is at least what the policy asks for', () => {
    expect(accepted(policyOf({ minMode: 'enc+sig' }))).toEqual(['enc+sig']);
    expect(accepted(policyOf({ minMode: 'enc' }))).toEqual(['enc+sig']);
  });

  test('is at least what the content type asks for, whatever the peer', () => {
    const policy = policyOf({ minModeByContentType: { 'task.v1': 'enc' } });
    expect(accepted(policy)).toEqual(['enc+sig']);
    expect(accepted(policy, makePeer('alice', { minMode: 'sig' }))).toEqual(['enc+sig']);
    const other = policyOf({ minModeByContentType: { 'state.v1': 'enc' } });
    expect(accepted(other)).toEqual(['sig', 'enc+sig']);
    const unsigned = policyOf({ minModeByContentType: { 'task.v1': 'sig' }, profile: 'compat' });
    expect(accepted(unsigned)).toEqual(['sig', 'enc+sig']);
  });

  test('is at least what the entry of the peer asks for, be that more or less than the policy', () => {
    const strict = makePeer('alice', { minMode: 'enc+sig' });
    expect(accepted(policyOf(), strict)).toEqual(['enc+sig']);
    const loose = makePeer('alice', { minMode: 'sig' });
    expect(accepted(policyOf({ minMode: 'enc+sig' }), loose)).toEqual(['sig', 'enc+sig']);
  });

  test('W16 is unsigned only with the switch, not by a low minimum alone', () => {
    for (const minMode of ['none', 'enc'] as const) {
      const low = makePeer('alice', { minMode });
      expect(accepted(policyOf({ minMode }), low)).not.toContain('enc');
      expect(accepted(policyOf({ minMode }), low)).not.toContain('none');
    }
    const opened = makePeer('alice', { switches: ['unsigned-requests'] });
    expect(accepted(policyOf(), opened)).toEqual(SECURITY_MODES);
    expect(accepted(policyOf({ switches: ['unsigned-requests'] }))).toEqual(SECURITY_MODES);
    const encrypted = policyOf({ minMode: 'enc+sig' });
    expect(accepted(encrypted, opened)).toEqual(['enc', 'enc+sig']);
    const pinned = makePeer('alice', { minMode: 'sig', switches: ['unsigned-requests'] });
    expect(accepted(policyOf(), pinned)).toEqual(['sig', 'enc+sig']);
  });

  test('W3 is signed for a did:key agent even where the profile opens the rest', () => {
    const compat = policyOf({ profile: 'compat' });
    expect(accepted(compat, makePeer(DID))).toEqual(['sig', 'enc+sig']);
    const opened = makePeer(DID, { switches: ['unsigned-requests'] });
    expect(accepted(compat, opened)).toEqual(SECURITY_MODES);
  });

  test('W19 does not fall behind what the peer has proven', () => {
    const opened = makePeer('alice', { minMode: 'none', switches: ['unsigned-requests'] });
    expect(accepted(policyOf(), opened, 'none')).toEqual(SECURITY_MODES);
    expect(accepted(policyOf(), opened, 'sig')).toEqual(['sig', 'enc+sig']);
    expect(accepted(policyOf(), opened, 'enc+sig')).toEqual(['enc+sig']);
  });
});

describe('#switches the switches of a policy', () => {
  test('are those of the peer and those of the profile', () => {
    const own = makePeer('alice', { switches: ['long-exp'] });
    for (const name of COMPAT_SWITCHES) {
      expect(policyOf().allows(own, name)).toBe(name === 'long-exp');
      expect(policyOf({ profile: 'compat' }).allows(peer, name)).toBe(true);
      expect(policyOf({ switches: ['no-replay'] }).allows(peer, name)).toBe(name === 'no-replay');
    }
  });

  test('W3 never make messages of a did:key agent unsigned for all', () => {
    const closed = COMPAT_SWITCHES.filter(
      (name) => !policyOf({ profile: 'compat' }).allows(makePeer(DID), name),
    );
    expect(closed).toEqual(['unsigned-requests', 'unsigned-replies']);
  });
});

describe('#sec-reply-strength W2 the reply to a request', () => {
  const encKey = { kid: 'e', key: new Uint8Array(32).fill(1) };
  const known = makePeer('alice', { encryptionKeys: [encKey] });

  test.each<[SecurityMode, boolean]>([
    ['none', false],
    ['sig', false],
    ['enc', true],
    ['enc+sig', true],
  ])('in mode %s is signed, and encrypted as it was: %s', (mode, encrypt) => {
    expect(policyOf().replyRequirement(mode, known, NOW)).toEqual({ sign: true, encrypt });
  });

  test('is refused before it is handled where no key is known to encrypt to', () => {
    const ended = makePeer('alice', { encryptionKeys: [{ ...encKey, notAfter: NOW - 1 }] });
    for (const mode of ['enc', 'enc+sig'] as const) {
      for (const from of [peer, ended]) {
        expect(codeOf(() => policyOf().replyRequirement(mode, from, NOW))).toBe('MODE_REFUSED');
      }
    }
  });

  test('is signed only with the switch, and encrypted all the same when the key is known', () => {
    const plain = makePeer('alice', { switches: ['plain-replies'] });
    const answer = { sign: true, encrypt: false };
    expect(policyOf().replyRequirement('enc+sig', plain, NOW)).toEqual(answer);
    const both = makePeer('alice', { switches: ['plain-replies'], encryptionKeys: [encKey] });
    expect(policyOf().replyRequirement('enc+sig', both, NOW).encrypt).toBe(true);
  });
});

describe('#sec-reply-strength W2 a reply that we get', () => {
  const accepted = (
    requestMode: SecurityMode,
    from = peer,
    latched: SecurityMode = 'none',
    policy = policyOf(),
  ): SecurityMode[] =>
    SECURITY_MODES.filter((mode) => {
      const code = codeOf(() => policy.checkReplyStrength(requestMode, mode, from, latched));
      if (code !== undefined) expect(code).toBe('MODE_REFUSED');
      return code === undefined;
    });

  test('is signed, and encrypted when the request was', () => {
    expect(accepted('none')).toEqual(['sig', 'enc+sig']);
    expect(accepted('sig')).toEqual(['sig', 'enc+sig']);
    expect(accepted('enc')).toEqual(['enc+sig']);
    expect(accepted('enc+sig')).toEqual(['enc+sig']);
  });

  test('is unsigned or in clear only with the switch for it', () => {
    const unsigned = makePeer('alice', { switches: ['unsigned-replies'] });
    expect(accepted('enc+sig', unsigned)).toEqual(['enc', 'enc+sig']);
    const plain = makePeer('alice', { switches: ['plain-replies'] });
    expect(accepted('enc+sig', plain)).toEqual(['sig', 'enc+sig']);
    const both = makePeer('alice', { switches: ['plain-replies', 'unsigned-replies'] });
    expect(accepted('enc+sig', both)).toEqual(SECURITY_MODES);
  });

  test('is at least what the entry of the peer asks for', () => {
    expect(accepted('sig', makePeer('alice', { minMode: 'enc+sig' }))).toEqual(['enc+sig']);
    expect(accepted('sig', makePeer('alice', { minMode: 'none' }))).toEqual(['sig', 'enc+sig']);
  });

  test('W19 is signed by a peer that has signed before; its encryption follows the request alone', () => {
    const unsigned = makePeer('alice', { switches: ['unsigned-replies'] });
    expect(accepted('sig', unsigned, 'sig')).toEqual(['sig', 'enc+sig']);
    expect(accepted('sig', unsigned, 'enc+sig')).toEqual(['sig', 'enc+sig']);
  });

  test('W3 is signed by a did:key agent even where the profile opens the rest', () => {
    const compat = policyOf({ profile: 'compat' });
    expect(accepted('sig', makePeer(DID), 'none', compat)).toEqual(['sig', 'enc+sig']);
    expect(accepted('sig', peer, 'none', compat)).toEqual(SECURITY_MODES);
  });
});

describe('the options of a policy', () => {
  test('have the defaults of SPEC.md, and cannot be changed afterwards', () => {
    const policy = policyOf();
    expect([policy.open, policy.skewMs, policy.maxWindowMs]).toEqual([false, 120_000, 3_600_000]);
    expect(Object.isFrozen(policy)).toBe(true);
  });

  test('#policy-snapshot W52 are copied: what becomes of the lists does not matter', () => {
    const agentIds = [ME];
    const switches: 'no-replay'[] = [];
    const minModes: Record<string, SecurityMode> = {};
    const policy = policyOf({ agentIds, switches, minModeByContentType: minModes });
    agentIds.pop();
    switches.push('no-replay');
    minModes['task.v1'] = 'enc+sig';
    expect(codeOf(() => policy.checkAddress(messageFrom({})))).toBeUndefined();
    expect(policy.allows(peer, 'no-replay')).toBe(false);
    expect(codeOf(() => policy.checkMode(messageFrom({}), peer, 'none'))).toBeUndefined();
  });

  test.each<[string, object]>([
    ['agentIds', { agentIds: [] }],
    ['agentIds', { agentIds: [''] }],
    ['agentIds', { agentIds: ME }],
    ['aliases', { aliases: [1] }],
    ['profile', { profile: 'lax' }],
    ['switches', { switches: ['no-such'] }],
    ['minMode', { minMode: 'sig+enc' }],
    ['minModeByContentType.task.v1', { minModeByContentType: { 'task.v1': 'all' } }],
    ['open', { open: 'false' }],
    ['skewMs', { skewMs: -1 }],
    ['maxWindowMs', { maxWindowMs: Number.NaN }],
    ['minimumMode', { minimumMode: 'enc+sig' }],
  ])('that are wrong are named: %s', (name, options) => {
    expect(() => policyOf(options)).toThrow(`"${name}"`);
  });
});

describe('#checks (authorize) a sender', () => {
  const task = { ct: 'task.v1', payload: taskPayload };
  const call = (tool: string, authz?: JsonObject): { ct: string; payload: JsonObject } => ({
    ct: 'toolcall.v1',
    payload: { tool, call_id: 'c', args: {}, expect: {}, ...(authz && { authz }) },
  });
  const allowed = (
    request: typeof task,
    lists: { contentTypes?: readonly string[]; tools?: readonly string[] },
    granted?: GrantScope,
  ): boolean => {
    const code = codeOf(() => authorize(request, makePeer('alice', lists), granted));
    if (code !== undefined) expect(code).toBe('NOT_AUTHORIZED');
    return code === undefined;
  };

  test('may use everything where its entry has no lists', () => {
    expect(allowed(task, {})).toBe(true);
    expect(allowed(call('sys.ping'), {})).toBe(true);
  });

  test('may use only the content types and tools that its entry lists', () => {
    expect(allowed(task, { contentTypes: ['task.v1'] })).toBe(true);
    expect(allowed(task, { contentTypes: ['state.v1'] })).toBe(false);
    expect(allowed(task, { contentTypes: [] })).toBe(false);
    expect(allowed(task, { tools: [] })).toBe(true);
    expect(allowed(call('math.add'), { tools: ['math.add'] })).toBe(true);
    expect(allowed(call('math.sub'), { tools: ['math.add'] })).toBe(false);
    expect(allowed(call('math.add'), { contentTypes: ['task.v1'], tools: ['math.add'] })).toBe(
      false,
    );
  });

  test('may use what a verified grant adds', () => {
    const closed = { contentTypes: [], tools: [] };
    const grant = { ct: ['toolcall.v1'], tools: ['math.add'] };
    expect(allowed(call('math.add'), closed, grant)).toBe(true);
    expect(allowed(call('math.sub'), closed, grant)).toBe(false);
    expect(allowed(task, closed, grant)).toBe(false);
    expect(allowed(call('math.sub'), closed, { ct: ['*'], tools: ['*'] })).toBe(true);
  });

  test('cannot add up its entry and a grant: one tool granted does not open every tool', () => {
    const grant = { ct: ['toolcall.v1'], tools: ['math.add'] };
    expect(allowed(call('math.add'), { contentTypes: ['task.v1'] }, grant)).toBe(true);
    expect(allowed(call('shell.run'), { contentTypes: ['task.v1'] }, grant)).toBe(false);
  });

  test('#grant W13 gains nothing by what its payload claims', () => {
    const claims = { scopes: ['shell.run', '*'], delegated_by: 'operator', reason: 'please' };
    expect(allowed(call('shell.run', claims), { tools: ['math.add'] })).toBe(false);
    const forged = { grant: { allow: { ct: ['*'], tools: ['*'] } } };
    expect(allowed(call('shell.run', forged), { tools: ['math.add'] })).toBe(false);
  });

  test('is refused when its call names no tool', () => {
    expect(allowed({ ct: 'toolcall.v1', payload: {} }, {})).toBe(false);
    expect(allowed({ ct: 'toolcall.v1', payload: { tool: ['math.add'] } }, {})).toBe(false);
  });
});
