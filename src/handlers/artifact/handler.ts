// Owns `artifact.v1` that comes by itself: items are verified, chunks put together, and what is whole handed over.
// SPEC.md section 9 (#content-types).

import type { JsonArray } from '../../codec/value.ts';
import type { ContentHandler, RequestContext } from '../../content.ts';
import type { MaybePromise } from '../../crypto/provider.ts';
import { acknowledge } from '../acknowledge.ts';
import { ArtifactAssembler } from './assembler.ts';
import type { ArtifactItem, ArtifactRef } from './read.ts';
import { readItems, readRefs } from './read.ts';

/** What one message completed: every item is whole, and every digest that came along holds. */
export interface ReceivedArtifacts {
  readonly items: readonly ArtifactItem[];
  readonly refs: readonly ArtifactRef[];
}

export interface ArtifactOptions {
  /** Not called for a message that completed nothing. */
  readonly onArtifacts: (
    artifacts: ReceivedArtifacts,
    context: RequestContext,
  ) => MaybePromise<void>;
  /** @default one with the default bounds */
  readonly assembler?: ArtifactAssembler;
}

export function createArtifactHandler(options: ArtifactOptions): ContentHandler {
  const { onArtifacts, assembler = new ArtifactAssembler() } = options;
  return {
    ct: 'artifact.v1',
    async handle(payload, context) {
      const { items: itemList, refs: refList } = payload as unknown as ArtifactPayload;
      const sender = context.peer.agentId;
      const refs = readRefs(refList);
      const items = readItems(itemList)
        .map((item) => assembler.add(sender, item))
        .filter((item) => item !== undefined);
      if (items.length > 0 || refs.length > 0) await onArtifacts({ items, refs }, context);
      return acknowledge(context, { items: items.length, open: assembler.openItems(sender) });
    },
  };
}

/** What the schema of `artifact.v1` makes sure of. */
interface ArtifactPayload {
  readonly items: JsonArray;
  readonly refs: JsonArray;
}
