// Owns the line that tells how far something is: one line that changes on a terminal, elsewhere a line for every change.

import { cut } from './cut.ts';
import type { Terminal } from './terminal.ts';

export class StatusLine {
  readonly #terminal: Terminal;
  readonly #stream: 'result' | 'note';
  readonly #isRewritten: boolean;
  #isShown = false;

  /** `stream`: it is the result itself, or stands beside it. */
  constructor(terminal: Terminal, stream: 'result' | 'note') {
    this.#terminal = terminal;
    this.#stream = stream;
    this.#isRewritten = stream === 'result' ? terminal.isStdoutTerminal : terminal.isStderrTerminal;
  }

  show(text: string): void {
    this.clear();
    // A line that wraps could not be taken back.
    const line = this.#isRewritten ? cut(text, this.#terminal.width - 1) : text;
    if (this.#stream === 'result') this.#terminal.print(line);
    else this.#terminal.note(this.#terminal.style('dim', line));
    this.#isShown = true;
  }

  /** Makes room for something else, where a line can be taken back. */
  clear(): void {
    if (this.#isShown && this.#isRewritten) this.#terminal.takeBack(this.#stream);
    this.#isShown = false;
  }

  /** What was shown last stays. */
  end(): void {
    this.#isShown = false;
  }
}
