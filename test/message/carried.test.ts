// Requests that another dialect carries: opened by a runtime, answered by it one message at a time, opened by who asked.

import { beforeEach, describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { SdlError } from '../../src/errors.ts';
import type { MessageKit, MessageKitOptions, SealKitRequest } from '../../src/message/kit.ts';
import { createMessageKit } from '../../src/message/kit.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import type { FaceTicket, ListenContext, OpenedRequest } from '../../src/transport.ts';
import type { Agent } from '../support/agents/agents.ts';
import {
  Clock,
  entryFor,
  inboundOf,
  newAgent,
  newIdentity,
  repliesOf,
} from '../support/agents/agents.ts';
import { parse, textOf as decoded, utf8 } from '../support/wire/bytes.ts';
import { directoryOf, makePeer } from '../support/trust/peers.ts';
import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import { rotateIdentity } from '../../src/security/identity/identity.ts';
import type { PeerDirectory } from '../../src/security/peers/peer.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { auditHash } from '../../src/audit/entry.ts';

const TYPES = new Set(['a2a.message.v1', 'a2a.digest.v1']);
const ANSWERS = new Set(['a2a.message.v1', 'a2a.artifact.v1', 'a2a.status.v1', 'a2a.digest.v1']);
const WORDS = { messageId: 'm-1', role: 'user', parts: [{ text: 'how many?' }] };
const SAID = { messageId: 'm-2', role: 'agent', parts: [{ text: 'three' }] };

let store: Store;
let agent: Agent;
let asker: LocalIdentity;
let kit: MessageKit;
let peers: PeerDirectory;
let context: ListenContext;
let claims: string[];
let ticket: FaceTicket;

beforeEach(async () => {
  const clock = new Clock();
  store = createMemoryStore({ now: clock.now });
  agent = { ...(await newAgent({ store, now: clock.now })), clock };
  asker = await newIdentity();
  agent.book.add(entryFor(asker));
  kit = kitOf(asker);
  peers = directoryOf(entryFor(agent.identity));
  context = await agent.runtime.listenContext();
  claims = [];
  ticket = {
    signal: new AbortController().signal,
    claim: (agentId) => {
      claims.push(agentId);
    },
    stream: () => {},
    release: () => {},
  };
});

function kitOf(identity: LocalIdentity, more: Partial<MessageKitOptions> = {}): MessageKit {
  const { now } = agent.clock;
  return createMessageKit({ identity, now, store: createMemoryStore({ now }), ...more });
}

async function sealed(
  parts: Partial<SealKitRequest> = {},
  by: MessageKit = kit,
): Promise<Uint8Array> {
  const { bytes } = await by.sealRequest(
    {
      agentId: agent.identity.agentId,
      content: { ct: 'a2a.message.v1', payload: WORDS },
      mode: 'enc+sig',
      lifetimeMs: 60_000,
      ...parts,
    },
    peers,
  );
  return bytes;
}

function open(bytes: Uint8Array, to: ListenContext = context): Promise<OpenedRequest> {
  const peer = { transport: 'http', address: '192.0.2.9' };
  return to.open({ bytes, peer, ticket, contentTypes: TYPES, right: 'task.v1' });
}

const textOf = (value: JsonObject): Uint8Array => utf8(JSON.stringify(value));
const jsonOf = (bytes: Uint8Array): JsonObject => JSON.parse(decoded(bytes)) as JsonObject;
const rejectionOf = (pending: Promise<unknown>): Promise<SdlError> =>
  pending.then(
    () => expect.unreachable('it is refused'),
    (thrown: unknown) => thrown as SdlError,
  );

async function opened(
  answer: JsonObject,
  request: Uint8Array,
  by = kit,
  from = peers,
): ReturnType<MessageKit['openAnswer']> {
  return by.openAnswer(textOf(answer), await by.requestOf(request, 'given'), ANSWERS, from);
}

describe('#sealed-checks a request inside another dialect', () => {
  test.each(['sig', 'enc+sig'] as const)(
    'passes the checks of the wire in mode %s',
    async (mode) => {
      const bytes = await sealed({ mode });
      const request = await open(bytes);
      expect(request).toMatchObject({
        ct: 'a2a.message.v1',
        payload: WORDS,
        agentId: asker.agentId,
        mode,
        use: { kind: 'new' },
      });
      expect(request.id).toBe(jsonOf(bytes)['id']);
      expect(claims).toEqual([asker.agentId]);
      const call = request.call({ face: 'a2a', signal: ticket.signal, now: agent.clock.now });
      expect(call.principal).toEqual({ id: asker.agentId, tenant: '', scheme: 'sdl' });
      expect(call.agentId).toBe(agent.identity.agentId);
    },
  );

  test('is in the audit log before anything is done, by the transport of who carried it', async () => {
    const bytes = await sealed();
    await open(bytes);
    const log = (await agent.runtime.audit())!;
    const proof = (await log.prove(jsonOf(bytes)['id'] as string))!;
    expect(proof.entries.map(({ entry }) => entry)).toMatchObject([
      { kind: 'request', from: asker.agentId, transport: 'http', ct: 'a2a.message.v1' },
    ]);
  });

  test('a repeat of the same bytes is a retry, also after a restart; it is counted and not written twice', async () => {
    const bytes = await sealed();
    const first = await open(bytes);
    if (first.use.kind !== 'new') throw new Error('it is new');
    await first.use.complete(utf8('task-7'));
    const repeats = [context, await restarted()];
    for (const there of repeats) {
      const again = await open(bytes, there);
      expect(again).toMatchObject({ key: first.key, payload: WORDS, use: { kind: 'retry' } });
      if (again.use.kind !== 'retry') continue;
      expect(decoded(await again.use.reply)).toBe('task-7');
    }
    expect(claims).toHaveLength(3);
    const log = (await agent.runtime.audit())!;
    expect((await log.head()).size).toBe(1);
  });

  async function restarted(): Promise<ListenContext> {
    const { identity, book, clock } = agent;
    const next = createRuntime({ identity, peers: book, now: clock.now, store, onTask: noWork });
    return next.listenContext();
  }

  test('is refused as on the wire: changed, late, for somebody else, of a stranger, of another type, or no request', async () => {
    const bytes = await sealed({ mode: 'sig' });
    const value = jsonOf(bytes);
    const codeOf = async (changed: JsonObject): Promise<string> =>
      (await rejectionOf(open(textOf(changed)))).code;
    expect(await codeOf({ ...value, payload: { ...WORDS, messageId: 'x' } })).toBe(
      'SIGNATURE_INVALID',
    );
    expect(await codeOf({ ...value, ct: 'task.v1' })).toBe('CT_UNSUPPORTED');
    expect(await codeOf({ ...value, type: 'evt', re: 'x' })).toBe('SIGNATURE_INVALID');
    const stranger = kitOf(await newIdentity());
    expect((await rejectionOf(open(await sealed({}, stranger)))).code).toBe('SENDER_REFUSED');
    const other = await newAgent();
    other.book.add(entryFor(asker));
    const there = await other.runtime.listenContext();
    expect((await rejectionOf(open(bytes, there))).code).toBe('ADDRESS_WRONG');
    agent.clock.nowMs += 61_000;
    expect((await rejectionOf(open(bytes))).code).toBe('TIME_INVALID');
  });

  test('needs the right to send tasks, and nothing else', async () => {
    agent.book.add(entryFor(asker, { contentTypes: ['task.v1'] }));
    expect((await open(await sealed())).use.kind).toBe('new');
    agent.book.add(entryFor(asker, { contentTypes: ['a2a.message.v1', 'toolcall.v1'] }));
    const bytes = await sealed();
    expect((await rejectionOf(open(bytes))).code).toBe('NOT_AUTHORIZED');
    agent.book.add(entryFor(asker));
    // A refusal is final: whoever has the bytes gets it again.
    expect((await rejectionOf(open(bytes))).code).toBe('NOT_AUTHORIZED');
    expect((await open(await sealed())).use.kind).toBe('new');
  });

  test('#jcs-merge is read as it was signed where numbers were written as doubles and members in another order', async () => {
    const value = jsonOf(await sealed({ mode: 'sig' }));
    const backwards = Object.fromEntries(Object.entries(value).toReversed());
    const doubles = JSON.stringify(backwards).replaceAll(/:(\d+)([,}])/g, ':$1.0$2');
    expect(doubles).toContain('"v":1.0');
    expect((await open(utf8(doubles))).payload).toEqual(WORDS);
  });

  test('what cannot be counted has not used its nonce', async () => {
    const bytes = await sealed();
    const calm = ticket;
    ticket = { ...calm, claim: () => Promise.reject(new Error('too fast')) };
    await rejectionOf(open(bytes));
    ticket = calm;
    expect((await open(bytes)).use.kind).toBe('new');
  });

  test('what is not signed is no request, whatever the entry of its sender allows', async () => {
    agent.book.add({
      ...makePeer(asker.agentId, { switches: ['unsigned-requests', 'no-replay'], minMode: 'none' }),
    });
    const { sec: _sec, ...bare } = jsonOf(await sealed({ mode: 'sig' }));
    expect((await rejectionOf(open(textOf(bare)))).code).toBe('MODE_REFUSED');
  });
});

