// Owns what a repeat of a sealed message finds of the first: the task that it began, or that it was refused for good. SPEC.md
// section 22 (#sealed-repeat, #sealed-final).

import type { ErrorCode } from '../../../src/door/index.ts';
import { ERRORS, SdlError } from '../../../src/door/index.ts';
import type { OpenedRequest } from '../../../src/transport.ts';
import { A2aError, toA2aError } from '../errors/a2a-error.ts';
import type { Kind } from '../errors/kinds.ts';

/** How the first ended. */
export type FirstEnd =
  | { readonly taskId: string }
  | {
      readonly refusal: A2aError;
      /** Of the caller that brought it. */
      readonly by: string;
    };

/** A refusal as it is kept. */
interface Kept {
  readonly kind: Kind;
  readonly code: ErrorCode;
  readonly words: string;
  readonly by: string;
}

/** No id begins with it: they are made of letters and digits here. */
const REFUSED = '\n';

/** For `complete`. */
export function begunEnd(taskId: string): Uint8Array {
  return new TextEncoder().encode(taskId);
}

/** For `complete`. What stands beside the envelope is not told again: nobody has signed it. */
export function refusedEnd(thrown: unknown, by: string): Uint8Array {
  const { kind, error, words } = toA2aError(thrown);
  const kept: Kept = { kind, code: error.code, words, by };
  return new TextEncoder().encode(REFUSED + JSON.stringify(kept));
}

/** `undefined` where it ended without a word, in a crash or in a process that does not answer. */
export async function firstEnd({ use }: OpenedRequest): Promise<FirstEnd | undefined> {
  if (use.kind === 'new') return undefined;
  let text: string;
  try {
    text = new TextDecoder().decode(await use.reply);
  } catch (thrown) {
    if (thrown instanceof SdlError && thrown.code === 'DEADLINE') return undefined;
    throw thrown;
  }
  if (!text.startsWith(REFUSED)) return { taskId: text };
  const { kind, code, words, by } = JSON.parse(text.slice(REFUSED.length)) as Kept;
  const known = Object.hasOwn(ERRORS, code) ? code : 'INTERNAL';
  return { refusal: new A2aError(kind, new SdlError(known, 'it was refused before'), words), by };
}

/** What the agent finds wrong with what was signed, or with who has signed it: nothing that stands beside it. */
const OF_THE_SIGNED: ReadonlySet<ErrorCode> = new Set([
  'NOT_AUTHORIZED',
  'PAYLOAD_INVALID',
  'TASK_REFUSED',
]);

/** Would the same envelope be refused again, whoever brings it, to whichever task? */
export function isFinal(thrown: unknown): boolean {
  if (thrown instanceof A2aError) return thrown.kind === 'CONTENT_TYPE_NOT_SUPPORTED';
  return thrown instanceof SdlError && OF_THE_SIGNED.has(thrown.code);
}
