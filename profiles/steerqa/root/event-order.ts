// Owns the order of the events of an evaluation: numbered without gaps, stage after stage, FINAL last and once.
// SPEC.md section 18 (#steerqa-events).

/** What of an event decides about its place. It fits its schema. */
export interface PlacedEvent {
  readonly type: string;
  readonly evaluation_id: string;
  readonly sequence_id: number;
  readonly dimension?: string;
  readonly dimension_seq?: number;
}

export type EventRule =
  'json' | 'schema' | 'sequence' | 'dimension' | 'dimension_sequence' | 'order' | 'final';

/** Events that are of no stage, such as early results, may come in any of them. */
const STAGES: Readonly<Record<string, number>> = {
  STATIC_CHECK_COMPLETE: 1,
  INTENT_EXTRACTION_COMPLETE: 2,
  LIGHTNING_COMPLETE: 3,
  REPLICA_COMPLETE: 4,
  DIMENSION_COMPLETE: 4,
  FINAL: 5,
};
const REPLICAS = 4;
const FINAL_STAGE = 5;
const OF_DIMENSION: ReadonlySet<string> = new Set([
  'REPLICA_COMPLETE',
  'DIMENSION_COMPLETE',
  'DIMENSION_EARLY_RESULT',
]);

/** How far one evaluation is. */
export class EventOrder {
  #sequence = 0;
  #stage = 0;
  /** The number of the last event of each dimension. */
  readonly #numbers = new Map<string, number>();
  readonly #open = new Set<string>();
  readonly #complete = new Set<string>();

  get nextSequence(): number {
    return this.#sequence + 1;
  }

  nextOf(dimension: string): number {
    return (this.#numbers.get(dimension) ?? 0) + 1;
  }

  /** The first rule that the event breaks; one that breaks none is taken in. */
  take(event: PlacedEvent): EventRule | undefined {
    const broken = this.#broken(event);
    if (broken === undefined) this.#add(event);
    return broken;
  }

  #broken(event: PlacedEvent): EventRule | undefined {
    const { type, sequence_id, dimension, dimension_seq } = event;
    if (this.#stage === FINAL_STAGE) return 'final';
    if (sequence_id !== this.nextSequence) return 'sequence';
    if (OF_DIMENSION.has(type) && dimension === undefined) return 'dimension';
    if (dimension !== undefined && dimension_seq !== this.nextOf(dimension)) {
      return 'dimension_sequence';
    }
    const stage = STAGES[type];
    if (stage === undefined) return undefined;
    // Many replicas and dimensions, every other stage once.
    if (stage < this.#stage || (stage === this.#stage && stage !== REPLICAS)) return 'order';
    if (stage === REPLICAS && this.#complete.has(dimension!)) return 'order';
    return stage === FINAL_STAGE && this.#open.size > 0 ? 'order' : undefined;
  }

  #add({ type, sequence_id, dimension, dimension_seq }: PlacedEvent): void {
    this.#sequence = sequence_id;
    this.#stage = Math.max(this.#stage, STAGES[type] ?? 0);
    if (dimension === undefined) return;
    this.#numbers.set(dimension, dimension_seq!);
    if (type === 'REPLICA_COMPLETE') this.#open.add(dimension);
    if (type !== 'DIMENSION_COMPLETE') return;
    this.#open.delete(dimension);
    this.#complete.add(dimension);
  }
}
