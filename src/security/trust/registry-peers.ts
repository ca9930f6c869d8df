// Owns what the trust registry means for peers: kids that it revokes or ends, kids that it demands, keys that it adds.
// SPEC.md section 10 (#registry).

import { decodeBase64url } from '../../codec/base64url.ts';
import { parseTimestamp } from '../../envelope/timestamp.ts';
import type { Peer, PeerDirectory, PeerKey } from '../peers/peer.ts';
import type { RegistryContent } from './registry-document.ts';

/** The peers of a book as the registry leaves them. Nobody becomes a peer by the registry alone: the book says who is. */
export function underRegistry(peers: PeerDirectory, registry: RegistryContent): PeerDirectory {
  if (isEmpty(registry)) return peers;
  return {
    find: (agentId) => {
      const peer = peers.find(agentId);
      return peer && restricted(peer, registry);
    },
    ...(peers.findByCertificate && {
      findByCertificate: (fingerprint: string) => peers.findByCertificate!(fingerprint),
    }),
    restrict: (stranger) => restricted(stranger, registry),
  };
}

function isEmpty({
  allowed_kids_by_agent,
  required_kid_by_agent,
  ...rest
}: RegistryContent): boolean {
  return [
    allowed_kids_by_agent,
    required_kid_by_agent,
    rest.kid_not_after,
    rest.revoked_kids,
  ].every((part) => Object.keys(part).length === 0);
}

function restricted(peer: Peer, registry: RegistryContent): Peer {
  const required = ownMember(registry.required_kid_by_agent, peer.agentId);
  const allowed = ownMember(registry.allowed_kids_by_agent, peer.agentId);
  const added = [...(allowed ?? []), ...(required === undefined ? [] : [required])]
    .filter((kid) => !peer.signingKeys.some((key) => key.kid === kid))
    .map((kid) => registryKey(kid, registry))
    .filter((key) => key !== undefined);
  return {
    ...peer,
    signingKeys: [...peer.signingKeys, ...added],
    signingKeyRule: (key) => {
      if (required !== undefined && key.kid !== required) return undefined;
      if (allowed !== undefined && !allowed.includes(key.kid)) return undefined;
      return stillTrusted(key, registry);
    },
    // Which kids may sign messages says nothing of the root: the keys behind those kids come with its bundle.
    rootKeyRule: (key) => stillTrusted(key, registry),
  };
}

function stillTrusted(key: PeerKey, registry: RegistryContent): PeerKey | undefined {
  return registry.revoked_kids.includes(key.kid) ? undefined : ended(key, registry);
}

function registryKey(kid: string, { trusted_signing_keys }: RegistryContent): PeerKey | undefined {
  const text = ownMember(trusted_signing_keys, kid);
  const key = text === undefined ? undefined : decodeBase64url(text);
  return key && { kid, key };
}

function ended(key: PeerKey, { kid_not_after }: RegistryContent): PeerKey {
  const text = ownMember(kid_not_after, key.kid);
  if (text === undefined) return key;
  const endMs = parseTimestamp(text) ?? Number.NaN;
  return { ...key, notAfter: Math.min(key.notAfter ?? Infinity, endMs) };
}

function ownMember<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
