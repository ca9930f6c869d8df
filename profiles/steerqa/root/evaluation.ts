// Owns the events of one evaluation: numbered at one point, in the order in which they are emitted, and no event that
// breaks the order. SPEC.md section 18 (#steerqa-events).

import { randomUUID } from 'node:crypto';

import type { JsonObject } from '../../../src/door/index.ts';
import { writeMoment } from '../moment.ts';
import { misfitOf } from '../schemas.ts';
import type { EventRule, PlacedEvent } from './event-order.ts';
import { EventOrder } from './event-order.ts';

export type SteerqaEventType =
  | 'STATIC_CHECK_COMPLETE'
  | 'INTENT_EXTRACTION_COMPLETE'
  | 'LIGHTNING_COMPLETE'
  | 'REPLICA_COMPLETE'
  | 'DIMENSION_COMPLETE'
  | 'FINAL'
  | 'DIMENSION_EARLY_RESULT'
  | 'ARBITRATION_HINT'
  | 'TOKEN_UPDATE';

/** What Root tells its client. */
export interface SteerqaEvent {
  readonly type: SteerqaEventType;
  readonly evaluation_id: string;
  readonly trace_id: string;
  /** 1 for the first event of the evaluation, one more for each that follows. */
  readonly sequence_id: number;
  readonly dimension?: string;
  /** The same among the events of its dimension. */
  readonly dimension_seq?: number;
  readonly ts: string;
  readonly data: JsonObject;
}

export interface EvaluationOptions {
  /** @default a UUID */
  readonly evaluationId?: string;
  /** @default a UUID */
  readonly traceId?: string;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}

export interface EventContent {
  readonly dimension?: string;
  /** @default nothing */
  readonly data?: JsonObject;
}

export interface Evaluation {
  readonly evaluationId: string;
  readonly traceId: string;
  /** The event with its numbers. Throws a RangeError, and counts nothing, for one that may not come now. */
  emit(type: SteerqaEventType, content?: EventContent): SteerqaEvent;
}

export function createEvaluation(options: EvaluationOptions = {}): Evaluation {
  const { evaluationId = randomUUID(), traceId = randomUUID(), now = Date.now } = options;
  const order = new EventOrder();
  return {
    evaluationId,
    traceId,
    emit: (type, { dimension, data = {} } = {}) => {
      const event: SteerqaEvent = {
        type,
        evaluation_id: evaluationId,
        trace_id: traceId,
        sequence_id: order.nextSequence,
        ...(dimension !== undefined && { dimension, dimension_seq: order.nextOf(dimension) }),
        ts: writeMoment(now()),
        data,
      };
      const misfit = misfitOf('event', event as unknown as JsonObject);
      if (misfit !== undefined) throw new RangeError(`the event does not fit: ${misfit.path}`);
      const rule = order.take(event);
      if (rule !== undefined) throw new RangeError(`the event breaks the rule "${rule}"`);
      return Object.freeze(event);
    },
  };
}

/** The first event that breaks a rule, among those of several evaluations that may be mixed. */
export function createEventCheck(): (event: JsonObject) => EventRule | undefined {
  const orders = new Map<string, EventOrder>();
  return (event) => {
    if (misfitOf('event', event) !== undefined) return 'schema';
    const placed = JSON.parse(JSON.stringify(event)) as PlacedEvent;
    const { evaluation_id: id } = placed;
    const order = orders.get(id) ?? new EventOrder();
    orders.set(id, order);
    return order.take(placed);
  };
}
