// What an attacker can do: messages made like real ones, changed where a test wants it and signed again, and a way to
// a peer on which somebody sits.

import { onTestFinished } from 'vitest';

import type { LocalIdentity } from '../../../src/security/identity/identity.ts';
import { encodeBase64url } from '../../../src/codec/base64url.ts';
import { readJson } from '../../../src/codec/json/read.ts';
import { writeJson } from '../../../src/codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import type { Content } from '../../../src/envelope/build.ts';
import { createEnvelopeBuilder } from '../../../src/envelope/build.ts';
import { defaultCapabilities } from '../../../src/envelope/capabilities.ts';
import type { Encoding } from '../../../src/envelope/decode.ts';
import { decodeMessage } from '../../../src/envelope/decode.ts';
import { formatTimestamp } from '../../../src/envelope/timestamp.ts';
import type {
  Envelope,
  Identity,
  Sec,
  SecurityMode,
  SigningForm,
} from '../../../src/envelope/types.ts';
import { originOf } from '../../../src/handlers/task/origin.ts';
import type { Outcome } from '../../../src/pipeline/receive.ts';
import type { SealedEnvelope } from '../../../src/pipeline/seal-envelope.ts';
import { sealEnvelope } from '../../../src/pipeline/seal-envelope.ts';
import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import type { SchemaRegistry } from '../../../src/schema/registry.ts';
import { bundleKeys } from '../../../src/security/identity/key-bundle.ts';
import { isEncrypted, isSigned } from '../../../src/security/message/mode.ts';
import type { OwnIdentity } from '../../../src/security/identity/own-identity.ts';
import { decryptionKeyOf, signingKeyOf } from '../../../src/security/identity/own-identity.ts';
import type {
  EncryptionBlock,
  RecipientKey,
} from '../../../src/security/message/encrypt-payload.ts';
import { decryptPayload } from '../../../src/security/message/encrypt-payload.ts';
import type { Peer } from '../../../src/security/peers/peer.ts';
import { signEnvelope } from '../../../src/security/message/sign.ts';
import { signingInput } from '../../../src/security/message/signing-input.ts';
import { applyPatch } from '../../../src/state/apply-patch.ts';
import type { Dialer, Inbound, Incoming, Outbound, Reply } from '../../../src/transport.ts';
import type { Agent } from '../agents/agents.ts';
import {
  NOW,
  crypto,
  entryFor,
  inboundOf,
  newAgent,
  newIdentity,
  repliesOf,
} from '../agents/agents.ts';
import { registry, taskPayload } from './envelopes.ts';

/** An agent under attack. */
export interface Receiver extends Agent {
  readonly outcomes: Outcome[];
  /** The payloads that reached the handler of `task.v1`. */
  readonly runs: JsonObject[];
}

export async function newReceiver(options: Partial<RuntimeOptions> = {}): Promise<Receiver> {
  const outcomes: Outcome[] = [];
  const runs: JsonObject[] = [];
  const agent = await newAgent({
    onTask: (task) => {
      runs.push(originOf(task).payload!);
      return Promise.resolve(undefined);
    },
    ...options,
    on: { outcome: (outcome) => outcomes.push(outcome), ...options.on },
  });
  onTestFinished(() => agent.runtime.close({ graceMs: 0 }));
  return { ...agent, outcomes, runs };
}

/** A receiver that knows two agents alike: one is honest, the other has no more rights than it. */
export interface Scene {
  readonly bob: Receiver;
  readonly alice: LocalIdentity;
  readonly mallory: LocalIdentity;
}

export async function newScene(options: Partial<RuntimeOptions> = {}): Promise<Scene> {
  const bob = await newReceiver(options);
  const [alice, mallory] = await Promise.all([newIdentity(), newIdentity()]);
  bob.book.add(entryFor(alice));
  bob.book.add(entryFor(mallory));
  return { bob, alice, mallory };
}

/** What a message is made of; what is left out is as an honest sender has it. */
export interface Draft extends Partial<Content> {
  readonly type?: 'req' | 'evt';
  /** @default 'sig' */
  readonly mode?: SecurityMode;
  readonly encoding?: Encoding;
  /** @default 'jcs' */
  readonly form?: SigningForm;
  /** Members of the envelope that are put in before it is sealed. */
  readonly members?: Partial<Envelope>;
  /** @default a nonce for a minute; `null` for none */
  readonly replay?: Partial<NonNullable<Sec['replay']>> | null;
  readonly session?: JsonObject;
  readonly recipients?: readonly RecipientKey[];
  /** When the sender thinks it is. @default the receiver's time */
  readonly nowMs?: number;
}

