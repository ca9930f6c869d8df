// Owns the signatures of a card: one for each reader that sees less of it than another. SPEC.md section 21
// (#a2a-card-signature).

import type { JsonObject } from '../../../src/codec/index.ts';
import { encodeBase64url } from '../../../src/security/index.ts';
import type { JwsSigner } from '../../../src/transport.ts';
import { currentView, legacySdkView, schemelessSdkView, wholeView } from './canonical.ts';
import type { CardForm } from './options.ts';

/** A reader drops what its version does not know before it verifies: it needs a signature of its own over what is left. */
const VIEWS = {
  strict: [currentView, schemelessSdkView],
  superset: [wholeView, currentView, schemelessSdkView, legacySdkView],
} as const satisfies Record<CardForm, unknown>;

export async function signCard(
  card: JsonObject,
  form: CardForm,
  signer: JwsSigner,
  jwksUrl: string,
): Promise<JsonObject> {
  const header = { typ: 'JOSE', jku: jwksUrl };
  const signatures: JsonObject[] = [];
  const payloads = new Map(
    VIEWS[form].map((view) => {
      const { payload } = view(card);
      return [encodeBase64url(payload), payload] as const;
    }),
  );
  for (const payload of payloads.values()) {
    const signed = await signer.sign(header, payload);
    signatures.push({ protected: signed.protected, signature: signed.signature });
  }
  return { ...card, signatures };
}
