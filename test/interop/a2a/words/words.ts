// Owns what is said to a client and heard from it: every package has the JSON of one generation, in whatever language.

import type {
  Answer,
  Filter,
  Found,
  Hook,
  JsonObject,
  Page,
  SaidPart,
  SeenTask,
  Step,
  Wish,
} from '../client.ts';
import type { Json } from '../../../support/a2a/ask.ts';

export interface Words {
  send(wish: Wish): JsonObject;
  task(id: string, historyLength?: number): JsonObject;
  list(filter: Filter): JsonObject;
  hook(taskId: string, hook: Hook): JsonObject;
  hookId(taskId: string, id: string): JsonObject;
  readAnswer(json: Json): Answer;
  readTask(json: Json): SeenTask;
  readStep(json: Json): Step;
  readPage(json: Json): Page;
  readHook(json: Json): Hook;
  readHooks(json: Json): readonly Hook[];
  readCard(json: Json): Found;
}

/** What is said, as parts. */
export function partsOf({ text = '', parts }: Wish): readonly SaidPart[] {
  return parts ?? [{ text }];
}

export function textOf(parts: readonly SaidPart[]): string {
  return parts.map(({ text = '' }) => text).join('');
}

export function objectIn(json: Json | undefined): JsonObject {
  return (json ?? {}) as JsonObject;
}

export function listIn(json: Json | undefined): readonly Json[] {
  return (json ?? []) as readonly Json[];
}

export function textIn(json: Json | undefined): string {
  return typeof json === 'string' ? json : '';
}

/** Without members that are nothing: packages differ in whether they write them. */
export function present<T extends object>(
  members: T,
): { [Name in keyof T]?: NonNullable<T[Name]> } {
  const entries = Object.entries(members).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  return Object.fromEntries(entries) as { [Name in keyof T]?: NonNullable<T[Name]> };
}

let messages = 0;

export function newMessageId(): string {
  messages += 1;
  return `message-${messages}`;
}
