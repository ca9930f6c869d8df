// Owns what signs documents of other dialects: the agent's own key, bound to JSON Web Signatures.
// SPEC.md section 10 (#jws-signature).

import { encodeBase64url } from '../codec/base64url.ts';
import { writeJson } from '../codec/json/write.ts';
import { encodeUtf8 } from '../codec/utf8.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import type { OwnIdentity } from '../security/identity/own-identity.ts';
import { signingKeysOf } from '../security/identity/own-identity.ts';
import type { JwsSigner } from '../transport.ts';

export function createJwsSigner(
  identity: () => OwnIdentity,
  crypto: Pick<CryptoProvider, 'sign'>,
  now: () => number,
): () => JwsSigner | undefined {
  return () => {
    const keys = signingKeysOf(identity(), now());
    const [first] = keys;
    if (first === undefined) return undefined;
    const { kid, key } = first;
    return {
      kid,
      publicKey: key.publicKey,
      keys: keys.map((own) => ({ kid: own.kid, publicKey: own.key.publicKey })),
      sign: async ({ alg: _alg, kid: _kid, ...header }, payload) => {
        const head = encodeBase64url(writeJson({ alg: 'EdDSA', kid, ...header }));
        // It begins with the letter of an encoded brace, as no envelope and no document of our own does.
        const input = encodeUtf8(`${head}.${encodeBase64url(payload)}`);
        const signature = await crypto.sign(input, key.reveal());
        return { protected: head, signature: encodeBase64url(signature) };
      },
    };
  };
}
