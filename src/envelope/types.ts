// Owns the types of an envelope, with the wire's own spelling. SPEC.md section 2 (#envelope-required).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import type { SchemaDescriptor } from '../schema/descriptor.ts';

export type MessageType = 'req' | 'res' | 'evt';
export type SecurityMode = 'none' | 'sig' | 'enc' | 'enc+sig';
export type SigningForm = 'jcs' | 'python' | 'cbor';

export interface Identity {
  readonly agent_id: string;
  readonly name: string;
  readonly instance: string;
  readonly role: string;
}

export interface Trace {
  readonly root_id: string;
  readonly span_id: string;
  readonly parent_span_id?: string;
  readonly hops: number;
  /** On a reply: the receipt of the agent that answered (section 10). */
  readonly audit?: JsonObject;
}

export interface Recipient {
  readonly kid: string;
  readonly eph: string;
  readonly wn: string;
  readonly ek: string;
}

export interface Sec {
  readonly mode: SecurityMode;
  readonly kid?: string;
  readonly sig?: { readonly alg: 'ed25519'; readonly value: string; readonly canon?: SigningForm };
  readonly enc?: {
    readonly alg: 'x25519-chacha20poly1305';
    readonly nonce: string;
    readonly ciphertext: string;
    readonly recipients: readonly Recipient[];
  };
  readonly replay?: { readonly nonce: string; readonly exp: string };
  readonly session?: JsonObject;
  readonly x?: JsonObject;
}

/** An envelope whose shape holds. Nothing in it is proven yet: signature, freshness and payload are later checks. */
export interface Envelope {
  readonly v: 1;
  readonly id: string;
  readonly ts: string;
  readonly type: MessageType;
  readonly from: Identity;
  readonly to: Identity;
  readonly cap: JsonObject;
  readonly ct: string;
  readonly schema: SchemaDescriptor;
  readonly payload: JsonValue;
  readonly trace?: Trace;
  readonly sec?: Sec;
  readonly re?: string;
}
