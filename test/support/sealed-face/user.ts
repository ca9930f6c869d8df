// Owns a user that seals what it says to an agent of ours, over every wire and binding, and opens what comes back.

import { randomUUID } from 'node:crypto';

import type {
  OpenStreamOptions,
  Opened,
  OpenedEvent,
  Strength,
} from '../../../profiles/a2a/sealed/index.ts';
import { openStream, openTask, sealMessage } from '../../../profiles/a2a/sealed/index.ts';
import type { LocalIdentity } from '../../../src/security/identity/identity.ts';
import { createIdentity } from '../../../src/security/identity/identity.ts';
import { peerFromBundle } from '../../../src/security/peers/new-peer.ts';
import type { Peer } from '../../../src/security/peers/peer.ts';
import type { AgentOptions, GrpcAgent, TestAgent } from '../a2a/agent.ts';
import { agentFor, grpcAgentFor } from '../a2a/agent.ts';
import type { Json } from '../a2a/ask.ts';
import { at } from '../a2a/ask.ts';
import type { Cell } from '../a2a/cells.ts';
import type { Shape } from '../a2a/sealed.ts';
import { FAMILIES } from '../a2a/sealed.ts';

/** The words that no path may see. */
export const SECRET = 'the-secret-word';

export interface SealedSide {
  readonly user: LocalIdentity;
  readonly stranger: LocalIdentity;
  readonly identity: LocalIdentity;
}

export async function newSides(): Promise<SealedSide> {
  return {
    user: await createIdentity(),
    stranger: await createIdentity(),
    identity: await createIdentity(),
  };
}

export function entryOf({ bundle }: LocalIdentity, more: Partial<Peer> = {}): Peer {
  return { ...peerFromBundle(bundle, {}, Date.now()), ...more };
}

/** An agent that knows the user. */
export function knowing(
  { user, identity }: SealedSide,
  { runtime, ...options }: AgentOptions = {},
): AgentOptions {
  return { ...options, runtime: { identity, peers: [entryOf(user)], ...runtime } };
}

export function sealedAgentFor(side: SealedSide, options: AgentOptions = {}): Promise<TestAgent> {
  return agentFor(knowing(side, options));
}

export function sealedGrpcAgentFor(
  side: SealedSide,
  options: AgentOptions = {},
): Promise<GrpcAgent> {
  return grpcAgentFor(knowing(side, options));
}

/** A message of 1.0. */
export function saying(text: string, more: Shape = {}): Shape {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more };
}

/** What the user has sealed for the agent, as JSON of 1.0: also what opens its answers. */
export function sealFor(
  { user, identity }: SealedSide,
  message: Shape,
  mode: Strength = 'enc+sig',
): Promise<Shape> {
  return sealMessage(message, { identity: user, to: identity, mode });
}

type Form = 'v1' | 'v03-jsonrpc' | 'v03-rest' | 'draft';

export function formOf({ wire, binding }: Pick<Cell, 'wire' | 'binding'>): Form {
  return wire === 'v03' ? `v03-${binding}` : wire;
}

/** The same message in the form of a wire. */
export function inForm(form: Form, message: Shape, taskId?: string): Json {
  const placed: Shape = { ...message, ...(taskId !== undefined && { taskId }) };
  if (form === 'v1') return placed as Json;
  if (form === 'v03-jsonrpc') return FAMILIES[2]!.message(placed) as Json;
  const parts = (message['parts'] as Shape[]).map(({ text, data }) =>
    text === undefined ? { data: { data } } : { text },
  );
  const { parts: _parts, role: _role, ...rest } = placed;
  if (form === 'draft') return { ...rest, role: 'user', parts } as Json;
  return { ...rest, role: 'ROLE_USER', content: parts } as Json;
}

function opening(
  { user, identity }: SealedSide,
  request: Shape | readonly Shape[],
): Parameters<typeof openTask>[1] {
  return { identity: user, peers: [identity], request, policy: 'require' };
}

export function opened(
  side: SealedSide,
  task: Json | undefined,
  request: Shape | readonly Shape[],
): Promise<Opened> {
  return openTask(task as object, opening(side, request));
}

/** Every event of a stream, opened in order. */
export async function openedStream(
  side: SealedSide,
  frames: readonly Json[],
  request: Shape | readonly Shape[],
  more: Pick<OpenStreamOptions, 'isResumed' | 'policy'> = {},
): Promise<OpenedEvent[]> {
  return collected(openStream(all(frames), { ...opening(side, request), ...more }));
}

async function* all(frames: readonly Json[]): AsyncGenerator<object> {
  for (const frame of frames) yield frame as object;
}

async function collected<T>(events: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const event of events) found.push(event);
  return found;
}

/** The text of what was opened, of all its artifacts or messages. */
export function textIn(things: readonly unknown[]): string {
  return JSON.stringify(things);
}

/** What a frame of HTTP holds. */
export function framed(cell: Pick<Cell, 'binding'>, data: Json): Json {
  return cell.binding === 'jsonrpc' ? (at(data, 'result') ?? null) : data;
}
