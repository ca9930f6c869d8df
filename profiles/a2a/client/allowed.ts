// Owns what may be asked of an agent: what its card does not declare is not asked for. SPEC.md section 20
// (#a2a-client-wires).

import { SdlError } from '../../../src/door/index.ts';
import type { OperationName } from '../operations/inputs.ts';
import type { KnownCard } from './discovery/known-card.ts';

type Judge = (card: KnownCard) => string | undefined;

const streams: Judge = ({ streaming }) => (streaming ? undefined : 'the agent does not stream');
const notifies: Judge = ({ pushNotifications }) =>
  pushNotifications ? undefined : 'the agent sends no notifications';

/** The words where the card does not allow it. */
const OPTIONAL: Readonly<Partial<Record<OperationName, Judge>>> = {
  stream: streams,
  subscribe: streams,
  createPush: notifies,
  getPush: notifies,
  listPush: notifies,
  deletePush: notifies,
  extendedCard: ({ extendedCard }) => (extendedCard ? undefined : 'the agent has no extended card'),
};

/** Throws CT_UNSUPPORTED. */
export function assertAllowed(operation: OperationName, card: KnownCard): void {
  const words = OPTIONAL[operation]?.(card);
  if (words !== undefined) throw cannot(`${words}: its card says so`);
}

export function cannot(words: string): SdlError {
  return new SdlError('CT_UNSUPPORTED', words);
}
