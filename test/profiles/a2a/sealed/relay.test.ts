// What official servers and gateways do to the parts that they pass on, and that envelopes open all the same.

import { create, fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import type { JsonValue as ProtoJson } from '@bufbuild/protobuf';
import { StructSchema, ValueSchema } from '@bufbuild/protobuf/wkt';
import { Message } from '@a2a-js/sdk';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';

import { SEALED_EXTENSION, openTask, sealMessage } from '../../../../profiles/a2a/sealed/index.ts';
import { v03RestWire, v1Wire, v03Wire } from '../../../support/a2a/wires.ts';
import type { Ends, Shape } from '../../../support/a2a/sealed.ts';
import { ASKED, MODES, newEnds } from '../../../support/a2a/sealed.ts';

let ends: Ends;
beforeAll(async () => {
  ends = await newEnds();
});

/** Members in another order, at every level. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, reordered(one)] as const);
  return Object.fromEntries(entries.toReversed());
}

/** Through `google.protobuf.Value` as bytes. */
function throughValue(data: unknown): unknown {
  const message = fromJson(ValueSchema, data as ProtoJson);
  return toJson(ValueSchema, fromBinary(ValueSchema, toBinary(ValueSchema, message)));
}

function throughStruct(data: unknown): unknown {
  const message = create(StructSchema, fromJson(StructSchema, data as ProtoJson));
  return toJson(StructSchema, fromBinary(StructSchema, toBinary(StructSchema, message)));
}

const partsOf = (message: Shape): Shape[] => message['parts'] as Shape[];

function withData(message: Shape, change: (data: unknown) => unknown): Shape[] {
  const changed = ({ data, ...part }: Shape): Shape =>
    data === undefined ? part : { ...part, data: change(data) };
  return partsOf(message).map(changed);
}

const RELAYS: Readonly<Record<string, (message: Shape) => Shape>> = {
  'JSON with members in another order': (message) => reordered(message) as Shape,
  'objects of the SDK 1.3 and back': (message) =>
    Message.toJSON(Message.fromJSON(message)) as Shape,
  'the table of 1.0': v1Wire,
  'the table of 0.3 over JSON-RPC': v03Wire,
  'the table of 0.3 over REST': v03RestWire,
  'protobuf values': (message) => ({
    ...message,
    parts: withData(message, throughValue),
    metadata: throughStruct(message['metadata']),
  }),
  'a gateway that wraps data': (message) => ({
    ...message,
    parts: withData(message, (data) => ({ data: { value: data } })),
  }),
  'a gateway that drops media types': (message) => ({
    ...message,
    parts: partsOf(message).map(({ mediaType: _type, ...part }) => part),
  }),
};
const NAMES = Object.keys(RELAYS);
/** It changes what is said in clear, which nobody may. */
const WRAPS = 'a gateway that wraps data';

describe('#sealed-recognised #sealed-message what relays do to a message', () => {
  test.each(MODES.flatMap((mode) => NAMES.map((name) => [mode, name] as const)))(
    'mode %s through %s',
    async (mode, name) => {
      const sealed = await sealMessage(ASKED, { identity: ends.user, to: ends.agent, mode });
      const relayed = RELAYS[name]!(sealed);
      const open = openTask(relayed, { identity: ends.agent, peers: [ends.user] });
      if (mode === 'detached' && name === WRAPS) {
        await expect(open).rejects.toMatchObject({ code: 'CONTENT_CHANGED' });
        return;
      }
      const { protection, message } = await open;
      expect(protection).toBe({ 'enc+sig': 'sealed', sig: 'signed', detached: 'detached' }[mode]);
      expect(JSON.stringify(message)).toContain('how many are there?');
    },
  );

  test('any content through all of them, one after the other', async () => {
    const data = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(data, fc.shuffledSubarray(NAMES), async (value, names) => {
        const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ data: value }] };
        const sealed = await sealMessage(message, { identity: ends.user, to: ends.agent });
        // Once it has the members of 0.3 only what reads those can follow.
        const isOld = (name: string): boolean => name.includes('0.3') || name === WRAPS;
        const path = names.filter((name) => !isOld(name));
        const last = names.find(isOld);
        let relayed: Shape = sealed;
        for (const name of last === undefined ? path : [...path, last])
          relayed = RELAYS[name]!(relayed);
        const { message: opened } = await openTask(relayed, {
          identity: ends.agent,
          peers: [ends.user],
        });
        const read = JSON.stringify(opened);
        expect(read.length).toBeGreaterThan(0);
        expect(JSON.parse(dataIn(opened))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 40 },
    );
  });

  test('#sealed-visible the path sees who, when and how much, and nothing that was said', async () => {
    const sealed = await sealMessage(
      { ...ASKED, contextId: 'the-context', taskId: 'the-task' },
      { identity: ends.user, to: ends.agent },
    );
    const seen = JSON.stringify(sealed);
    for (const visible of [ends.user.agentId, ends.agent.agentId, 'the-context', 'the-task']) {
      expect(seen).toContain(visible);
    }
    for (const hidden of ['asked-1', 'how many', 'deep', '2.5']) expect(seen).not.toContain(hidden);
    expect(sealed).toMatchObject({
      role: 'ROLE_USER',
      extensions: [SEALED_EXTENSION],
      metadata: { [SEALED_EXTENSION]: { v: 1, profile: 'sealed', mode: 'enc+sig' } },
      parts: [{ data: { a2aSdl: { v: 1, type: 'req' } }, mediaType: 'application/json' }],
    });
    // Some hands of protobuf cannot say null.
    expect(seen).not.toContain(':null');
    const [part] = partsOf(sealed);
    const data = part!['data'] as { a2aSdl: Shape };
    const full = { ...sealed, parts: [{ data: { a2aSdl: { ...data.a2aSdl, payload: null } } }] };
    expect(await openTask(full, { identity: ends.agent, peers: [ends.user] })).toMatchObject({
      protection: 'sealed',
    });
  });
});

/** The data of the only part, in whatever shape. */
function dataIn(message: unknown): string {
  const [part] = (message as { parts: Shape[] }).parts;
  return JSON.stringify(part!['data']);
}