/** Does not mind what it seals: payloads that our own schema refuses must be sent too. */
const CARELESS = { checkOwn: () => undefined } as unknown as SchemaRegistry;

export function identityOf({ agentId }: OwnIdentity): Identity {
  return { agent_id: agentId, name: 'agent', instance: '1', role: 'agent' };
}

export function encryptionKeyOf({ identity }: Agent): RecipientKey {
  const [newest] = bundleKeys(identity.bundle, 'enc', NOW);
  return newest!;
}

/** A message of `sender` to the receiver, sealed. */
export function forge(
  sender: OwnIdentity,
  receiver: Agent,
  draft: Draft = {},
): Promise<SealedEnvelope> {
  const { ct = 'task.v1', payload = taskPayload, type = 'req', mode = 'sig', replay } = draft;
  const nowMs = draft.nowMs ?? receiver.clock.nowMs;
  const built = builderOf(sender, nowMs).request(
    identityOf(receiver.identity),
    { ct, payload },
    { type },
  );
  const nonce = { nonce: newNonce(), exp: formatTimestamp(nowMs + 60_000), ...replay };
  return sealEnvelope(
    { ...built, ...draft.members },
    {
      encoding: draft.encoding ?? 'json',
      identity: sender,
      nowMs: NOW,
      form: isSigned(mode) ? (draft.form ?? 'jcs') : undefined,
      recipients: isEncrypted(mode) ? (draft.recipients ?? [encryptionKeyOf(receiver)]) : undefined,
      ...(isSigned(mode) && replay !== null && { replay: nonce }),
      session: draft.session,
    },
    { crypto, registry: CARELESS },
  );
}

export function newNonce(): string {
  return encodeBase64url(crypto.randomBytes(18));
}

function builderOf(sender: OwnIdentity, nowMs: number): ReturnType<typeof createEnvelopeBuilder> {
  const cap = defaultCapabilities();
  const { bundle } = sender;
  return createEnvelopeBuilder({
    identity: identityOf(sender),
    cap: {
      ...cap,
      a2a_sdl: { ...(cap['a2a_sdl'] as JsonObject), ...(bundle && { bundle: bundle.document }) },
    },
    schemaFor: (ct) => registry.descriptorFor(registry.contentTypes.has(ct) ? ct : 'task.v1'),
    now: () => nowMs,
  });
}

export interface ForgedReply extends Content {
  readonly type?: 'res' | 'evt';
  /** @default that of the request */
  readonly mode?: SecurityMode;
  /** Members of the envelope that are put in before it is sealed. */
  readonly members?: Partial<Envelope>;
  /** @default the id of the request; `null` for none */
  readonly re?: string | null;
  /** What `sec.x.req` is to say. @default nothing */
  readonly answersInput?: Uint8Array;
}

/** An answer of `sender` to a request that it has seen as bytes. */
export async function forgeReply(
  sender: OwnIdentity,
  requester: Agent,
  { bytes, encoding }: Incoming,
  { ct, payload, type = 'res', mode, members, re, answersInput }: ForgedReply,
): Promise<Incoming> {
  const request = decodeMessage(bytes, encoding) as unknown as Envelope;
  const { id, ...rest } = request;
  const replyTo = re === null ? rest : { ...rest, id: re ?? id };
  const reply = builderOf(sender, NOW).reply(replyTo, { ct, payload }, type);
  const sealedAs = mode ?? request.sec?.mode ?? 'none';
  return sealEnvelope(
    { ...reply, ...members },
    {
      encoding,
      identity: sender,
      nowMs: NOW,
      form: isSigned(sealedAs) ? 'jcs' : undefined,
      recipients: isEncrypted(sealedAs) ? [encryptionKeyOf(requester)] : undefined,
      answersInput,
    },
    { crypto, registry: CARELESS },
  );
}

/** The message after these changes, its signature left as it was. */
export function changed(message: Envelope | JsonObject, ...operations: JsonObject[]): JsonObject {
  return applyPatch(message as JsonObject, operations) as JsonObject;
}

export const put = (path: string, value: JsonValue): JsonObject => ({ op: 'add', path, value });
export const drop = (path: string): JsonObject => ({ op: 'remove', path });

/** The message after these changes, signed once more by whoever `sender` is. */
export async function resigned(
  sender: OwnIdentity,
  message: Envelope | JsonObject,
  ...operations: JsonObject[]
): Promise<JsonObject> {
  const { kid, key } = signingKeyOf(sender, NOW);
  const blank = changed(message, put('/sec/kid', kid), put('/sec/sig/value', ''), ...operations);
  const form = ((blank['sec'] as JsonObject)['sig'] as JsonObject)['canon'] as SigningForm;
  return (await signEnvelope(blank, form, key.reveal(), crypto)).envelope;
}

