// Owns how lines of the daemon's log go out: as far as somebody takes them. Who reads the log does not decide over the
// daemon: lines that nobody takes are counted and left out.

import type { JsonObject } from '../../src/codec/index.ts';
import type { Terminal } from '../kit/terminal.ts';

/** More than a reader that keeps up ever leaves unread. */
const MAX_UNREAD_BYTES = 1_048_576;

export interface LogLine {
  readonly time: string;
  readonly event: string;
  /** For programs. */
  readonly members: JsonObject;
  /** For people. */
  readonly words: string;
}

export class LogLines {
  readonly #terminal: Terminal;
  readonly #stream: 'result' | 'note';
  #lost = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#stream = terminal.isJson ? 'result' : 'note';
  }

  /** Returns whether it goes out. */
  write(line: LogLine): boolean {
    if (this.#terminal.unreadBytes(this.#stream) > MAX_UNREAD_BYTES) {
      this.#lost += 1;
      return false;
    }
    if (this.#lost > 0) {
      const lost = this.#lost;
      this.#lost = 0;
      const words = `${lost} lines were left out: nobody took them`;
      this.#print({ time: line.time, event: 'lost', members: { lines: lost }, words });
    }
    this.#print(line);
    return true;
  }

  #print({ time, event, members, words }: LogLine): void {
    const terminal = this.#terminal;
    if (terminal.isJson) terminal.json({ event, time, ...members });
    else terminal.note(`${terminal.style('dim', time)} ${words}`);
  }
}
