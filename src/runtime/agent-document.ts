// Owns the agent document of a running agent: signed anew when something in it changed or half its time is over.
// SPEC.md section 10 (#agent-document).

import { writeJson } from '../codec/json/write.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import { SdlError } from '../errors.ts';
import type { AgentDocumentContent } from '../security/identity/agent-document.ts';
import { signAgentDocument } from '../security/identity/agent-document.ts';
import type { OwnIdentity } from '../security/identity/own-identity.ts';

const LIFETIME_MS = 86_400_000;

/** What the document tells, without the time that it ends. */
export type DocumentFacts = Omit<AgentDocumentContent, 'bundle' | 'expMs'>;

export function createDocumentSource(
  identity: () => OwnIdentity,
  facts: () => DocumentFacts,
  crypto: CryptoProvider,
  now: () => number,
): () => Promise<Uint8Array> {
  let cached: { readonly about: string; readonly renewMs: number; bytes: Promise<Uint8Array> };

  return () => {
    const nowMs = now();
    const { bundle, root } = identity();
    if (bundle === undefined || root === undefined) {
      throw new SdlError('INTERNAL', 'an agent whose id is a label has no document to show');
    }
    const told = facts();
    const about = JSON.stringify([bundle.seq, told]);
    if (cached?.about !== about || nowMs >= cached.renewMs) {
      const content = { ...told, bundle, expMs: nowMs + LIFETIME_MS };
      const bytes = signAgentDocument(content, root.reveal(), crypto).then(({ document }) =>
        writeJson(document),
      );
      cached = { about, renewMs: nowMs + LIFETIME_MS / 2, bytes };
    }
    return cached.bytes;
  };
}
