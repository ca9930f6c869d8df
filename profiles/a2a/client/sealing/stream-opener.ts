// Owns the events of a stream as they are opened, one after the other, also where the stream was lost and goes on.
// SPEC.md sections 20.1 and 22 (#a2a-client-sealed, #sealed-numbers).

import type { ArtifactContent } from '../../../../src/door/index.ts';
import type { OpenStreamOptions, OpenedEvent } from '../../sealed/open-stream.ts';
import { openStream } from '../../sealed/open-stream.ts';
import { SealedError } from '../../sealed/error.ts';
import type { Bag } from '../../sealed/shapes/neutral.ts';
import { listOf } from '../../sealed/shapes/neutral.ts';
import type { A2aEvent } from '../model.ts';
import { artifactFrom, eventBag, messageFrom } from './bags.ts';
import { openedStatus, openedTask } from './opened-task.ts';
import type { ToldProtection } from './protection.ts';

export interface StreamOpenerOptions {
  readonly opening: OpenStreamOptions;
  /** What who asked calls a message of which the path shows the id. */
  readonly nameOf: (outerId: string) => string | undefined;
  readonly told: ToldProtection;
  /** Something was proven. */
  readonly onProven: () => Promise<void>;
}

export class StreamOpener {
  readonly #options: StreamOpenerOptions;
  readonly #opened: AsyncGenerator<OpenedEvent>;
  /** The parts of each artifact that were told, as they were opened. */
  readonly #parts = new Map<string, readonly unknown[]>();
  /** At most one: it is opened before the next one comes. */
  readonly #fed: Bag[] = [];

  constructor(options: StreamOpenerOptions) {
    this.#options = options;
    this.#opened = openStream(this.#feed(), options.opening);
  }

  /** One is opened for each that is fed. */
  async *#feed(): AsyncGenerator<Bag> {
    for (;;) yield this.#fed.shift()!;
  }

  /** What is proven by it. What is plain is told as it is, where that may be. */
  async open(event: A2aEvent): Promise<readonly A2aEvent[]> {
    const { told, onProven } = this.#options;
    this.#fed.push(eventBag(event));
    const { value, done = false } = await this.#opened.next();
    if (done)
      throw new SealedError('EVENT_ORDER', 'the stream goes on after something that did not hold');
    const opened = value as OpenedEvent;
    const { protection, problems } = opened;
    told.add(protection, problems.length > 0);
    if (protection !== 'none') await onProven();
    const isPlain = protection === 'none' && problems.some(({ code }) => code === 'NOT_PROTECTED');
    return isPlain ? [event] : this.#eventsOf(event, opened);
  }

  #eventsOf(event: A2aEvent, opened: OpenedEvent): readonly A2aEvent[] {
    const { messages, state } = opened;
    const message = messages.length === 0 ? undefined : messageFrom(messages.at(-1)!);
    switch (event.type) {
      case 'message':
        return message === undefined ? [] : [{ ...event, message }];
      case 'task': {
        for (const artifact of opened.artifacts) this.#remember(artifact as Bag);
        return [{ type: 'task', task: openedTask(event.task, opened, this.#options.nameOf) }];
      }
      case 'status':
        return [
          ...this.#artifacts(event, opened, false),
          { ...event, status: openedStatus(event.status, state, message) },
        ];
      default:
        return this.#artifacts(event, opened, event.last);
    }
  }

  #artifacts(
    { taskId, contextId }: Extract<A2aEvent, { readonly taskId: string }>,
    { artifacts }: OpenedEvent,
    last: boolean,
  ): readonly A2aEvent[] {
    return artifacts.map((given) => {
      const { artifact, append } = this.#piece(given as Bag);
      return {
        type: 'artifact',
        taskId,
        ...(contextId !== undefined && { contextId }),
        artifact,
        append,
        last,
      };
    });
  }

  /** Only what is new of it, where it goes on with what was told. */
  #piece(given: Bag): { readonly artifact: ArtifactContent; readonly append: boolean } {
    const parts = listOf(given['parts']);
    const before = this.#parts.get(String(given['artifactId'])) ?? [];
    this.#remember(given);
    const append = before.length > 0 && before.every((part, at) => isSame(part, parts[at]));
    const told = append ? { ...given, parts: parts.slice(before.length) } : given;
    return { artifact: artifactFrom(told), append };
  }

  #remember(given: Bag): void {
    this.#parts.set(String(given['artifactId']), listOf(given['parts']));
  }
}

/** Text that was told before is mostly the same text, not only an equal one. */
function isSame(one: unknown, other: unknown): boolean {
  const [a, b] = [one as Bag | undefined, other as Bag | undefined];
  if (a === undefined || b === undefined) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => {
    const [x, y] = [a[name], b[name]];
    return x === y || (typeof x === 'object' && JSON.stringify(x) === JSON.stringify(y));
  });
}