async function* noWork(): AsyncGenerator<never> {
  // Nobody asks for any.
}

describe('#sealed-numbers #x-req the answers to it', () => {
  test.each(['sig', 'enc+sig'] as const)(
    'are numbered and bound to it in mode %s',
    async (mode) => {
      const request = await sealed({ mode });
      const { facts } = await open(request);
      const event = await context.seal(facts, {
        ct: 'a2a.message.v1',
        payload: SAID,
        type: 'evt',
        n: 1,
      });
      const last = await context.seal(facts, {
        ct: 'a2a.message.v1',
        payload: SAID,
        type: 'res',
        n: 1,
      });
      expect(await opened(event, request)).toMatchObject({
        type: 'evt',
        n: 1,
        mode,
        payload: SAID,
      });
      expect(await opened(last, request)).toMatchObject({
        type: 'res',
        n: 1,
        agentId: agent.identity.agentId,
      });
      expect(JSON.stringify(event).includes('three')).toBe(mode === 'sig');
    },
  );

  test('the facts are plain JSON, and another start of the agent answers by them', async () => {
    const request = await sealed();
    const { facts } = await open(request);
    const kept = JSON.parse(JSON.stringify(facts)) as JsonObject;
    const { identity, book, clock } = agent;
    const later = createRuntime({
      identity: await rotateIdentity(identity, { nowMs: clock.nowMs }),
      peers: book,
      now: clock.now,
      store,
      onTask: noWork,
    });
    const there = await later.listenContext();
    const event = await there.seal(kept, {
      ct: 'a2a.message.v1',
      payload: SAID,
      type: 'evt',
      n: 4,
    });
    expect(await opened(event, request)).toMatchObject({ n: 4, payload: SAID });
  });

  test('a res has a receipt of the log, unless it is said to need none (#receipt)', async () => {
    const request = await sealed();
    const { facts } = await open(request);
    const answer = { ct: 'a2a.message.v1', payload: SAID, type: 'res', n: 0 } as const;
    const res = await context.seal(facts, answer);
    const { trace } = res as { trace: JsonObject };
    expect(trace['audit']).toMatchObject({ verdict: 'ok', node: agent.identity.agentId, seq: 1 });
    const { inputHash } = await kit.requestOf(request, 'given');
    expect((trace['audit'] as JsonObject)['req']).toBe(facts['req']);
    expect(auditHash(new Uint8Array(0), () => inputHash!)).toBe(facts['req']);
    const quiet = await context.seal(facts, { ...answer, hasReceipt: false });
    expect((quiet['trace'] as JsonObject)['audit']).toBeUndefined();
    const log = (await agent.runtime.audit())!;
    expect((await log.head()).size).toBe(2);
  });

  test('one of another exchange, by another agent, without a number, or of another type is none', async () => {
    const [one, two] = [await sealed(), await sealed()];
    const { facts } = await open(one);
    const said = { ct: 'a2a.message.v1', payload: SAID, type: 'evt', n: 1 } as const;
    const event = await context.seal(facts, said);
    expect((await rejectionOf(opened(event, two))).code).toBe('ADDRESS_WRONG');
    const relabelled = { ...event, re: jsonOf(two)['id']! };
    expect((await rejectionOf(opened(relabelled, two))).code).toBe('SIGNATURE_INVALID');
    const wrong = { ct: 'task.v1', payload: {}, type: 'evt', n: 1 } as const;
    expect((await rejectionOf(context.seal(facts, wrong))).code).toBe('PAYLOAD_INVALID');
    const foreign = {
      ct: 'state.v1',
      payload: { base: 'x', patch: [] },
      type: 'evt',
      n: 1,
    } as const;
    const state = await context.seal(facts, foreign);
    expect((await rejectionOf(opened(state, one))).code).toBe('BINDING_INVALID');
    const error = { code: 'INTERNAL', message: '', details: {}, retryable: false };
    const refusal = await context.seal(facts, {
      ct: 'error.v1',
      payload: error,
      type: 'res',
      n: 0,
    });
    expect((await rejectionOf(opened(refusal, one))).code).toBe('BINDING_INVALID');
  });

  test('#jcs-exact a number that a double would change is refused in clear and kept under encryption', async () => {
    const payload = { ...SAID, parts: [{ data: { big: 12345678901234567890n.toString() } }] };
    const exact = { ct: 'a2a.message.v1', payload, type: 'evt', n: 1 } as const;
    const text = JSON.stringify(payload).replace('"12345678901234567890"', '12345678901234567890');
    const inexact = { ...exact, payload: parse(text) };
    const open1 = await open(await sealed({ mode: 'sig' }));
    expect((await rejectionOf(context.seal(open1.facts, inexact))).code).toBe('NUMBER_INEXACT');
    const request = await sealed();
    const { facts } = await open(request);
    const event = await context.seal(facts, inexact);
    const { payload: read } = await opened(event, request);
    expect(decoded(writeJson(read))).toContain('"big":12345678901234567890');
  });

  test('what its sender does not take is not sent', async () => {
    const small = kitOf(asker, { limits: { maxBytes: 20_000 } });
    const { facts } = await open(await sealed({}, small));
    const payload = { ...SAID, parts: [{ text: 'x'.repeat(20_000) }] };
    const big = { ct: 'a2a.message.v1', payload, type: 'evt', n: 1 } as const;
    expect((await rejectionOf(context.seal(facts, big))).code).toBe('LIMIT_BYTES');
  });

  test('nothing is sealed to an agent that was revoked', async () => {
    const { facts } = await open(await sealed());
    agent.book.add(entryFor(asker, { revoked: true }));
    const said = { ct: 'a2a.message.v1', payload: SAID, type: 'evt', n: 1 } as const;
    expect((await rejectionOf(context.seal(facts, said))).code).toBe('SENDER_REFUSED');
  });

  test('a stranger is answered after a restart that knows nothing of it', async () => {
    const { identity, clock } = agent;
    const options = { identity, now: clock.now, policy: { open: true }, onTask: noWork };
    const first = await createRuntime(options).listenContext();
    const request = await sealed();
    const { facts } = await open(request, first);
    const second = await createRuntime(options).listenContext();
    const event = await second.seal(facts, {
      ct: 'a2a.message.v1',
      payload: SAID,
      type: 'evt',
      n: 1,
    });
    expect(await opened(event, request)).toMatchObject({ payload: SAID });
  });
});

