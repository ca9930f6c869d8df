// Owns the content types that carry SteerQA in signed envelopes: the same bodies, the same work, the same finals.
// SPEC.md section 18 (#steerqa-carriage).

import type { CallContext, JsonObject, JsonValue, TaskService } from '../../src/door/index.ts';
import { SdlError } from '../../src/door/index.ts';
import type { Schema } from '../../src/schema/index.ts';
import { isJsonObject, readJson } from '../../src/transport.ts';
import { exchange } from './exchange.ts';
import { readOffer } from './offer.ts';
import type { SteerqaOptions } from './options.ts';
import { resolveSteerqa } from './options.ts';
import { Refusal } from './refusal.ts';
import { CARRIED } from './schemas.ts';

/** Who speaks, and what of it concerns a body of SteerQA. */
export interface CarriedContext {
  readonly call: CallContext;
  readonly request: { readonly type: string };
  readonly wantsStream: boolean;
  readonly now: () => number;
}

export interface CarriedAnswer {
  readonly ct: string;
  readonly payload: JsonValue;
  readonly isEvent?: boolean;
}

/** For `contents` of a runtime. */
export interface SteerqaContent {
  readonly ct: string;
  readonly schema: Schema;
  readonly replies: readonly string[];
  readonly handle: (
    payload: JsonValue,
    context: CarriedContext,
  ) => Promise<undefined> | AsyncIterable<CarriedAnswer>;
}

export interface SteerqaContentsOptions extends Pick<SteerqaOptions, 'agents' | 'skewMs'> {
  /** The way to the tasks of the agent, asked when it is needed: `() => runtime.tasks`. */
  readonly tasks: () => TaskService;
  /** Told of results and events that somebody sends. @default they are checked and recorded, no more */
  readonly onMessage?: (message: JsonObject, from: CallContext) => void;
}

const OFFER = 'steerqa.offer.v1';
const RESULT = 'steerqa.result.v1';
const EVENT = 'steerqa.event.v1';

/** For `schemas` of a client that is answered with these. */
export const STEERQA_SCHEMAS: Readonly<Record<string, Schema>> = {
  [OFFER]: CARRIED.offer,
  [RESULT]: CARRIED.result,
  [EVENT]: CARRIED.event,
};

/** `steerqa.offer.v1` asks for work; `steerqa.result.v1` and `steerqa.event.v1` only tell something. */
export function steerqaContents(options: SteerqaContentsOptions): readonly SteerqaContent[] {
  const { agents, skewMs } = resolveSteerqa(options);
  const { onMessage } = options;
  const telling = (ct: string, schema: Schema): SteerqaContent => ({
    ct,
    schema,
    replies: [],
    handle: async (payload, { call, request }) => {
      if (request.type !== 'evt') throw new SdlError('CT_UNSUPPORTED', `${ct} is sent as an event`);
      if (isJsonObject(payload)) onMessage?.(payload, call);
      return undefined;
    },
  });
  return [
    {
      ct: OFFER,
      schema: CARRIED.offer,
      replies: [RESULT],
      handle: async function* (payload, { call, request, wantsStream, now }) {
        try {
          const read = readOffer(payload as JsonObject, now(), skewMs);
          const messages = exchange(read, { tasks: options.tasks(), call, agents, now });
          for await (const { type, bytes } of messages) {
            if (request.type === 'evt') continue;
            const isEvent = type === 'partial';
            if (isEvent && !wantsStream) continue;
            yield { ct: RESULT, payload: readJson(bytes), isEvent };
          }
        } catch (thrown) {
          throw thrown instanceof Refusal ? thrown.toSdlError() : thrown;
        }
      },
    },
    telling(RESULT, CARRIED.result),
    telling(EVENT, CARRIED.event),
  ];
}
