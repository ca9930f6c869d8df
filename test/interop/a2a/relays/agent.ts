// Owns the agent behind a relay: it opens what it is asked and seals what it says, in the JSON of either generation. It
// does what the first word of the goal says.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import type { Opened } from '../../../../profiles/a2a/sealed/index.ts';
import {
  openTask,
  sealArtifact,
  sealMessage,
  sealStatus,
} from '../../../../profiles/a2a/sealed/index.ts';
import type { Ends, Family, Shape } from '../../../support/a2a/sealed.ts';
import { FAMILIES } from '../../../support/a2a/sealed.ts';
import type { AgentWord } from './agent-link.ts';
import { SECRETS } from './secrets.ts';

const [JSON_V1, , KINDED] = FAMILIES as readonly [Family, Family, Family];

export interface SealedAgent {
  readonly socket: string;
  /** The codes of what it has refused to open. */
  readonly refusals: readonly string[];
  stop(): Promise<void>;
}

/** A task that works until it is canceled. */
interface Held {
  readonly request: Opened;
  readonly say: Voice;
  readonly connection: Socket;
}

export async function startAgent(ends: Ends): Promise<SealedAgent> {
  const folder = mkdtempSync(join(tmpdir(), 'sealed-agent-'));
  const socket = join(folder, 'agent.sock');
  const held = new Map<string, Held>();
  const refusals: string[] = [];
  const server = createServer((connection) => {
    // A relay that is ended leaves its connections.
    connection.on('error', () => undefined);
    createInterface(connection).once('line', (line) => {
      const asked = JSON.parse(line) as { taskId: string; message?: Shape };
      const answered =
        asked.message === undefined
          ? cancel(held, asked.taskId, connection)
          : answer(ends, held, asked.taskId, asked.message, connection);
      void answered.catch((thrown: unknown) => {
        refusals.push((thrown as { code?: string }).code ?? String(thrown));
        connection.destroy();
      });
    });
  });
  server.listen(socket);
  await once(server, 'listening');
  return {
    socket,
    refusals,
    stop: async () => {
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Says things in one exchange, sealed. */
interface Voice {
  status(state: string, text?: string): Promise<AgentWord>;
  artifact(wire: Shape, append: boolean, lastChunk: boolean): Promise<AgentWord>;
  message(text: string): Promise<AgentWord>;
}

function voiceIn(family: Family, request: Opened, { agent }: Ends): Voice {
  const by = { identity: agent, request };
  const words = (text: string): Shape => ({
    messageId: randomUUID(),
    role: 'ROLE_AGENT',
    parts: [{ text }],
  });
  return {
    status: async (state, text) => {
      const wire = { state, ...(text !== undefined && { message: words(text) }) };
      return { status: await sealStatus(family.status(wire), by) };
    },
    artifact: async (wire, append, lastChunk) => ({
      artifact: await sealArtifact(family.artifact(wire), { ...by, append, lastChunk }),
      append,
      lastChunk,
    }),
    message: async (text) => ({ message: await sealMessage(family.message(words(text)), by) }),
  };
}

async function answer(
  ends: Ends,
  held: Map<string, Held>,
  taskId: string,
  message: Shape,
  connection: Socket,
): Promise<void> {
  const family = message['kind'] === undefined ? JSON_V1 : KINDED;
  const policy = 'require';
  const request = await openTask(message, { identity: ends.agent, peers: [ends.user], policy });
  const [part] = (request.message as { parts: { text?: string }[] }).parts;
  const goal = part?.text ?? '';
  const say = voiceIn(family, request, ends);
  for await (const word of wordsFor(goal, say)) connection.write(`${JSON.stringify(word)}\n`);
  if (goal.startsWith('hold')) held.set(taskId, { request, say, connection });
  else connection.end();
}

async function* wordsFor(goal: string, say: Voice): AsyncGenerator<AgentWord> {
  const piece = (text: string): Shape => ({ artifactId: 'list', parts: [{ text }] });
  switch (goal.split(' ', 1)[0]) {
    case 'answer':
      yield say.message(SECRETS.words);
      return;
    case 'hold':
      yield say.status('TASK_STATE_WORKING', SECRETS.words);
      return;
    case 'ask':
      yield say.artifact({ ...piece('one '), name: SECRETS.name }, false, false);
      yield say.status('TASK_STATE_INPUT_REQUIRED', SECRETS.question);
      return;
    case 'sig':
      yield say.artifact({ artifactId: 'open', parts: [{ text: 'one ' }] }, false, false);
      yield say.artifact({ artifactId: 'open', parts: OPEN_PARTS }, true, true);
      yield say.status('TASK_STATE_COMPLETED', 'and done');
      return;
    case 'detached':
      // A server of Python 0.3.26 keeps only what stood beside the first piece.
      yield say.status('TASK_STATE_WORKING', 'in clear');
      yield say.artifact({ artifactId: 'open', parts: [{ text: 'one ' }] }, false, false);
      yield say.artifact({ artifactId: 'open', parts: [{ text: 'one and a half ' }] }, true, false);
      yield say.artifact({ artifactId: 'open', parts: OPEN_PARTS }, true, true);
      yield say.status('TASK_STATE_COMPLETED', 'and done');
      return;
    case 'reply':
      yield say.artifact(piece('two'), true, true);
      yield say.status('TASK_STATE_COMPLETED', SECRETS.words);
      return;
    default:
      yield say.status('TASK_STATE_WORKING', SECRETS.words);
      yield say.artifact({ ...piece('one '), name: SECRETS.name }, false, false);
      yield say.artifact(piece('two '), true, false);
      yield say.artifact({ ...piece(''), parts: FULL_PARTS }, true, true);
      yield say.status('TASK_STATE_COMPLETED', SECRETS.last);
  }
}

/** Nothing that some wire loses in clear. */
export const OPEN_PARTS: Shape[] = [{ text: 'two' }, { data: { count: 2, share: 0.5 } }];

/** Everything that a part can be. */
export const FULL_PARTS: Shape[] = [
  { data: { tool: SECRETS.tool, arguments: { count: 2, share: 0.5, list: [1, null, 'x'] } } },
  { raw: 'AAECAwQ=', filename: SECRETS.file, mediaType: 'application/octet-stream' },
  { url: 'https://example.com/file', mediaType: 'text/plain' },
];

/** What it says goes where the cancel came from; the work itself is over. */
async function cancel(held: Map<string, Held>, taskId: string, connection: Socket): Promise<void> {
  const task = held.get(taskId);
  held.delete(taskId);
  if (task !== undefined) {
    const word = await task.say.status('TASK_STATE_CANCELED', SECRETS.last);
    connection.write(`${JSON.stringify(word)}\n`);
    task.connection.end();
  }
  connection.end();
}
