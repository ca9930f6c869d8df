// Owns two ends that seal, and what stands between them: messages in every shape, and tasks as a server keeps them.

import { Artifact, Message, TaskStatus } from '@a2a-js/sdk';

import type { Opened, SealArtifactOptions, Strength } from '../../../profiles/a2a/sealed/index.ts';
import {
  openTask,
  sealArtifact,
  sealMessage,
  sealStatus,
} from '../../../profiles/a2a/sealed/index.ts';
import type { LocalIdentity } from '../../../src/security/identity/identity.ts';
import { createIdentity } from '../../../src/security/identity/identity.ts';

/** An object of some SDK. */
export type Shape = Record<string, unknown>;

/** Written as JSON of 1.0, told in the shape of a family. */
export interface Family {
  readonly name: string;
  message(wire: Shape): Shape;
  artifact(wire: Shape): Shape;
  status(wire: Shape): Shape;
}

const KIND_STATES = (state: unknown): string =>
  String(state).replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');

function kindPart({ text, data, raw, url, filename, mediaType, metadata }: Shape): Shape {
  const more = metadata === undefined ? {} : { metadata };
  if (text !== undefined) return { kind: 'text', text, ...more };
  if (data !== undefined) return kindData(data, metadata as Shape | undefined);
  const file = {
    ...(raw === undefined ? { uri: url } : { bytes: raw }),
    ...(filename !== undefined && { name: filename }),
    ...(mediaType !== undefined && { mimeType: mediaType }),
  };
  return { kind: 'file', file, ...more };
}

/** 0.3 carries objects only. */
function kindData(data: unknown, metadata: Shape | undefined): Shape {
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
  if (isObject) return { kind: 'data', data, ...(metadata && { metadata }) };
  return { kind: 'data', data: { value: data }, metadata: { ...metadata, data_part_compat: true } };
}

const kindMessage = ({ role, parts, ...rest }: Shape): Shape => ({
  kind: 'message',
  ...rest,
  role: role === 'ROLE_USER' ? 'user' : 'agent',
  parts: (parts as Shape[]).map(kindPart),
});

export const FAMILIES: readonly Family[] = [
  { name: 'JSON of 1.0', message: same, artifact: same, status: same },
  {
    name: 'objects of the SDK 1.3',
    message: (wire) => Message.fromJSON(wire) as unknown as Shape,
    artifact: (wire) => Artifact.fromJSON(wire) as unknown as Shape,
    status: (wire) => TaskStatus.fromJSON(wire) as unknown as Shape,
  },
  {
    name: 'objects of the SDK 0.3',
    message: kindMessage,
    artifact: ({ parts, ...rest }) => ({ ...rest, parts: (parts as Shape[]).map(kindPart) }),
    status: ({ state, message, ...rest }) => ({
      ...rest,
      state: KIND_STATES(state),
      ...(message !== undefined && { message: kindMessage(message as Shape) }),
    }),
  },
];

function same(wire: Shape): Shape {
  return wire;
}

export const MODES: readonly Strength[] = ['enc+sig', 'sig', 'detached'];

/** What every mode and every shape can say. */
export const ASKED: Shape = {
  messageId: 'asked-1',
  role: 'ROLE_USER',
  parts: [
    { text: 'how many are there?' },
    { data: { list: [1, 2.5, null, 'x'], deep: { a: true } } },
  ],
};
export const BUSY: Shape = {
  messageId: 'busy-1',
  role: 'ROLE_AGENT',
  parts: [{ text: 'counting' }],
};
export const DONE: Shape = {
  messageId: 'done-1',
  role: 'ROLE_AGENT',
  parts: [{ text: 'that is all' }],
};
export const ONE: Shape = { artifactId: 'list', parts: [{ text: 'one ' }] };
export const TWO: Shape = { artifactId: 'list', parts: [{ text: 'two' }, { data: { count: 2 } }] };

export interface Ends {
  readonly user: LocalIdentity;
  readonly agent: LocalIdentity;
}

export async function newEnds(): Promise<Ends> {
  return { user: await createIdentity(), agent: await createIdentity() };
}

/** One exchange with everything in it: words, an artifact in two pieces, last words. */
export interface Exchanged {
  readonly request: Shape;
  readonly opened: Opened;
  readonly busy: Shape;
  readonly one: Shape;
  readonly two: Shape;
  readonly done: Shape;
}

/** @param between what the agent does between the two pieces. */
export async function exchange(
  { user, agent }: Ends,
  family: Family = FAMILIES[0]!,
  mode: Strength = 'enc+sig',
  asked: Shape = ASKED,
  between?: (by: SealArtifactOptions) => Promise<void>,
): Promise<Exchanged> {
  const request = await sealMessage(family.message(asked), { identity: user, to: agent, mode });
  const opened = await openTask(request, { identity: agent, peers: [user] });
  const by = { identity: agent, request: opened };
  const working = { state: 'TASK_STATE_WORKING', message: BUSY };
  const completed = { state: 'TASK_STATE_COMPLETED', message: DONE };
  const busy = await sealStatus(family.status(working), by);
  const one = await sealArtifact(family.artifact(ONE), by);
  await between?.(by);
  return {
    request,
    opened,
    busy,
    one,
    two: await sealArtifact(family.artifact(TWO), { ...by, append: true, lastChunk: true }),
    done: await sealStatus(family.status(completed), by),
  };
}

/** As the SDKs keep it: pieces of an artifact one behind the other, what was said in the history. */
export function storedTask({ request, busy, one, two, done }: Exchanged): StoredTask {
  return {
    id: 'task-1',
    contextId: 'context-1',
    status: done,
    history: [request, busy['message'] as Shape, done['message'] as Shape],
    artifacts: [joined(one, two)],
  };
}

export interface StoredTask extends Shape {
  readonly id: string;
  readonly contextId: string;
  readonly status: Shape;
  readonly history: Shape[];
  readonly artifacts: Shape[];
}

/** What a server makes of an update that continues an artifact. */
function joined(before: Shape, update: Shape): Shape {
  return {
    ...before,
    parts: [...(before['parts'] as Shape[]), ...(update['parts'] as Shape[])],
    metadata: { ...(before['metadata'] as Shape), ...(update['metadata'] as Shape) },
  };
}
