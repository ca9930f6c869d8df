// Owns the messages of SteerQA as programs see them: offers, results, errors. SPEC.md section 18 (#steerqa-messages).

import type { JsonObject, JsonValue } from '../../src/door/index.ts';

/** What every message carries. */
export interface SteerqaEnvelope {
  /** Such as `1.0`. */
  readonly version: string;
  readonly message_type: string;
  readonly task_id: string;
  readonly trace_id: string;
  /** RFC 3339 with an offset. */
  readonly issued_at: string;
  /** Milliseconds. */
  readonly ttl: number;
  readonly idempotency_key: string;
  /** Of an offer the build that is asked for, such as `clarity@0.1.0`. */
  readonly agent_version: string;
}

/** What Root asks of an agent. With a `dimension` it is a dimension offer, without one an intent offer. */
export interface SteerqaOffer extends SteerqaEnvelope {
  readonly prompt: string;
  readonly hints?: { readonly static_findings?: readonly JsonValue[] };
  readonly policy?: { readonly max_latency_ms?: number };
  readonly scoring_contract?: { readonly schema_version: string };
  readonly dimension?: string;
  /** 0 to 100. */
  readonly dimension_cap?: number;
  readonly k_replicas?: number;
  readonly run_id?: string;
  readonly seed?: number;
  /** What is not known is kept. */
  readonly [member: string]: unknown;
}

/** What an agent answers. `partial` may come several times before the one that is `final`, or has no status. */
export interface SteerqaResult extends Pick<
  SteerqaEnvelope,
  'version' | 'message_type' | 'task_id' | 'trace_id' | 'agent_version'
> {
  readonly status?: 'partial' | 'final';
  readonly intent_packet?: JsonObject;
  readonly verdict?: JsonObject;
  readonly early_result?: JsonObject;
  readonly arbitration_hint?: JsonObject;
  readonly [member: string]: unknown;
}

/** By the names of their schemas. */
export type SteerqaKind =
  | 'intent_offer'
  | 'dimension_offer'
  | 'intent_result'
  | 'replica_result'
  | 'early_partial'
  | 'hint_partial'
  | 'error'
  | 'event';

/** The version that is spoken here. */
export const VERSION = '1.0';
export const FACE = 'steerqa';
/** The artifacts that a handler hands over. */
export const PARTIAL = 'steerqa.partial';
export const FINAL = 'steerqa.final';

/** The part of a version before the first point. */
export function majorOf(version: string): string {
  return version.split('.', 1)[0]!;
}

/** The part of `agent_version` before the `@`: the agent, whatever its build. */
export function agentNameOf(agentVersion: string): string {
  return agentVersion.split('@', 1)[0]!;
}