/** What became of a message. */
export interface Judged {
  readonly outcome: Outcome;
  /** The code with which it was refused. */
  readonly code: string | undefined;
  /** The last message of the answer as it stands on the wire, if there is one. */
  readonly reply: JsonObject | undefined;
  readonly replies: readonly Reply[];
}

export type Wire = SealedEnvelope | Envelope | JsonObject | Uint8Array;

/** Sends a message into the receiver's checks and tells what became of it. */
export async function judge(
  receiver: Receiver,
  message: Wire,
  parts: Partial<Inbound> = {},
): Promise<Judged> {
  const { bytes, encoding } = wireOf(message);
  const replies = await repliesOf(receiver.runtime, inboundOf(bytes, encoding, parts));
  const outcome = receiver.outcomes.at(-1)!;
  const last = replies.at(-1);
  const reply = last && (decodeMessage(last.bytes, last.encoding) as JsonObject);
  return { outcome, code: outcome.error?.code, reply, replies };
}

/** The bytes of a message, whichever way a test has it. */
export function wireOf(message: Wire): Incoming {
  if (message instanceof Uint8Array) return { bytes: message, encoding: 'json' };
  if (Object.hasOwn(message, 'bytes')) return message as SealedEnvelope;
  return { bytes: writeJson(message as JsonObject), encoding: 'json' };
}

/** The payload of a message in clear, for whoever holds one of its keys. */
export function openedBy(identity: OwnIdentity, message: JsonObject | undefined): JsonObject {
  const enc = (message?.['sec'] as JsonObject | undefined)?.['enc'];
  if (enc === undefined) return message?.['payload'] as JsonObject;
  const opened = decryptPayload(
    enc as unknown as EncryptionBlock,
    (kid) => decryptionKeyOf(identity, kid)?.key.reveal(),
    crypto,
  );
  return readJson(opened.plaintext) as JsonObject;
}

interface TappedWire {
  readonly dialer: Dialer;
  readonly sent: Outbound[];
}

/** A way to `memory:bob` on which every request is answered by whoever sits there. */
function tappedWire(answer: (outbound: Outbound) => Promise<readonly Incoming[]>): TappedWire {
  const sent: Outbound[] = [];
  const dialer: Dialer = {
    schemes: ['memory:'],
    dial: () =>
      Promise.resolve({
        isOpen: true,
        async *exchange(outbound) {
          sent.push(outbound);
          yield* await answer(outbound);
        },
        notify: (outbound) => {
          sent.push(outbound);
          return Promise.resolve();
        },
        close: () => Promise.resolve(),
      }),
  };
  return { dialer, sent };
}

/** Lets the real agent answer. */
export function answersOf(receiver: Agent, { bytes, encoding }: Incoming): Promise<Reply[]> {
  return repliesOf(receiver.runtime, inboundOf(bytes, encoding));
}

/** Two agents that know each other; the first asks. */
export interface Pair {
  readonly alice: Agent;
  readonly bob: Receiver;
}

export interface Asking extends Pair {
  readonly wire: TappedWire;
  /** Asks Bob for a ping; the result, or what the exchange failed with. */
  readonly ask: (mode?: SecurityMode) => Promise<unknown>;
}

export interface AskingOptions {
  /** What Alice's book says of Bob besides his keys. */
  readonly entry?: Partial<Peer>;
  /** @default one with a bundle */
  readonly identity?: OwnIdentity;
}

/** Alice asks Bob, and `answer` decides what she gets to see. */
export async function asking(
  answer: (outbound: Outbound, pair: Pair) => Promise<readonly Incoming[]>,
  { entry = {}, identity }: AskingOptions = {},
): Promise<Asking> {
  const bob = await newReceiver();
  const wire = tappedWire((outbound) => answer(outbound, { alice, bob }));
  const alice = await newAgent({ transports: [wire.dialer], ...(identity && { identity }) });
  onTestFinished(() => alice.runtime.close({ graceMs: 0 }));
  alice.book.add(entryFor(bob.identity, { endpoints: ['memory:bob'], ...entry }));
  bob.book.add(entryFor(alice.identity));
  const ask = (mode: SecurityMode = 'enc+sig'): Promise<unknown> =>
    alice.runtime
      .connect(bob.identity.agentId)
      .call('sys.ping', {}, { mode, retries: 0 })
      .catch((thrown: unknown) => thrown);
  return { alice, bob, wire, ask };
}

/** The hash that the answer to this request has to carry. */
export function inputHashOf({ bytes, encoding }: Incoming): Uint8Array {
  return crypto.sha256(signingInput(decodeMessage(bytes, encoding) as JsonObject, 'jcs'));
}
