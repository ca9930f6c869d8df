// Owns putting a task together from its whole log: text that goes on piece by piece is joined first and applied once, so
// that a long log costs little more than its bytes.

import type { LogRecord } from '../../stores/store.ts';
import type { Folded } from './fold.ts';
import { fold, foldTexts } from './fold.ts';
import type { TextPiece } from './record.ts';
import { decodeEvent, decodeText, textChange } from './record.ts';

export class LogReader {
  #folded: Folded;
  /** What follows it and was not applied yet: all of one artifact. */
  #first: TextPiece | undefined;
  #text = '';
  #count = 0;
  #bytes = 0;

  constructor(folded: Folded) {
    this.#folded = folded;
  }

  get generation(): number {
    return this.#folded.task.generation + this.#count;
  }

  get folded(): Folded {
    this.#apply();
    return this.#folded;
  }

  /** The next one, without a gap. */
  add(record: LogRecord): void {
    const piece = decodeText(record.value);
    if (piece === undefined) {
      this.#apply();
      const { value } = record;
      this.#folded = fold(this.#folded, decodeEvent(record, this.#folded.task), value.length);
      return;
    }
    if (piece.id !== this.#first?.id || piece.name !== this.#first.name) {
      this.#apply();
      this.#first = piece;
    }
    this.#text += piece.text;
    this.#count += 1;
    this.#bytes += record.value.length;
  }

  #apply(): void {
    if (this.#first === undefined) return;
    const change = textChange({ ...this.#first, text: this.#text });
    this.#folded = foldTexts(this.#folded, change, this.#count, this.#bytes);
    this.#first = undefined;
    this.#text = '';
    this.#count = this.#bytes = 0;
  }
}