describe('#sealed-content the content types of other dialects', () => {
  test('have schemas, and no agent takes them over its own wire', async () => {
    const answers = await repliesOf(agent.runtime, inboundOf(await sealed()));
    const { ct, payload } = jsonOf(answers[0]!.bytes) as { ct: string; payload: JsonObject };
    expect([ct, payload['code']]).toEqual(['error.v1', 'UNSUPPORTED_CT']);
    const supported = (payload['details'] as JsonObject)['supported_ct'] as string[];
    expect(supported.filter((name) => name.startsWith('a2a.'))).toEqual([]);
    expect(agent.runtime.contentTypes).toHaveLength(9);
  });
});

describe('#re a request of ours', () => {
  test('is known from its envelope; one that was found is believed only under our own signature', async () => {
    const bytes = await sealed({ mode: 'sig' });
    const given = await kit.requestOf(bytes, 'given');
    expect(await kit.requestOf(bytes, 'found')).toEqual(given);
    const changed = textOf({ ...jsonOf(bytes), payload: { ...WORDS, messageId: 'x' } });
    expect((await rejectionOf(kit.requestOf(changed, 'found'))).code).toBe('SIGNATURE_INVALID');
    const others = kitOf(await newIdentity());
    expect((await rejectionOf(others.requestOf(bytes, 'given'))).code).toBe('ADDRESS_WRONG');
  });
});
