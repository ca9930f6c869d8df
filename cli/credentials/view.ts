// Owns how a credential is shown, to people and to programs: never the secret.

import type { BoundCredential } from '../../profiles/a2a/client/credentials/credential.ts';
import { certificateFingerprints } from '../client/tls.ts';

/** Names to texts. */
type Document = Readonly<Record<string, string>>;

export function credentialDocument(credential: BoundCredential): Document {
  const { origin, scheme } = credential;
  return { origin, scheme, ...detailsOf(credential) };
}

function detailsOf(credential: BoundCredential): Document {
  switch (credential.scheme) {
    case 'api-key':
      return credential.header === undefined ? {} : { header: credential.header };
    case 'basic':
      return { user: credential.user };
    case 'oauth2': {
      const { tokenUrl, clientId, scope } = credential;
      return { token_url: tokenUrl, client_id: clientId, ...(scope !== undefined && { scope }) };
    }
    case 'certificate': {
      const [sha256] = certificateFingerprints(credential.cert) ?? [];
      return sha256 === undefined ? {} : { certificate: sha256 };
    }
    default:
      return {};
  }
}

/** In one cell. */
export function detailText(credential: BoundCredential): string {
  const words = Object.entries(detailsOf(credential)).map(([name, text]) => `${name} ${text}`);
  return words.length === 0 ? '-' : words.join(', ');
}
