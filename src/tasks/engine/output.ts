// Owns how much an attempt may report: so much output, so many events, so many of them not yet stored.
// SPEC.md section 8 (#exchange).

import type { Artifact, ArtifactContent, KeptArtifact } from '../artifact.ts';
import { ITEM_WEIGHT, keptOf } from '../artifact.ts';
import { TaskError } from '../error.ts';
import type { ArtifactChange, TaskChange } from '../event.ts';
import type { Part } from '../part.ts';
import { PART_WEIGHT, partWeight } from '../part.ts';

export interface OutputLimits {
  readonly maxOutputBytes: number;
  readonly maxEvents: number;
  readonly maxPendingReports: number;
}

/** An artifact without its content. */
interface Known {
  readonly id: string;
  readonly name: string | undefined;
  parts: number;
  /** Of the last part, where that is text or bytes. */
  last: { readonly kind: 'text' | 'bytes'; readonly facts: Part; length: number } | undefined;
  isComplete: boolean;
  weight: number;
}

/** What one attempt has reported, stored or about to be. */
export class OutputTally {
  readonly #limits: OutputLimits;
  readonly #artifacts: Known[] = [];
  #bytes = 0;
  #events = 0;

  /** @param artifacts what the attempt goes on from. */
  constructor(limits: OutputLimits, artifacts: readonly Artifact[]) {
    this.#limits = limits;
    for (const artifact of artifacts) {
      const { parts, length } = keptOf(artifact);
      const weight = weightOf(artifact) + ITEM_WEIGHT;
      this.#artifacts.push({
        ...known(artifact, weight),
        parts,
        last: lastOf(artifact.parts, length),
        isComplete: artifact.isComplete,
      });
      this.#bytes += weight;
    }
  }

  get artifacts(): readonly Pick<Artifact, 'id' | 'name' | 'isComplete'>[] {
    return this.#artifacts as readonly Pick<Artifact, 'id' | 'name' | 'isComplete'>[];
  }

  /** How long each artifact is, and which have ended. */
  get kept(): readonly KeptArtifact[] {
    return this.#artifacts.map(({ id, parts, last, isComplete }) => ({
      id,
      parts,
      ...(last !== undefined && { length: last.length }),
      isComplete,
    }));
  }

  /**
   * Does it get a place? Progress that comes too often or too fast does not; output that is too much, or comes too
   * fast, is an error, because it must not get lost.
   */
  admit(change: TaskChange, pending: number): boolean {
    const { maxEvents, maxPendingReports } = this.#limits;
    if (change.type === 'status') {
      // Half of the events are kept for output.
      if (this.#events >= maxEvents / 2 || pending >= maxPendingReports) return false;
    } else if (change.type === 'artifact') {
      this.#admitOutput(change, pending);
    }
    this.#events += 1;
    return true;
  }

  #admitOutput({ artifact, append, last }: ArtifactChange, pending: number): void {
    const { maxEvents, maxPendingReports, maxOutputBytes } = this.#limits;
    const begun = this.#artifacts.find(({ id }) => id === artifact.id);
    const isNew = begun === undefined || append !== true;
    const weight = isNew ? weightOf(artifact) + ITEM_WEIGHT : weightOfMore(begun, artifact);
    const before = isNew ? (begun?.weight ?? 0) : 0;
    if (this.#bytes + weight - before > maxOutputBytes) {
      throw tooMuch(`the output is larger than ${maxOutputBytes} bytes`);
    }
    if (this.#events >= maxEvents) {
      throw tooMuch(`the output comes in more than ${maxEvents} pieces`);
    }
    if (pending >= maxPendingReports) {
      throw new TaskError('the output comes faster than it is stored: await ctx.artifact()', {
        code: 'OUTPUT_TOO_FAST',
      });
    }
    this.#bytes += weight - before;
    const item = begun ?? known(artifact, 0);
    if (begun === undefined) this.#artifacts.push(item);
    if (isNew) Object.assign(item, known(artifact, 0));
    item.weight += weight;
    item.isComplete ||= last === true;
    join(item, artifact.parts);
  }
}

function known({ id, name }: ArtifactContent, weight: number): Known {
  return { id, name, parts: 0, last: undefined, isComplete: false, weight };
}

/** As the parts themselves are joined: text goes on with text and bytes with bytes. */
function join(item: Known, parts: readonly Part[]): void {
  const [first, ...rest] = parts;
  if (first === undefined) return;
  const { last } = item;
  if (last !== undefined && continues(last, first)) {
    last.length += lengthOf(first) ?? 0;
    if (rest.length === 0) return;
    item.parts += rest.length;
    item.last = lastOf(rest, lengthOf(rest.at(-1)!));
    return;
  }
  item.parts += parts.length;
  item.last = lastOf(parts, lengthOf(parts.at(-1)!));
}

function continues(last: NonNullable<Known['last']>, next: Part): boolean {
  const { mediaType, filename } = last.facts;
  return (
    last.kind in next &&
    (next.mediaType === undefined || next.mediaType === mediaType) &&
    (next.filename === undefined || next.filename === filename) &&
    next.metadata === undefined
  );
}

function lastOf(parts: readonly Part[], length: number | undefined): Known['last'] {
  const part = parts.at(-1);
  if (part === undefined || length === undefined) return undefined;
  const { mediaType, filename } = part;
  const facts = {
    text: '',
    ...(mediaType !== undefined && { mediaType }),
    ...(filename !== undefined && { filename }),
  };
  return { kind: 'text' in part ? 'text' : 'bytes', facts, length };
}

function lengthOf(part: Part): number | undefined {
  if ('text' in part) return part.text.length;
  return 'bytes' in part ? part.bytes.length : undefined;
}

function weightOf({ parts }: ArtifactContent): number {
  return parts.reduce((sum, part) => sum + partWeight(part), 0);
}

/** A part that goes on with the last one takes its content alone. */
function weightOfMore({ last }: Known, artifact: ArtifactContent): number {
  const [first] = artifact.parts;
  const isOne = last !== undefined && first !== undefined && continues(last, first);
  return weightOf(artifact) - (isOne ? PART_WEIGHT : 0);
}

function tooMuch(message: string): TaskError {
  return new TaskError(message, { code: 'OUTPUT_TOO_LARGE' });
}
