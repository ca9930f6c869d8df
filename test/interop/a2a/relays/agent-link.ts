// Owns how a relay made with a JavaScript SDK reaches the agent behind it: one connection for a message or a cancel, the
// agent's words back as lines until it ends. It reads nothing of them.

import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';

/** One word of the agent, in the JSON of the relay's generation. */
export interface AgentWord {
  readonly message?: object;
  readonly status?: object;
  readonly artifact?: object;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

/** @param asked a message, or the id of the task that is to be canceled. */
export async function* wordsOf(
  socket: string,
  asked: { readonly taskId: string; readonly message?: unknown },
): AsyncGenerator<AgentWord> {
  const connection = createConnection(socket);
  connection.write(`${JSON.stringify(asked)}\n`);
  for await (const line of createInterface(connection)) yield JSON.parse(line) as AgentWord;
}
