// What a server of the A2A benchmark is asked for, and the CPU time that it takes for it.

import { EVENTS, STREAMS } from './agent.ts';
import type { Server } from './child.ts';
import type { Line } from './clients.ts';
import { LINES, awake, openLines, sendRequest } from './clients.ts';

/** What stands in every answer. */
const EXPECTED: Readonly<Record<'message' | 'task', string>> = {
  message: '"message":{',
  task: 'TASK_STATE_COMPLETED',
};

/** Microseconds of CPU time of one request. */
export async function askAll(
  { url, cpuMicros }: Server,
  question: 'message' | 'task',
  count: number,
): Promise<number> {
  const lines = await openLines(url, LINES);
  let left = count;
  const before = await cpuMicros();
  const lane = async (line: Line): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const text = await line.ask(sendRequest(url, 'SendMessage', question));
      if (!text.includes(EXPECTED[question])) throw new Error(`an answer was: ${text}`);
    }
  };
  await awake(Promise.all(lines.map(lane)));
  const micros = (await cpuMicros()) - before;
  for (const line of lines) line.close();
  return micros / count;
}

/** Microseconds of CPU time of one event. */
export interface Streamed {
  /** All that a stream costs, shared by its events. */
  readonly micros: number;
  readonly early: number;
  readonly late: number;
}

/** Streams that are all taken at once, to their ends. */
export async function streamAll(server: Server): Promise<Streamed> {
  const micros = await eventMicros(server);
  const [early, , late] = await server.marks();
  return { micros, early: early!, late: late! };
}

/** Microseconds of CPU time of one event, in all that its stream costs. */
export async function eventMicros({ url, cpuMicros }: Server): Promise<number> {
  const lines = await openLines(url, STREAMS);
  const before = await cpuMicros();
  const texts = await awake(
    Promise.all(lines.map((line) => line.ask(sendRequest(url, 'SendStreamingMessage', 'stream')))),
  );
  const micros = (await cpuMicros()) - before;
  for (const line of lines) line.close();
  for (const text of texts) {
    const told = text.split('"artifactUpdate"').length - 1;
    if (told !== EVENTS) throw new Error(`a stream told ${told} of ${EVENTS} events: ${text}`);
  }
  return micros / (STREAMS * EVENTS);
}
