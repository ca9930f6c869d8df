// Holes that were found in which key opens what: each test is what went wrong, by its number.

import { chmodSync, cpSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { encodeBase64url } from '../../src/codec/base64url.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import type { OwnIdentity } from '../../src/security/identity/own-identity.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import type { Envelope } from '../../src/envelope/types.ts';
import { crypto, newIdentity } from '../support/agents/agents.ts';
import { initHome, runCli } from '../support/agents/cli.ts';
import { homeAt } from '../../cli/home/home.ts';
import { read, until } from '../support/agents/exchanges.ts';
import type { MakeWire, Pair } from '../support/agents/transport-pairs.ts';
import { createPair, httpWire, unixWire, wsWire } from '../support/agents/transport-pairs.ts';
import { newHome, openHome } from '../support/trust/key-home.ts';
import { textOf } from '../support/wire/bytes.ts';
import type { Draft } from '../support/wire/forge.ts';
import {
  asking,
  drop,
  encryptionKeyOf,
  forge,
  forgeReply,
  inputHashOf,
  newNonce,
  openedBy,
  put,
  resigned,
  unboundKeyOf,
  wireOf,
} from '../support/wire/forge.ts';

const UNBOUND = { switches: new Set(['unbound-enc'] as const) };
const LANDED = join(import.meta.dirname, '../fixtures/landed/home/keys');

/** A message as a v1 peer encrypts it: without a bind. */
async function withoutBind(
  sender: OwnIdentity,
  pair: Pair,
  draft: Draft,
): Promise<Envelope | JsonObject> {
  const { envelope } = await forge(sender, pair.server, { mode: 'enc+sig', ...draft });
  return resigned(sender, envelope, drop('/sec/x'));
}

/** The ciphertext of one message in another, under the other's signature and without a bind. */
function lifted(
  thief: OwnIdentity,
  own: Envelope | JsonObject,
  captured: Envelope | JsonObject,
): Promise<JsonObject> {
  const { enc } = captured['sec'] as JsonObject;
  return resigned(thief, own, put('/sec/enc', enc!), drop('/sec/x'));
}

const WIRES: readonly (readonly [string, MakeWire])[] = [
  ['http', httpWire],
  ['ws', wsWire],
  ['ipc', unixWire],
];

describe.each(WIRES)('A2 a ciphertext without a bind #unbound-key over %s', (_name, makeWire) => {
  let pair: Pair;
  let tasks: number;
  let alice: LocalIdentity;
  let bob: LocalIdentity;

  beforeAll(async () => {
    tasks = 0;
    pair = await createPair(makeWire, {
      onTask: () => {
        tasks += 1;
        return Promise.resolve(undefined);
      },
    });
    alice = await pair.sender();
    bob = await pair.sender(UNBOUND);
  });
  afterAll(() => pair.close());

  /** What the server made of it: the code of its refusal, and how many tasks there are then. */
  async function verdictOf(message: Envelope | JsonObject): Promise<string | undefined> {
    const line = await pair.line();
    const before = pair.server.outcomes.length;
    line.send(wireOf(message));
    await line.next();
    await until(() => pair.server.outcomes.length > before);
    return pair.server.outcomes.at(-1)!.error?.code;
  }

  test('A2 lifted from another peer is refused, and there is no task', async () => {
    const captured = await forge(alice, pair.server, { mode: 'enc+sig' });
    const own = await forge(bob, pair.server, { mode: 'enc+sig' });
    expect(await verdictOf(await lifted(bob, own.envelope, captured.envelope))).toBe(
      'BINDING_INVALID',
    );
    expect(tasks).toBe(0);
  });

  test('A2 with a recipient of the thief beside it is refused too', async () => {
    const { envelope: captured } = await forge(alice, pair.server, { mode: 'enc+sig' });
    const key = unboundKeyOf(pair.server);
    const { envelope: own } = await forge(bob, pair.server, { mode: 'enc+sig', recipients: [key] });
    const stolen = await lifted(bob, own, captured);
    const recipient = own.sec!.enc!.recipients[0] as unknown as JsonObject;
    for (const edit of [
      put('/sec/enc/recipients/0', recipient),
      put('/sec/enc/recipients/-', recipient),
      put('/sec/enc/recipients/0/kid', key.kid),
    ]) {
      const mixed = await resigned(bob, stolen, edit, put('/sec/replay/nonce', newNonce()));
      expect(await verdictOf(mixed)).toBe('DECRYPT_FAILED');
    }
  });

  test('A2 to the key of the bundle is refused even of who may leave the bind out', async () => {
    const message = await withoutBind(bob, pair, { recipients: [encryptionKeyOf(pair.server)] });
    expect(await verdictOf(message)).toBe('BINDING_INVALID');
    expect(pair.server.outcomes.at(-1)!.error!.reason).toContain('keys export --use unbound-enc');
  });

  test('A2 to the key for that is opened of nobody else, with or without a bind', async () => {
    const recipients = [unboundKeyOf(pair.server)];
    expect(await verdictOf(await withoutBind(alice, pair, { recipients }))).toBe('BINDING_INVALID');
    const bound = await forge(alice, pair.server, { mode: 'enc+sig', recipients });
    expect(await verdictOf(bound.envelope)).toBe('DECRYPT_FAILED');
  });

  test('A2 to the key for that, of who may leave the bind out, is good', async () => {
    const recipients = [unboundKeyOf(pair.server)];
    const before = tasks;
    const both = [encryptionKeyOf(pair.server), ...recipients];
    for (const to of [recipients, both]) {
      expect(await verdictOf(await withoutBind(bob, pair, { recipients: to }))).toBeUndefined();
    }
    expect(tasks).toBe(before + 2);
    // A bind that is there counts.
    const { envelope } = await forge(bob, pair.server, { mode: 'enc+sig', recipients });
    const wrong = await resigned(bob, envelope, put('/sec/x/bind', 'A'.repeat(43)));
    expect(await verdictOf(wrong)).toBe('BINDING_INVALID');
  });
});

describe('A2 an answer without a bind #unbound-key', () => {
  /** Bob's client asks him, and the answer has his signature and his ciphertext, or that of an answer of Eve's. */
  const answering = (isOwn: boolean, keyOf: typeof encryptionKeyOf): ReturnType<typeof asking> =>
    asking(
      async (outbound, { alice, bob }) => {
        const eve = await newIdentity();
        const asked = openedBy(bob.identity, read(outbound));
        const result = { call_id: asked['call_id']!, ok: true, result: { pong: true } };
        const answer = async (sender: OwnIdentity): Promise<JsonObject> =>
          read(
            await forgeReply(sender, alice, outbound, {
              ct: 'toolresult.v1',
              payload: { ...result, logs: [], metrics: {} },
              answersInput: inputHashOf(outbound),
              recipients: [keyOf(alice)],
            }),
          );
        const own = await answer(bob.identity);
        const { enc } = (isOwn ? own : await answer(eve))['sec'] as JsonObject;
        return [
          wireOf(await resigned(bob.identity, own, put('/sec/enc', enc!), drop('/sec/x/bind'))),
        ];
      },
      { entry: UNBOUND },
    );

  test('A2 lifted from the answer of another peer is refused by the client', async () => {
    const { ask } = await answering(false, encryptionKeyOf);
    expect(await ask()).toMatchObject({ code: 'BINDING_INVALID' });
  });

  test('A2 to the key for that is good of a peer that may leave the bind out', async () => {
    const { ask } = await answering(true, unboundKeyOf);
    expect(await ask()).toMatchObject({ pong: true });
  });
});

describe('A2 the key for what has no bind #unbound-key #key-files', () => {
  test('A2 a home from before there was one opens, and gets it when it is asked for', async () => {
    const home = newHome();
    cpSync(LANDED, home, { recursive: true });
    chmodSync(home, 0o700);
    const file = join(home, 'agent.json');
    for (const name of ['agent', 'operator']) chmodSync(join(home, `${name}.json`), 0o600);
    const before = readFileSync(file, 'utf8');
    const directory = openHome(home);
    const landed = await directory.load('agent');
    expect(landed.unboundKeys).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe(before);

    const { unboundKeys, ...rest } = await directory.ensureUnboundKey('agent');
    expect(unboundKeys).toHaveLength(1);
    expect(rest.bundle.document).toEqual(landed.bundle.document);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const kids = (await directory.load('agent')).unboundKeys!.map(({ kid }) => kid);
    expect(kids).toEqual(unboundKeys!.map(({ kid }) => kid));
    expect((await directory.ensureUnboundKey('agent')).unboundKeys![0]!.kid).toBe(kids[0]);
    // The daemon notices.
    expect((await directory.reloadIfChanged(landed)).unboundKeys![0]!.kid).toBe(kids[0]);
  });

  test('A2 the command line prints it, and says so when a peer gets the switch', async () => {
    const home = await initHome();
    const run = (...words: string[]): ReturnType<typeof runCli> =>
      runCli([...words, '--home', home, '--json']);
    const exported = (await run('keys', 'export', '--use', 'unbound-enc')).json();
    const shown = (await run('keys', 'show')).json() as JsonObject;
    const { kid, key } = exported as JsonObject;
    expect(shown['unbound_enc']).toMatchObject([{ kid, key }]);
    expect(JSON.stringify(shown['bundle'])).not.toContain(key);

    const { agentId } = await newIdentity();
    const added = await run('peers', 'add', agentId, '--compat', 'unbound-enc');
    expect(added.stderr).toContain('a2a-sdl keys export agent --use unbound-enc');
    const other = await newIdentity();
    expect((await run('peers', 'add', other.agentId)).stderr).toBe('');
    const set = await run('peers', 'set', other.agentId, '--compat', 'unbound-enc');
    expect(set.stderr).toContain('--use unbound-enc');

    const rotated = await run('keys', 'rotate');
    expect(rotated.code).toBe(0);
    const { keys } = homeAt(home);
    const [newest, replaced] = (await openHome(keys).load('agent')).unboundKeys!;
    expect(newest!.kid).not.toBe(kid);
    expect(replaced!.kid).toBe(kid);
  });

  test('A2 an embedder cannot use one key for both', async () => {
    const identity = await newIdentity();
    const unboundKeys = identity.keys.filter(({ use }) => use === 'enc');
    const options = { identity: { ...identity, unboundKeys }, crypto };
    expect(() => createRuntime(options)).toThrow(
      /"identity.unboundKeys" expected keys for nothing/,
    );
  });

  test('A2 it is in no agent document and in no envelope', async () => {
    const pair = await createPair(httpWire);
    const { identity } = pair.server;
    const line = await pair.line();
    line.send(wireOf(await forge(await pair.sender(), pair.server)));
    const answer = textOf((await line.next())!.bytes);
    const place = new URL('/.well-known/a2a-sdl.json', pair.url);
    const document = await (await fetch(place)).text();
    await pair.close();
    const { kid, publicKey } = unboundKeyOf(pair.server);
    for (const text of [answer, document]) {
      expect(text).toContain(identity.agentId);
      for (const hidden of [kid, encodeBase64url(publicKey)]) expect(text).not.toContain(hidden);
    }
  });
});
