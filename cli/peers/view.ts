// Owns how a peer is shown, to people and to programs.

import type { JsonObject } from '../../src/codec/index.ts';
import { formatTimestamp } from '../../src/envelope/index.ts';
import type { CryptoProvider, PeerKey } from '../../src/security/index.ts';
import { encodeBase64url } from '../../src/security/index.ts';
import { certificateFingerprints } from '../client/tls.ts';
import { fingerprintOf } from '../home/fingerprint.ts';
import type { NamedPeer } from './book.ts';

/** An entry, and whose book it is of. */
type ShownPeer = Pick<NamedPeer, 'role' | 'entry'>;

export function peerDocument({ role, entry }: ShownPeer, crypto: CryptoProvider): JsonObject {
  const fingerprint = fingerprintOf(entry.agentId, crypto);
  return {
    book: role,
    agent_id: entry.agentId,
    ...(entry.name !== undefined && { name: entry.name }),
    ...(fingerprint !== undefined && { fingerprint }),
    revoked: entry.revoked,
    endpoints: [...entry.endpoints],
    sign_keys: entry.signingKeys.map(keyDocument),
    enc_keys: entry.encryptionKeys.map(keyDocument),
    ...(entry.canon !== undefined && { canon: entry.canon }),
    ...(entry.minMode !== undefined && { min_mode: entry.minMode }),
    ...(entry.sealed !== undefined && { a2a_sealed: entry.sealed }),
    ...(entry.contentTypes !== undefined && { allow_ct: [...entry.contentTypes] }),
    ...(entry.tools !== undefined && { allow_tools: [...entry.tools] }),
    ...(entry.certificates !== undefined && { certificates: [...entry.certificates] }),
    ...(entry.tlsCa !== undefined && { tls_ca: certificateFingerprints(entry.tlsCa) ?? [] }),
    compat: [...entry.switches],
    may_grant: entry.mayGrant,
    ...momentsOf(entry),
  };
}

/** One row for each thing that is not as by default. */
export function peerRows({ role, entry }: ShownPeer, crypto: CryptoProvider): string[][] {
  const rows: (readonly [string, string | undefined])[] = [
    ['book', role],
    ['agent id', entry.agentId],
    ['name', entry.name],
    ['fingerprint', fingerprintOf(entry.agentId, crypto)],
    ['revoked', entry.revoked ? 'yes' : undefined],
    ...entry.endpoints.map((url) => ['url', url] as const),
    ...entry.signingKeys.map((key) => ['sign key', keyText(key)] as const),
    ...entry.encryptionKeys.map((key) => ['enc key', keyText(key)] as const),
    ['canon', entry.canon],
    ['min mode', entry.minMode],
    ['sealed', entry.sealed],
    ['content types', entry.contentTypes?.join(', ')],
    ['tools', entry.tools?.join(', ')],
    ['certificates', entry.certificates?.join(', ')],
    ['tls ca', entry.tlsCa && (certificateFingerprints(entry.tlsCa)?.join(', ') ?? 'unreadable')],
    ['compat', entry.switches.size > 0 ? [...entry.switches].join(', ') : undefined],
    ['may grant', entry.mayGrant ? 'yes' : undefined],
  ];
  return rows.flatMap(([title, text]) => (text === undefined ? [] : [[title, text]]));
}

function keyText({ kid, notAfter }: PeerKey): string {
  return notAfter === undefined ? kid : `${kid}, until ${formatTimestamp(notAfter)}`;
}

function keyDocument({ kid, key, ...validity }: PeerKey): JsonObject {
  return { kid, key: encodeBase64url(key), ...momentsOf(validity) };
}

function momentsOf(validity: {
  readonly notBefore?: number;
  readonly notAfter?: number;
}): JsonObject {
  const { notBefore, notAfter } = validity;
  return {
    ...(notBefore !== undefined && { not_before: formatTimestamp(notBefore) }),
    ...(notAfter !== undefined && { not_after: formatTimestamp(notAfter) }),
  };
}
