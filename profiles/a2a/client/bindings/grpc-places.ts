// Owns the place of a frame in a stream of gRPC, whose frames have no ids: that of the beginning, and how many frames
// follow it. SPEC.md section 20 (#a2a-grpc, #a2a-client-streams).

import type { JsonObject } from '../../../../src/door/index.ts';
import type { ToldFrame } from './binding.ts';

export interface AskedPlace {
  /** What the agent is asked with. */
  readonly header: { readonly lastEventId?: string };
  /** So many frames after it are known. */
  readonly known: number;
}

/** @param id of a frame, as {@link PlacedFrames} gave it: `17`, or `17+3` for the third after it. */
export function placeAsked(id: string | undefined): AskedPlace {
  if (id === undefined) return { header: {}, known: 0 };
  const [, lastEventId, known = '0'] = /^(.*?)(?:\+(\d{1,15}))?$/s.exec(id)!;
  return { header: { lastEventId: lastEventId! }, known: Number(known) };
}

export class PlacedFrames {
  #base: string | undefined;
  #known: number;
  #count = 0;
  #isFirst = true;

  constructor({ header, known }: AskedPlace) {
    this.#base = header.lastEventId;
    this.#known = known;
  }

  /** `undefined` for a frame that is known. @param eventId where the agent says that the stream begins. */
  take(value: JsonObject, eventId: string | undefined): ToldFrame | undefined {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    // Who does not say where it begins does not number its events.
    if (eventId === undefined) {
      this.#known = 0;
      return { value };
    }
    if (value['task'] !== undefined) {
      // A whole task takes the place of all before it. Only the first one has a place that is told.
      this.#base = isFirst ? eventId : undefined;
      this.#known = 0;
      this.#count = 0;
      return isFirst ? { id: eventId, value } : { value };
    }
    this.#count += 1;
    if (this.#count <= this.#known) return undefined;
    return this.#base === undefined ? { value } : { id: `${this.#base}+${this.#count}`, value };
  }
}
