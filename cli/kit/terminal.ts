// Owns what people and programs see of a command: lines, styles, JSON and questions. Nothing from outside can steer a
// terminal through it.

import { once } from 'node:events';

import type { JsonValue } from '../../src/codec/index.ts';
// The writer alone: `--version` should not load the whole codec.
import { writeJson } from '../../src/codec/json/write.ts';
import type { CliError } from './exit.ts';
import { INPUT_TOO_LARGE, errorDocument, failure } from './exit.ts';
import { cut } from './cut.ts';
import type { CliIo, Input, Output } from './streams.ts';

export interface TerminalOptions {
  /** Results are one line of JSON each, and there is nothing else on stdout. */
  readonly isJson: boolean;
}

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;
const OFF = 0;

/** A marked style sequence, or else one character that a terminal obeys, or that turns the reading direction. */
const CONTROL =
  /\u001B\[\d{1,2};\d{1,20}m|[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g;

const USUAL_WIDTH = 80;
/** To the line before, and clear it. */
const REWRITE_LINE = '\u001B[1A\u001B[2K';

/** Input that is read whole: files and stdin. */
const MAX_INPUT_BYTES = 16_777_216;

export class Terminal {
  readonly isJson: boolean;
  readonly #stdin: Input;
  readonly #stdout: Output;
  readonly #stderr: Output;
  readonly #isColoured: boolean;
  /** In our own sequences until they are written: nobody outside can know it. Made for who uses colours. */
  #mark: string | undefined;

  constructor(io: Pick<CliIo, 'stdin' | 'stdout' | 'stderr' | 'env'>, options: TerminalOptions) {
    this.isJson = options.isJson;
    this.#stdin = io.stdin;
    this.#stdout = io.stdout;
    this.#stderr = io.stderr;
    const noColour = io.env['NO_COLOR'];
    this.#isColoured =
      (noColour === undefined || noColour === '') &&
      io.env['TERM'] !== 'dumb' &&
      io.stdout.isTTY === true &&
      io.stderr.isTTY === true;
  }

  /** Notes go to a terminal: a line can be written over. */
  get isStderrTerminal(): boolean {
    return this.#stderr.isTTY === true;
  }

  /** Results go to a terminal: somebody reads over the user's shoulder, or scrolls back later. */
  get isStdoutTerminal(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** How many characters a line has. A usual number where nobody says. */
  get width(): number {
    return this.#stdout.columns ?? USUAL_WIDTH;
  }

  /** There is somebody to ask, and to show progress to. */
  get isInteractive(): boolean {
    return this.#stdin.isTTY === true && this.#stderr.isTTY === true;
  }

  /** A line of the result, for people. Always one: text from outside must not pass for a line of ours. */
  print(line = ''): void {
    this.#stdout.write(`${this.#styled(this.#oneLine(line))}\n`);
  }

  /** A part of the result that may have several lines: help, JSON as people read it, what an agent has written. */
  printText(text: string): void {
    this.#stdout.write(`${this.#styled(this.#clean(text))}\n`);
  }

  /** A piece of what an agent writes, as it comes: the line goes on behind it. */
  printPiece(text: string): void {
    this.#stdout.write(this.#styled(this.#clean(text)));
  }

  /** A line beside the result, and always one: progress, a warning, a hint, an entry of the daemon's log. */
  note(line: string): void {
    this.#stderr.write(`${this.#styled(this.#oneLine(line))}\n`);
  }

  /** Bytes that were written there and that nobody has taken yet; `Infinity` once nobody reads. */
  unreadBytes(stream: 'result' | 'note'): number {
    const { destroyed, writableLength } = stream === 'result' ? this.#stdout : this.#stderr;
    return destroyed ? Infinity : writableLength;
  }

  /** Takes the last line back; only for a stream that leads to a terminal. */
  takeBack(stream: 'result' | 'note'): void {
    (stream === 'result' ? this.#stdout : this.#stderr).write(REWRITE_LINE);
  }

  /** The result: with `--json` one line of JSON, else what `show` prints. */
  result(value: JsonValue, show: () => void): void {
    if (this.isJson) this.json(value);
    else show();
  }

  /** One line of JSON on stdout, whatever the options say. */
  json(value: JsonValue): void {
    this.#stdout.write(`${jsonLine(value)}\n`);
  }

  /** Text that goes out exactly as it is: a key, an envelope. */
  raw(text: string): void {
    this.#stdout.write(text);
  }

  /** Bytes that go out exactly as they are. */
  rawBytes(bytes: Uint8Array): void {
    this.#stdout.write(bytes);
  }

  error(error: CliError): void {
    if (this.isJson) {
      this.#stderr.write(`${jsonLine(errorDocument(error))}\n`);
      return;
    }
    this.note(`${this.style('red', 'error:')} ${error.message}`);
    if (error.next !== undefined) this.note(`${this.style('dim', 'next:')}  ${error.next}`);
    if (error.line !== undefined) this.note(`       ${error.line}`);
  }

  /** The text as it is where there are no colours. */
  style(style: keyof typeof STYLES, text: string): string {
    return this.#isColoured ? this.#sequence(STYLES[style]) + text + this.#sequence(OFF) : text;
  }

  /** Columns as wide as their widest cell; a cell is always one line. A line without styles is cut at `maxWidth`. */
  table(rows: readonly (readonly string[])[], maxWidth: number = Number.POSITIVE_INFINITY): void {
    const cells = rows.map((row) => row.map((cell) => this.#oneLine(cell)));
    const widths: number[] = [];
    for (const row of cells) {
      for (const [at, cell] of row.entries()) {
        widths[at] = Math.max(widths[at] ?? 0, visibleLength(cell));
      }
    }
    for (const row of cells) {
      const line = row.map((cell, at) => cell + ' '.repeat(widths[at]! - visibleLength(cell)));
      this.print(cut(line.join('  ').trimEnd(), maxWidth));
    }
  }

  /** Asks a person. Where there is nobody to ask it is an error: `next` says what to write instead. */
  async confirm(question: string, next: string): Promise<boolean> {
    if (!this.isInteractive) {
      throw failure('this needs a confirmation, and there is nobody to ask', { next });
    }
    const { createInterface } = await import('node:readline/promises');
    const asking = createInterface({ input: this.#stdin, output: this.#stderr, terminal: false });
    try {
      // When the input ends the question would wait for ever.
      const ended = once(asking, 'close').then(() => '');
      const answer = await Promise.race([
        asking.question(`${this.#styled(this.#oneLine(question))} [y/N] `),
        ended,
      ]);
      return /^y(es)?$/i.test(answer.trim());
    } finally {
      asking.close();
    }
  }

  /** All of stdin; `INPUT_TOO_LARGE` as soon as it is more than `most` bytes. */
  async readInput(most: number = MAX_INPUT_BYTES): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of this.#stdin) {
      const bytes =
        typeof chunk === 'string' ? new TextEncoder().encode(chunk) : (chunk as Uint8Array);
      length += bytes.length;
      if (length > most) {
        throw failure(`the input is larger than ${most} bytes`, { code: INPUT_TOO_LARGE });
      }
      chunks.push(bytes);
    }
    return new Uint8Array(Buffer.concat(chunks));
  }

  #oneLine(text: string): string {
    return this.#clean(text).replaceAll('\n', String.raw`\n`);
  }

  /** Shows what a terminal would obey instead of obeying it; only our own styles pass, not what looks like one. */
  #clean(text: string): string {
    const end = this.#mark;
    return text.replaceAll(CONTROL, (found) =>
      end !== undefined && found.endsWith(end) ? found : visible(found),
    );
  }

  #sequence(code: number): string {
    this.#mark ??= `;${crypto.getRandomValues(new Uint32Array(2)).join('')}m`;
    return `\u001B[${code}${this.#mark}`;
  }

  /** Of text that is clean: our own sequences as a terminal knows them. */
  #styled(text: string): string {
    return this.#mark === undefined ? text : text.replaceAll(this.#mark, 'm');
  }
}

/** The same value: in JSON such characters stand only within texts, where they may be written as escapes. */
function jsonLine(value: JsonValue): string {
  return new TextDecoder().decode(writeJson(value)).replaceAll(CONTROL, visible);
}

function visible(found: string): string {
  // Of a sequence only the first character is obeyed; the rest is plain text behind it.
  const code = found.charCodeAt(0).toString(16).padStart(4, '0');
  return String.raw`\u${code}` + found.slice(1);
}

function visibleLength(cell: string): number {
  return cell.replaceAll(/\u001B\[\d{1,2};\d{1,20}m/g, '').length;
}
