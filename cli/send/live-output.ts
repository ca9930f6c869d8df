// Owns the output of a task as it is shown while it grows: text as it comes, a heading where another piece begins, and
// at the end what nobody has seen yet.

import type { ArtifactItem } from '../../src/client/index.ts';
import { prettyJson } from '../kit/pretty-json.ts';
import type { Terminal } from '../kit/terminal.ts';

/** One artifact, put together from what came of it. */
interface Growing {
  readonly name: string | undefined;
  text: string;
}

export class LiveOutput {
  readonly #terminal: Terminal;
  readonly #artifacts: Growing[] = [];
  /** The text of each that stands on the screen. */
  readonly #shown: string[] = [];
  /** Which of them was written last. */
  #current: number | undefined;
  #isMidLine = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Something is written behind which no other line may start. */
  get isMidLine(): boolean {
    return this.#isMidLine;
  }

  /** A piece that came; `before` is called when something of it is going to be written. */
  add(item: ArtifactItem, before: () => void): void {
    const { text } = item.source;
    if (typeof text !== 'string') {
      if (!item.append) this.#artifacts.push({ name: item.name, text: '' });
      return;
    }
    const at = this.#placeOf(item);
    const artifact = this.#artifacts[at]!;
    artifact.text += text;
    const shown = this.#shown[at] ?? '';
    // What was written before the events were told again is not written twice.
    if (artifact.text.length <= shown.length || !artifact.text.startsWith(shown)) return;
    before();
    this.#write(at, item, artifact.text.slice(shown.length));
  }

  /** All output of a task that has ended, or stopped to ask. */
  finish(items: readonly ArtifactItem[]): void {
    const told = new Set<number>();
    for (const [at, item] of items.entries()) {
      const { text } = item.source;
      const place = typeof text === 'string' ? this.#shownAt(item, text, told) : undefined;
      if (typeof text === 'string' && place !== undefined) {
        told.add(place);
        const shown = this.#shown[place]!;
        if (text !== shown) this.#write(place, item, text.slice(shown.length));
        continue;
      }
      this.endLine();
      const hasHeading = items.length > 1;
      if (hasHeading) this.#heading(item);
      this.#current = at;
      this.#print(item, hasHeading);
    }
    this.endLine();
  }

  endLine(): void {
    if (this.#isMidLine) this.#terminal.printPiece('\n');
    this.#isMidLine = false;
  }

  /** Where a text, or its beginning, stands on the screen: a later attempt has written it anew further down. */
  #shownAt({ name }: ArtifactItem, text: string, told: ReadonlySet<number>): number | undefined {
    const places = this.#artifacts.flatMap((artifact, place) => {
      const shown = this.#shown[place];
      const isSame = artifact.name === name && shown !== undefined && text.startsWith(shown);
      return isSame && !told.has(place) ? [place] : [];
    });
    return places.find((place) => this.#shown[place] === text) ?? places.at(-1);
  }

  #placeOf({ name, append }: ArtifactItem): number {
    const known = this.#artifacts.findLastIndex((artifact) => artifact.name === name);
    if (append && known >= 0) return known;
    return this.#artifacts.push({ name, text: '' }) - 1;
  }

  #write(at: number, item: ArtifactItem, text: string): void {
    if (this.#current !== undefined && this.#current !== at) {
      this.endLine();
      this.#heading(item);
    }
    this.#current = at;
    this.#shown[at] = (this.#shown[at] ?? '') + text;
    this.#terminal.printPiece(text);
    this.#isMidLine = !text.endsWith('\n');
  }

  #heading({ name, mediaType }: ArtifactItem): void {
    const words = `${name ?? 'output'} (${mediaType ?? 'no type'})`;
    this.#terminal.print(this.#terminal.style('dim', words));
  }

  #print({ source, name, mediaType }: ArtifactItem, hasHeading: boolean): void {
    const { text, data } = source;
    if (typeof text === 'string') this.#terminal.printText(text.replace(/\n$/, ''));
    else if (typeof data !== 'string') this.#terminal.printText(prettyJson(source));
    else if (hasHeading) this.#terminal.print(`base64url: ${data}`);
    else {
      const words = `${name ?? 'output'} (${mediaType ?? 'no type'}, base64url): ${data}`;
      this.#terminal.print(words);
    }
  }
}
