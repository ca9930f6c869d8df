// The messages that every transport must refuse in the same words: how each is made, and what its sender is told.

import { expect } from 'vitest';

import type { LocalIdentity } from '../../../src/security/identity/identity.ts';
import { writeCbor } from '../../../src/codec/cbor/write.ts';
import { writeJson } from '../../../src/codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import type { Encoding } from '../../../src/envelope/decode.ts';
import { formatTimestamp } from '../../../src/envelope/timestamp.ts';
import type { Envelope } from '../../../src/envelope/types.ts';
import type { ErrorCode } from '../../../src/errors.ts';
import type { StageName } from '../../../src/pipeline/stages.ts';
import type { Incoming } from '../../../src/transport.ts';
import type { Agent } from '../../support/agents/agents.ts';
import { NOW } from '../../support/agents/agents.ts';
import { utf8 } from '../../support/wire/bytes.ts';
import { taskPayload } from '../../support/wire/envelopes.ts';
import type { Draft } from '../../support/wire/forge.ts';
import {
  changed,
  drop,
  encryptionKeyOf,
  forge,
  newNonce,
  put,
  resigned,
} from '../../support/wire/forge.ts';

/** Who is there when a message is made. */
interface RefusalScene {
  readonly server: Agent;
  /** The server knows it. */
  readonly sender: LocalIdentity;
  /** The server does not know it. */
  readonly stranger: LocalIdentity;
  readonly encoding: Encoding;
}

export interface RefusalRow {
  readonly name: string;
  /** The check that refuses it, and its code; of some codes the peer is not told. */
  readonly verdict: readonly [StageName, ErrorCode];
  /** What its sender is told beside the code. @default nothing */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The messages in order; the last is the one that is refused. */
  readonly make: (scene: RefusalScene) => Promise<readonly Incoming[]>;
  /** Only in this encoding; the other has no such thing. @default in both */
  readonly only?: Encoding;
  /** The answer is encrypted, because the request was and its signature holds. @default false */
  readonly isEncrypted?: boolean;
}

type Change = (message: Envelope, scene: RefusalScene) => JsonObject | Promise<JsonObject>;

/** A message of the known sender, changed once it was sealed. */
const one =
  (draft: Draft, change: Change = (message) => message as unknown as JsonObject) =>
  async (scene: RefusalScene): Promise<readonly Incoming[]> => {
    const { envelope } = await forge(scene.sender, scene.server, draft);
    return [encoded(await change(envelope, scene), scene.encoding)];
  };

/** Changed, and signed again by its sender. */
const signedAgain =
  (...operations: readonly JsonObject[]): Change =>
  (message, { sender }) =>
    resigned(sender, message, ...operations);

const bytesOnly =
  (make: () => Uint8Array) =>
  ({ encoding }: RefusalScene): Promise<readonly Incoming[]> =>
    Promise.resolve([{ bytes: make(), encoding }]);

function encoded(message: JsonValue, encoding: Encoding): Incoming {
  return { bytes: encoding === 'json' ? writeJson(message) : writeCbor(message), encoding };
}

const FAR_MS = 2 * 3_600_000;
const DEPTH = 65;

function membersOf(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, null]));
}

function nested(depth: number): JsonValue {
  let value: JsonValue = 0;
  for (let at = 0; at < depth; at += 1) value = [value];
  return value;
}

