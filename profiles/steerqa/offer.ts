// Owns reading an offer: what it has to be, in the order in which it is looked at, and until when its work has time.
// SPEC.md section 18 (#steerqa-offer).

import type { JsonObject, Task } from '../../src/door/index.ts';
import { SdlError } from '../../src/door/index.ts';
import type { Limits } from '../../src/transport.ts';
import { isJsonObject, readJson } from '../../src/transport.ts';
import { fingerprintOf, taskIdOf } from './fingerprint.ts';
import type { SteerqaOffer } from './messages.ts';
import { FACE, VERSION, majorOf } from './messages.ts';
import { readMoment } from './moment.ts';
import { Refusal } from './refusal.ts';
import { kindOf, misfitOf } from './schemas.ts';

/** An offer that is well formed; whether there is still time for it is another question. */
export interface ReadOffer {
  readonly offer: JsonObject;
  readonly taskId: string;
  readonly fingerprint: string;
  /** Milliseconds since the epoch, as the next two. From then on it is too old to begin with. */
  readonly expiresAt: number;
  /** Until then who asked waits. */
  readonly deadline: number;
}

/** The last moment of the year 9999, which every form of a moment can say. */
const LAST_MOMENT = 253_402_300_799_999;

/** The object that came. Throws a {@link Refusal}. */
export function readObject(bytes: Uint8Array, limits: Limits): JsonObject {
  let value;
  try {
    value = readJson(bytes, limits);
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    throw new Refusal('offer', `no JSON object without duplicate members: ${thrown.row.words}`, {
      cause: thrown,
    });
  }
  if (isJsonObject(value)) return value;
  throw new Refusal('offer', 'no JSON object');
}

/** @param skewMs by how much the clock of Root may be another one. */
export function readOffer(value: JsonObject, receivedMs: number, skewMs: number): ReadOffer {
  const version = textIn(value, 'version');
  if (majorOf(version) !== majorOf(VERSION)) {
    throw new Refusal('version', `this agent speaks version ${VERSION}`);
  }
  if (textIn(value, 'message_type') !== 'task_offer') {
    throw new Refusal('messageType', 'this agent takes messages of the type task_offer');
  }
  const misfit = misfitOf(kindOf(value)!, value);
  if (misfit !== undefined) throw new Refusal('offer', misfit.words);
  const issuedAt = readMoment(value['issued_at'] as string)!;
  if (issuedAt > receivedMs + skewMs) {
    throw new Refusal('offer', '/issued_at lies in the future');
  }
  const { ttl, policy = {} } = value;
  const { max_latency_ms: patience = Infinity } = policy as JsonObject;
  const expiresAt = issuedAt + Number(ttl) + skewMs;
  const deadline = Math.min(
    receivedMs + Number(ttl),
    expiresAt,
    receivedMs + Number(patience),
    LAST_MOMENT,
  );
  return { offer: value, ...namesOf(value), expiresAt, deadline };
}

function namesOf(offer: JsonObject): Pick<ReadOffer, 'taskId' | 'fingerprint'> {
  try {
    return { taskId: taskIdOf(offer), fingerprint: fingerprintOf(offer) };
  } catch (thrown) {
    // Text that no UTF-8 can carry.
    if (thrown instanceof TypeError)
      throw new Refusal('offer', 'a text is no Unicode', { cause: thrown });
    throw thrown;
  }
}

function textIn(value: JsonObject, name: string): string {
  const text = Object.hasOwn(value, name) ? value[name] : undefined;
  if (typeof text === 'string' && text !== '') return text;
  throw new Refusal('offer', `/${name} does not fit: a text that is not empty`);
}

/** The offer as it is kept with its task. */
export function offerOf(task: Pick<Task, 'history' | 'source'>): JsonObject | undefined {
  const data = task.source.face === FACE ? task.history[0]?.data : undefined;
  return isJsonObject(data) ? data : undefined;
}

/**
 * For handlers: the offer that a task came from, numbers as JavaScript has them; `undefined` for a task that came in
 * another dialect.
 */
export function steerqaOffer(task: Pick<Task, 'history' | 'source'>): SteerqaOffer | undefined {
  const offer = offerOf(task);
  return offer && (JSON.parse(JSON.stringify(offer)) as SteerqaOffer);
}
