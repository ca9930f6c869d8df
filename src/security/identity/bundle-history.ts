// Owns the bundles that an agent has had: by them a signature of a key that was rotated out still proves something. Each
// is signed by the root key, so that it does not matter who could write where they are kept. SPEC.md section 10 (#key-bundle).

import { readJson } from '../../codec/json/read.ts';
import { writeJson } from '../../codec/json/write.ts';
import type { CryptoProvider } from '../../crypto/provider.ts';
import { SdlError } from '../../errors.ts';
import type { Store } from '../../stores/store.ts';
import type { KeyBundle } from './key-bundle-shape.ts';
import { verifyStoredBundle } from './key-bundle.ts';

const SPACE = 'own-bundle';

/** Writes a bundle down once. */
export async function rememberBundle(store: Pick<Store, 'add'>, bundle: KeyBundle): Promise<void> {
  const index = { agent: bundle.agentId };
  const value = writeJson(bundle.document);
  await store.add(SPACE, `${bundle.agentId} ${bundle.seq}`, { value, index });
}

/** The signing keys of all bundles that this agent has had, by kid. What does not hold is passed over. */
export async function formerSigningKeys(
  store: Pick<Store, 'list'>,
  agentId: string,
  crypto: CryptoProvider,
): Promise<Map<string, Uint8Array>> {
  const keys = new Map<string, Uint8Array>();
  for (let after: string | undefined; ;) {
    const page = await store.list(SPACE, { index: { agent: agentId }, after });
    for (const { value } of page.entries) {
      const bundle = await bundleIn(value, crypto);
      if (bundle?.agentId !== agentId) continue;
      for (const { use, kid, publicKey } of bundle.keys)
        if (use === 'sig') keys.set(kid, publicKey);
    }
    after = page.next;
    if (after === undefined) return keys;
  }
}

async function bundleIn(value: Uint8Array, crypto: CryptoProvider): Promise<KeyBundle | undefined> {
  try {
    return await verifyStoredBundle(readJson(value), crypto);
  } catch (thrown) {
    if (thrown instanceof SdlError) return undefined;
    throw thrown;
  }
}