export const REFUSALS: readonly RefusalRow[] = [
  {
    name: 'garbage',
    verdict: ['decode', 'ENCODING_INVALID'],
    details: { at: 1 },
    only: 'json',
    make: bytesOnly(() => utf8('{garbage')),
  },
  {
    name: 'garbage in CBOR',
    verdict: ['decode', 'ENCODING_INVALID'],
    details: { at: 1 },
    only: 'cbor',
    make: bytesOnly(() => Uint8Array.of(0xa1, 0xff, 0x13, 0x37)),
  },
  {
    name: 'bytes that are not UTF-8',
    verdict: ['decode', 'ENCODING_INVALID'],
    only: 'json',
    make: bytesOnly(() => Uint8Array.of(0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x7d)),
  },
  {
    name: 'a message that ends too early',
    verdict: ['decode', 'ENCODING_INVALID'],
    details: { at: expect.any(Number) },
    make: async (scene) => {
      const [{ bytes, encoding }] = (await one({})(scene)) as [Incoming];
      return [{ bytes: bytes.subarray(0, -20), encoding }];
    },
  },
  {
    name: 'a member that stands there twice',
    verdict: ['decode', 'ENCODING_INVALID'],
    details: { at: 7 },
    only: 'json',
    make: bytesOnly(() => utf8('{"v":1,"v":1}')),
  },
  {
    name: 'a message that is nested too deeply',
    verdict: ['decode', 'LIMIT_DEPTH'],
    details: { limit: 64 },
    make: one({}, (message) => ({ ...(message as unknown as JsonObject), deep: nested(DEPTH) })),
  },
  {
    name: 'JSON that only opens',
    verdict: ['decode', 'LIMIT_DEPTH'],
    details: { limit: 64 },
    only: 'json',
    make: bytesOnly(() => utf8('{"a":'.repeat(100_000))),
  },
  {
    name: 'an object with too many members',
    verdict: ['decode', 'LIMIT_MEMBERS'],
    details: { limit: 10_000 },
    make: one({}, (message) => changed(message, put('/many', membersOf(10_001)))),
  },
  {
    name: 'an array that is too long',
    verdict: ['decode', 'LIMIT_ARRAY'],
    details: { limit: 10_000 },
    make: one({}, (message) => changed(message, put('/many', Array(10_001).fill(0)))),
  },
  {
    name: 'a value that is no envelope',
    verdict: ['shape', 'ENVELOPE_INVALID'],
    details: { path: '/v' },
    make: ({ encoding }) => Promise.resolve([encoded({}, encoding)]),
  },
  {
    name: 'a missing member',
    verdict: ['shape', 'ENVELOPE_INVALID'],
    details: { path: '/from/agent_id' },
    make: one({}, (message) => changed(message, drop('/from/agent_id'))),
  },
  {
    name: 'an unknown content type',
    verdict: ['shape', 'CT_UNSUPPORTED'],
    details: {
      supported_ct: [
        'artifact.v1',
        'error.v1',
        'negotiation.v1',
        'session.v1',
        'state.v1',
        'task.v1',
        'toolcall.v1',
        'toolresult.v1',
        'trustsync.v1',
      ],
    },
    make: one({ ct: 'weather.v1', payload: {} }),
  },
  {
    name: 'a schema by address',
    verdict: ['shape', 'SCHEMA_URI'],
    details: { path: '/schema/kind' },
    make: one(
      {},
      signedAgain(
        put('/schema', {
          kind: 'uri',
          id: `sha256:${'0'.repeat(64)}`,
          uri: 'https://schemas.example/task',
        }),
      ),
    ),
  },
  {
    name: 'more hops than the limit',
    verdict: ['shape', 'LIMIT_HOPS'],
    details: { limit: 8, path: '/trace/hops' },
    make: one({ members: { trace: { root_id: 'r', span_id: 's', hops: 9 } } }),
  },
  {
    name: 'another version',
    verdict: ['version', 'VERSION_UNSUPPORTED'],
    details: { path: '/v' },
    make: one({}, (message) => changed(message, put('/v', 2))),
  },
  {
    name: 'a message for somebody else',
    verdict: ['address', 'ADDRESS_WRONG'],
    make: one({}, (message, { sender, stranger }) =>
      resigned(sender, message, put('/to/agent_id', stranger.agentId)),
    ),
  },
  {
    name: 'a sender that nobody knows',
    verdict: ['policy', 'SENDER_REFUSED'],
    make: async ({ stranger, server, encoding }) => {
      const { envelope } = await forge(stranger, server);
      return [encoded(envelope as unknown as JsonObject, encoding)];
    },
  },
  {
    name: 'a message without a signature',
    verdict: ['policy', 'MODE_REFUSED'],
    make: one({ mode: 'none' }),
  },
  {
    name: 'a message that is encrypted and not signed',
    verdict: ['policy', 'MODE_REFUSED'],
    make: one({ mode: 'enc' }),
  },
  {
    name: 'a signature that does not hold',
    verdict: ['verify', 'SIGNATURE_INVALID'],
    make: one({}, (message) => changed(message, put('/payload/goal', 'another goal'))),
  },
  {
    name: 'a message after its time',
    verdict: ['freshness', 'TIME_INVALID'],
    make: one({ nowMs: NOW - FAR_MS }),
  },
  {
    name: 'a message that would count for too long',
    verdict: ['freshness', 'TIME_INVALID'],
    make: one({ replay: { exp: formatTimestamp(NOW + FAR_MS) } }),
  },
  {
    name: 'a message from the future',
    verdict: ['freshness', 'TIME_INVALID'],
    make: one({ nowMs: NOW + 600_000 }),
  },
  {
    name: 'a signed message without a nonce',
    verdict: ['replay', 'ENVELOPE_INVALID'],
    details: { path: '/sec/replay' },
    make: one({ replay: null }),
  },
  {
    name: 'a nonce that another message had',
    verdict: ['replay', 'REPLAYED'],
    make: async (scene) => {
      const replay = { nonce: newNonce() };
      const [first] = await one({ replay })(scene);
      const [second] = await one({ replay, payload: { ...taskPayload, goal: 'another' } })(scene);
      return [first!, second!];
    },
  },
  {
    name: 'a session that is not open',
    verdict: ['session', 'SESSION_INVALID'],
    make: one({ session: { binding_id: 'none' } }),
  },
  {
    name: 'a payload that is encrypted to another key',
    verdict: ['decrypt', 'DECRYPT_FAILED'],
    isEncrypted: true,
    make: async (scene) => {
      const { stranger, server } = scene;
      const other = encryptionKeyOf({ ...server, identity: stranger });
      const named = { ...other, kid: encryptionKeyOf(server).kid };
      return one({ mode: 'enc+sig', recipients: [named] })(scene);
    },
  },
  {
    name: 'a payload that is encrypted to nobody here',
    verdict: ['decrypt', 'DECRYPT_FAILED'],
    isEncrypted: true,
    make: async (scene) => {
      const { stranger, server } = scene;
      const other = encryptionKeyOf({ ...server, identity: stranger });
      return one({ mode: 'enc+sig', recipients: [other] })(scene);
    },
  },
  {
    name: 'a ciphertext that was changed',
    verdict: ['decrypt', 'DECRYPT_FAILED'],
    isEncrypted: true,
    make: one({ mode: 'enc+sig' }, (message, { sender }) => {
      const { ciphertext } = message.sec!.enc!;
      const [first] = ciphertext;
      const other = `${first === 'A' ? 'B' : 'A'}${ciphertext.slice(1)}`;
      return resigned(sender, message, put('/sec/enc/ciphertext', other));
    }),
  },
  {
    name: 'an encrypted message that is not bound',
    verdict: ['bind', 'BINDING_INVALID'],
    isEncrypted: true,
    make: one({ mode: 'enc+sig' }, signedAgain(drop('/sec/x/bind'))),
  },
  {
    name: 'a payload that does not fit our schema',
    verdict: ['schema', 'PAYLOAD_INVALID'],
    details: { keyword: 'required', path: '/goal', schema_path: '/required' },
    make: one({ payload: { kind: 'task.v1' } }),
  },
  {
    name: 'an encrypted payload that does not fit our schema',
    verdict: ['schema', 'PAYLOAD_INVALID'],
    details: { keyword: 'required', path: '/goal', schema_path: '/required' },
    isEncrypted: true,
    make: one({ mode: 'enc+sig', payload: { kind: 'task.v1' } }),
  },
  {
    name: 'a schema that is not what its hash says',
    verdict: ['schema', 'SCHEMA_HASH'],
    details: { path: '/schema/id' },
    make: one({}, signedAgain(put('/schema/id', `sha256:${'0'.repeat(64)}`))),
  },
];
