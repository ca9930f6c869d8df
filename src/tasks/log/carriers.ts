// Owns who carries a task for its owner in the store: one entry of the space `task-carrier` for each, by which it finds the
// task. It is written and removed together with the row of the task. SPEC.md section 22 (#sealed-carrier).

import { readJson } from '../../codec/json/read.ts';
import { writeJson } from '../../codec/json/write.ts';
import type { JsonObject } from '../../codec/value.ts';
import { SdlError } from '../../errors.ts';
import type { Operation, Store } from '../../stores/store.ts';
import type { TaskScope } from '../task.ts';
import { carrierKey } from './row.ts';
import type { TaskRow } from './row.ts';

const CARRIER_SPACE = 'task-carrier';
/** Of one task. */
const MAX_CARRIERS = 16;

/** What goes with the next change of a task. */
export interface CarrierChange {
  readonly keys: readonly string[];
  /** By which what is kept grows. */
  readonly bytes: number;
  readonly operations: readonly Operation[];
}

type Carried = Pick<TaskRow, 'tenant' | 'owner' | 'id' | 'carriers'>;

/** `undefined` where this one carries it already. Throws LIMIT_RATE for one too many. */
export function joiningCarrier(
  { tenant, owner, id, carriers = [] }: Carried,
  carrier: TaskScope,
): CarrierChange | undefined {
  const key = carrierKey(carrier, id);
  if (carriers.includes(key)) return undefined;
  if (carriers.length >= MAX_CARRIERS) {
    throw new SdlError('LIMIT_RATE', `a task has at most ${MAX_CARRIERS} carriers`);
  }
  const value = writeJson({ tenant, owner });
  return {
    keys: [...carriers, key],
    bytes: key.length + value.length,
    operations: [{ type: 'put', space: CARRIER_SPACE, key, value }],
  };
}

/** Whose task this is, for who carries it; `undefined` where it carries none of this id. */
export async function carriedScope(
  store: Store,
  carrier: TaskScope,
  id: string,
): Promise<Required<TaskScope> | undefined> {
  const found = await store.get(CARRIER_SPACE, carrierKey(carrier, id));
  if (found === undefined) return undefined;
  const { tenant, owner } = readJson(found.value) as JsonObject;
  return { tenant: tenant as string, owner: owner as string };
}

export function droppingCarriers({ carriers = [] }: Pick<TaskRow, 'carriers'>): Operation[] {
  return carriers.map((key) => ({ type: 'delete', space: CARRIER_SPACE, key }));
}
