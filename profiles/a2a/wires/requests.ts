// Owns what all wires read alike: the message of a caller, and the bounds of lengths and pages. SPEC.md section 20
// (#a2a-input).

import type { JsonObject, MessageContent, TaskState } from '../../../src/door/index.ts';
import type { Violation } from '../errors/a2a-error.ts';
import { invalidInput } from '../errors/a2a-error.ts';
import type { Fields } from '../fields/read.ts';
import type { ListInput, SendInput } from '../operations/inputs.ts';
import { configIn, hookWireOf } from '../push/wire.ts';
import type { Shape } from './shape.ts';

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 100;

/** What of a request is the same in every wire; whether it waits is not, nor is the name of its web hook. */
export function sendOf(
  shape: Shape,
  request: Fields,
  pushMember: string,
  isWaiting: boolean,
): SendInput {
  const message = request['message'] as Fields;
  const configuration = configurationOf(request) ?? {};
  const { acceptedOutputModes = [], historyLength, [pushMember]: push } = configuration;
  const metadata = request['metadata'] as JsonObject | undefined;
  assertLength(historyLength, 'configuration.historyLength');
  return {
    version: shape.version,
    isWaiting,
    message: messageOf(shape, message),
    ...textIn(message, 'taskId'),
    ...textIn(message, 'contextId'),
    ...textIn(request, 'tenant'),
    ...(historyLength !== undefined && { historyLength: historyLength as number }),
    acceptedOutputModes: acceptedOutputModes as readonly string[],
    ...(metadata !== undefined && { metadata }),
    ...(push !== undefined && {
      push: configIn(push as Fields, hookWireOf(shape.name), `configuration.${pushMember}.`),
    }),
  };
}

/** It is said again in every event. */
const MAX_CONTEXT_ID = 256;
const HIDDEN = /[\p{Cc}\p{Cs}]/u;

function isContextId(id: Fields[string]): boolean {
  return typeof id !== 'string' || (id.length <= MAX_CONTEXT_ID && !HIDDEN.test(id));
}

export function configurationOf(request: Fields): Fields | undefined {
  return request['configuration'] as Fields | undefined;
}

function messageOf(shape: Shape, fields: Fields): MessageContent {
  const { messageId, role, metadata, extensions, referenceTaskIds } = fields;
  const parts = (fields[shape.content] ?? []) as readonly Fields[];
  const where = `message.${shape.content}`;
  // Not every table says that they are required.
  const violations: Violation[] = [
    ...(messageId === undefined || messageId === ''
      ? [wrong('message.messageId', 'is required')]
      : []),
    ...(role === shape.roles.user ? [] : [wrong('message.role', `expected ${shape.roles.user}`)]),
    ...(parts.length === 0 ? [wrong(where, 'must not be empty')] : []),
    ...(isContextId(fields['contextId'])
      ? []
      : [wrong('message.contextId', `expected at most ${MAX_CONTEXT_ID} visible characters`)]),
  ];
  if (violations.length > 0) throw invalidInput(violations);
  return {
    id: messageId as string,
    role: 'user',
    parts: parts.map((part, at) => shape.readPart(part, `${where}[${at}]`)),
    ...(metadata !== undefined && { metadata: metadata as JsonObject }),
    ...(extensions !== undefined && { extensions: extensions as readonly string[] }),
    ...(referenceTaskIds !== undefined && { references: referenceTaskIds as readonly string[] }),
  };
}

/** @param since the moment that the wire has a name of its own for. */
export function listOf(shape: Shape, request: Fields, since: string): ListInput {
  const { pageSize = DEFAULT_PAGE_SIZE, historyLength, includeArtifacts = false } = request;
  const from = request[since];
  if (!((pageSize as number) >= 1 && (pageSize as number) <= MAX_PAGE_SIZE)) {
    throw invalidInput([wrong('pageSize', `expected 1 to ${MAX_PAGE_SIZE}`)]);
  }
  assertLength(historyLength, 'historyLength');
  const state = stateOf(shape, request['status'] as string | undefined);
  return {
    ...textIn(request, 'tenant'),
    ...textIn(request, 'contextId'),
    ...textIn(request, 'pageToken'),
    ...(state !== undefined && { state }),
    pageSize: pageSize as number,
    ...(historyLength !== undefined && { historyLength: historyLength as number }),
    ...(from !== undefined && { since: from as number }),
    includeArtifacts: includeArtifacts as boolean,
  };
}

/** The one that stands for nothing is any. */
function stateOf({ states }: Shape, name: string | undefined): TaskState | undefined {
  const known = Object.keys(states) as TaskState[];
  return known.find((state) => states[state] === name);
}

export function assertLength(length: unknown, where: string): void {
  if (length !== undefined && (length as number) < 0) {
    throw invalidInput([wrong(where, 'must not be negative')]);
  }
}

/** An empty text is none. */
export function textIn<Name extends string>(
  fields: Fields,
  name: Name,
): { readonly [N in Name]?: string } {
  const text = fields[name];
  const isThere = typeof text === 'string' && text !== '';
  return (isThere ? { [name]: text } : {}) as { readonly [N in Name]?: string };
}

export function wrong(field: string, description: string): Violation {
  return { field, description };
}
