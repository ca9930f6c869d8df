// Owns what a further message to a task goes on from: at the end that sends it, and at the end to which it came. SPEC.md
// section 22 (#sealed-follows).

import type { MessageKit } from '../../../src/message/index.ts';
import { encodeBase64url, followsIn } from '../../../src/security/index.ts';
import type { Follows } from '../../../src/transport.ts';
import { SealedError } from './error.ts';
import type { RequestHandle } from './handle.ts';
import { exchangeOf } from './handle.ts';
import { envelopeBytes, envelopeOfMessage } from './locate.ts';
import type { Bag } from './shapes/neutral.ts';

/**
 * The task that a message goes on with: what openTask() or openStream() gave of it last, or the `toFollow` in that. Where
 * nothing of it was opened: the last message of ours in it, as sealMessage() gave it.
 */
export type FollowHandle = { readonly toFollow?: Follows | undefined } | Follows | object;

export async function followsOf(handle: FollowHandle, kit: MessageKit): Promise<Follows> {
  const envelope = envelopeOfMessage(handle as Bag);
  if (envelope !== undefined) {
    const { inputHash } = await kit.requestOf(envelopeBytes(envelope), 'given');
    return { req: encodeBase64url(inputHash!) };
  }
  const { toFollow = handle } = handle as { readonly toFollow?: object };
  const follows = followsIn(toFollow as Bag);
  if (follows !== undefined) return follows;
  throw new TypeError('"follows" expected a task that was opened, or a message of ours in it');
}

/**
 * Throws FOLLOWS_OTHER for a message that came to another task than it goes on with.
 * @param open what the task was asked and may go on from; none where there is no task yet.
 */
export function assertFollows(
  follows: Follows | undefined,
  open: RequestHandle | readonly RequestHandle[] | undefined,
): void {
  const given: readonly unknown[] = Array.isArray(open) ? open : open === undefined ? [] : [open];
  const exchanges = given.map((handle) => exchangeOf(handle as RequestHandle));
  if (follows === undefined && exchanges.length === 0) return;
  if (follows !== undefined && exchanges.some((one) => one.isFollowedBy(follows))) return;
  throw new SealedError('FOLLOWS_OTHER', followsOther(follows, exchanges.length > 0));
}

/** What does not fit, in words. */
export function followsOther(follows: Follows | undefined, isTask: boolean): string {
  if (follows === undefined) return 'it begins something new, and came to a task';
  return isTask
    ? 'it goes on from something else than what this task said last: open the task, and answer that'
    : 'it goes on with a task, and came without one';
}
