// Owns the import of raw keys into node:crypto, by the fastest form that is safe for each kind.

import type { NodeCrypto, NodeKey } from './node-modules.ts';

export interface KeyImports {
  readonly ed25519Public: (publicKey: Uint8Array) => NodeKey;
  readonly ed25519Secret: (secretKey: Uint8Array) => NodeKey;
  readonly ed25519PublicBytes: (secret: NodeKey) => Uint8Array;
  readonly x25519Public: (publicKey: Uint8Array) => NodeKey;
  readonly x25519Secret: (secretKey: Uint8Array) => NodeKey;
  readonly x25519PublicBytes: (secret: NodeKey) => Uint8Array;
}

/** PKCS #8 around a raw secret key: all but the last byte of the algorithm, that byte, the wrapped octets. */
const PKCS8_HEAD = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65];
const PKCS8_TAIL = [0x04, 0x22, 0x04, 0x20];
const OID_X25519 = 0x6e;
const OID_ED25519 = 0x70;

export function createKeyImports(node: NodeCrypto): KeyImports {
  function fromPkcs8(oid: number, secretKey: Uint8Array): NodeKey {
    const key = Buffer.from([...PKCS8_HEAD, oid, ...PKCS8_TAIL, ...secretKey]);
    return node.createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  }

  function publicBytes(secret: NodeKey): Uint8Array {
    const { x } = node.createPublicKey(secret).export({ format: 'jwk' });
    return new Uint8Array(Buffer.from(x!, 'base64url'));
  }

  function publicFromJwk(crv: string, publicKey: Uint8Array): NodeKey {
    const key = { kty: 'OKP', crv, x: base64url(publicKey) };
    return node.createPublicKey({ key, format: 'jwk' });
  }

  return {
    ed25519Public: (publicKey) => publicFromJwk('Ed25519', publicKey),
    // Never as a JWK: that names the public key too, and a wrong one under a signature gives the secret away.
    ed25519Secret: (secretKey) => fromPkcs8(OID_ED25519, secretKey),
    ed25519PublicBytes: publicBytes,
    x25519Public: (publicKey) => publicFromJwk('X25519', publicKey),
    // PKCS #8 takes 17 times as long, and every sealed message brings a fresh key.
    x25519Secret(secretKey) {
      try {
        // The public half is not known yet; OpenSSL works it out from the secret one.
        const key = { kty: 'OKP', crv: 'X25519', x: base64url(NO_KEY), d: base64url(secretKey) };
        return node.createPrivateKey({ key, format: 'jwk' });
      } catch {
        return fromPkcs8(OID_X25519, secretKey);
      }
    },
    x25519PublicBytes: publicBytes,
  };
}

const NO_KEY = new Uint8Array(32);

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');
}
