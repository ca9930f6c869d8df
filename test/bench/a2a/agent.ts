// What the agent of the A2A benchmark does, whichever package serves it: an answer, a task with one artifact, or a stream
// of many events.

/** The first word of a message says what is wanted. */
export const QUESTIONS = {
  message: 'answer what changed between the two reports.',
  task: 'work on what changed between the two reports.',
  stream: 'stream what changed between the two reports.',
  hold: 'hold what changed between the two reports.',
} as const;
export type Question = keyof typeof QUESTIONS;

export const ANSWER: string = 'what was found. '.repeat(4);
/** Of one stream. */
export const EVENTS = 400;
/** Streams that are taken at once; they go from mark to mark together. */
export const STREAMS = 8;

export function isAsked(text: string, question: Question): boolean {
  return text === QUESTIONS[question];
}

/** Events at which the CPU time is noted, so that early ones can be compared with late ones. */
const MARKS: readonly number[] = [10, 110, 300, 400];
/** Until what was written is out; nothing else happens in that time. */
const SETTLE_MS = 30;

/** Lets streams go on together from each mark, and notes the CPU time there. */
export class Pace {
  #waiting: (() => void)[] = [];
  #noted: number[] = [];

  /** The stream has said this event. The next one is said in another turn, as by an agent that waits for its model. */
  async said(event: number): Promise<void> {
    if (!MARKS.includes(event)) return new Promise((resolve) => setImmediate(resolve));
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === STREAMS) setTimeout(() => this.#goOn(), SETTLE_MS);
    });
  }

  /** Microseconds of CPU time of one event from each mark to the next, since the last time that this was asked. */
  take(): readonly number[] {
    const noted = this.#noted;
    this.#noted = [];
    return noted
      .slice(1)
      .map((micros, at) => (micros - noted[at]!) / (STREAMS * (MARKS[at + 1]! - MARKS[at]!)));
  }

  #goOn(): void {
    const { user, system } = process.cpuUsage();
    this.#noted.push(user + system);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
