// Owns what a test has the runner itself do, beside its steps: tests say so in words, with a tag.

import type { ActsTest } from '../document.ts';
import type { World } from '../world.ts';

export interface Special {
  /** Before the steps, such as for variables that they need. */
  readonly prepare?: (world: World) => Promise<void>;
  /** After them. */
  readonly check: (world: World) => Promise<void>;
}

export type Specials = Readonly<Record<string, Special>>;

const TAGS = new Set(['runner-special', 'schema-validation', 'grpc-status-verification']);

/** It cannot be judged by its steps alone. */
export function needsMore({ tags }: ActsTest): boolean {
  return tags.some((tag) => TAGS.has(tag));
}

export function textRequest(text: string, more: object = {}): { readonly message: object } {
  return { message: { messageId: text, role: 'ROLE_USER', parts: [{ text }] }, ...more };
}
