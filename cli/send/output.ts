// Owns what `send` shows of what an agent says: events, progress, output, and a warning of what is not signed.

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import type { ArtifactItem } from '../../src/client/index.ts';
import type { CommandContext } from '../kit/command.ts';
import { StatusLine } from '../kit/status-line.ts';
import type { Terminal } from '../kit/terminal.ts';
import { progressText, textIn } from '../tasks/view.ts';
import { LiveOutput } from './live-output.ts';

export function showEvent(ct: string, payload: JsonValue, { terminal }: CommandContext): void {
  if (terminal.isJson) terminal.json({ event: 'evt', ct, payload });
  else terminal.note(terminal.style('dim', ct));
}

export function warnUnproven(isProven: boolean, { terminal }: CommandContext): void {
  if (isProven) return;
  terminal.note(terminal.style('yellow', 'this answer is not signed: anybody could have sent it'));
}

/** Something that happened to a task, and the task after it. */
export interface ShownEvent {
  /** The message that told it; none from agents of other dialects. */
  readonly received?: { readonly ct: string; readonly payload: JsonValue };
  readonly document: JsonObject;
  readonly artifacts: readonly ArtifactItem[];
}

/** The message as it came; of an agent of another dialect the task after it, with the output that is new. */
export function eventDocument(
  received: ShownEvent['received'],
  document: JsonObject,
  artifacts: readonly ArtifactItem[],
): JsonObject {
  if (received !== undefined) {
    return { event: 'evt', ct: received.ct, payload: received.payload };
  }
  const task = { ...document, artifacts: artifacts.map(({ source }) => source) };
  return { event: 'evt', task };
}

/** A task on the screen: how far it is, and what it has written. */
export class TaskScreen {
  readonly #terminal: Terminal;
  readonly #isLive: boolean;
  readonly #line: StatusLine;
  readonly #output: LiveOutput;

  /** `isLive`: show what happens on the way, too. */
  constructor(terminal: Terminal, isLive: boolean) {
    this.#terminal = terminal;
    this.#isLive = isLive;
    this.#line = new StatusLine(terminal, 'note');
    this.#output = new LiveOutput(terminal);
  }

  show({ received, document, artifacts }: ShownEvent): void {
    if (!this.#isLive) return;
    if (this.#terminal.isJson) {
      this.#terminal.json(eventDocument(received, document, artifacts));
      return;
    }
    for (const item of artifacts) this.#output.add(item, () => this.#line.clear());
    if (received === undefined ? artifacts.length > 0 : received.ct === 'artifact.v1') return;
    // Text that is being written tells by itself how far it is.
    if (this.#output.isMidLine && this.#terminal.isStderrTerminal) return;
    const words = progressText(document);
    this.#line.show(words === '' ? (textIn(document, 'status') ?? '-') : words);
  }

  /** All output of a task that is not followed any further. */
  finish(artifacts: readonly ArtifactItem[]): void {
    this.#line.clear();
    this.#output.finish(artifacts);
  }

  /** Something else is going to be written. */
  leave(): void {
    this.#line.clear();
    this.#output.endLine();
  }
}
