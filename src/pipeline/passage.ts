// Owns what is known of one message on its way through the checks, and what it is judged with. SPEC.md section 13 (#checks, #policy-snapshot).

import { readJson } from '../codec/json/read.ts';
import type { JsonValue } from '../codec/value.ts';
import type { AuditLog } from '../audit/log.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import type { Encoding } from '../envelope/decode.ts';
import { decodeMessage } from '../envelope/decode.ts';
import type { Envelope, SecurityMode, SigningForm } from '../envelope/types.ts';
import { SdlError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { SchemaRegistry } from '../schema/registry.ts';
import type { Contact, Contacts } from '../security/peers/contacts.ts';
import type { GrantedScope } from '../security/policy/grant-shape.ts';
import type { ModeLatch } from '../security/peers/latch.ts';
import type { OwnIdentity } from '../security/identity/own-identity.ts';
import type { PeerDirectory } from '../security/peers/peer.ts';
import type { Policy, ReplyRequirement } from '../security/policy/policy.ts';
import type { ReplayGuard, ReplayVerdict } from '../security/replay/replay.ts';
import type { ResolvedSender } from '../security/peers/resolve-sender.ts';
import type { SessionBook } from '../security/session.ts';
import type { PeerFacts } from '../transport.ts';
import type { AdmissionControl, Ticket } from './admission.ts';

/** What stays the same for every message. */
export interface CheckServices {
  readonly crypto: CryptoProvider;
  readonly registry: SchemaRegistry;
  /** What is accepted as a request or event; an answer may be of any type that has a schema. */
  readonly handledTypes: ReadonlySet<string>;
  /** The content type that a sender must be allowed to send for this one. @default that one itself */
  readonly rightFor?: (ct: string) => string;
  readonly limits: Limits;
  readonly admission: AdmissionControl;
  readonly contacts: Contacts;
  readonly latch: ModeLatch;
  readonly replay: ReplayGuard;
  readonly sessions: SessionBook;
  /** Absent where no log is kept. */
  readonly audit?: AuditLog;
  /** Throws for a version or content type that this receiver does not take. */
  readonly checkVersion: (envelope: Envelope) => void;
}

/** Taken once for each message: a change in between must not judge the second half of it (W52). */
export interface Snapshot {
  readonly nowMs: number;
  readonly policy: Policy;
  readonly peers: PeerDirectory;
  readonly identity: OwnIdentity;
}

/** A request of ours that waits for its answer: what the answer must fit. */
export interface OpenRequest {
  readonly id: string;
  readonly spanId: string;
  readonly agentId: string;
  readonly mode: SecurityMode;
  /** The SHA-256 of its signing input; absent when it was not signed. */
  readonly inputHash?: Uint8Array;
}

/** What the checks need of a message. */
export interface PassageMessage {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  /** What `decode` would read of the bytes, where somebody has read it already within the same limits. */
  readonly value?: JsonValue;
  /** @default nothing is known of the other end */
  readonly peer?: PeerFacts;
}

const UNKNOWN_PEER: PeerFacts = { transport: 'none', address: 'none' };

/** Filled check by check. What a check needs, an earlier one has put there. */
export class Passage {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
  readonly peer: PeerFacts;
  readonly services: CheckServices;
  readonly snapshot: Snapshot;
  /** The message answers this request; else it is a request or an event. */
  readonly answers: OpenRequest | undefined;

  ticket: Ticket | undefined;
  value: JsonValue | undefined;
  /** `v` is another version: nothing else of the message was judged. */
  versionFault: SdlError | undefined;
  contact: Contact | undefined;
  replyRequirement: ReplyRequirement | undefined;
  /** The signature holds. */
  isProven = false;
  /** An error that does not say to which request: it proves nothing about this one. */
  isUnbound = false;
  /** `sec.x.req` is there and fits: it answers these very bytes. */
  isBoundByHash = false;
  form: SigningForm | undefined;
  /** The SHA-256 of the signing input, or of the bytes of an unsigned message. */
  inputHash: Uint8Array | undefined;
  replayVerdict: ReplayVerdict | undefined;
  contentKey: Uint8Array | undefined;
  plaintext: Uint8Array | undefined;
  granted: GrantedScope | undefined;
  /** Where the log has the request. */
  auditSeq: number | undefined;

  #envelope: Envelope | undefined;
  #sender: ResolvedSender | undefined;
  #payload: JsonValue | undefined;
  tsMs: number | undefined;
  expMs: number | undefined;

  constructor(
    { bytes, encoding, value, peer = UNKNOWN_PEER }: PassageMessage,
    services: CheckServices,
    snapshot: Snapshot,
    answers?: OpenRequest,
  ) {
    this.bytes = bytes;
    this.encoding = encoding;
    this.value = value;
    this.peer = peer;
    this.services = services;
    this.snapshot = snapshot;
    this.answers = answers;
  }

  /** Reads the bytes, once: as a check, or so that the sender of what was refused before can be told. */
  decode(): void {
    this.value ??= decodeMessage(this.bytes, this.encoding, this.services.limits);
  }

  get envelope(): Envelope {
    return required(this.#envelope, 'shape');
  }

  set envelope(envelope: Envelope) {
    this.#envelope = envelope;
    if (envelope.sec?.enc === undefined) this.#payload = envelope.payload;
  }

  get hasEnvelope(): boolean {
    return this.#envelope !== undefined;
  }

  get sender(): ResolvedSender {
    return required(this.#sender, 'policy');
  }

  set sender(sender: ResolvedSender) {
    this.#sender = sender;
  }

  get hasSender(): boolean {
    return this.#sender !== undefined;
  }

  /** It has been read, and what it was bound to holds. */
  get hasPayload(): boolean {
    return this.#payload !== undefined;
  }

  /** In clear. A plaintext is read when it is first asked for, by `schema`. */
  get payload(): JsonValue {
    if (this.plaintext !== undefined)
      this.#payload ??= readPlaintext(this.plaintext, this.services.limits);
    return required(this.#payload, 'decrypt');
  }
}

function readPlaintext(plaintext: Uint8Array, limits: Limits): JsonValue {
  try {
    return readJson(plaintext, limits);
  } catch (cause) {
    if (cause instanceof SdlError && cause.code.startsWith('LIMIT_')) throw cause;
    throw new SdlError('DECRYPT_FAILED', 'the payload is not JSON', { cause });
  }
}

function required<T>(value: T | undefined, stage: string): T {
  if (value === undefined) throw new SdlError('INTERNAL', `the check "${stage}" has not run`);
  return value;
}
