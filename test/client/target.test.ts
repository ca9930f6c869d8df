// Whom an address stands for: the peer that lists it, and never another one that lives nearby.

import { describe, expect, test } from 'vitest';

import { resolveTarget } from '../../src/client/target.ts';
import type { PeerSource } from '../../src/message/peers.ts';
import type { Peer } from '../../src/security/peers/peer.ts';
import { directoryOf, makePeer } from '../support/trust/peers.ts';

const sourceOf = (...peers: readonly Peer[]): PeerSource => ({
  snapshot: () => directoryOf(...peers),
  list: () => peers,
});

const one = makePeer('did:key:one', { endpoints: ['https://hub.example/one/a2a'] });
const two = makePeer('did:key:two', { endpoints: ['https://hub.example/two/a2a'] });
const alone = makePeer('did:key:alone', { endpoints: ['http://alone.example:8787/a2a'] });
const local = makePeer('did:key:local', { endpoints: ['ipc:/run/local.sock'] });
const everybody = sourceOf(one, two, alone, local);

describe('#sec-kid-bound an address', () => {
  test.each([
    ['is that of the peer that lists it', 'https://hub.example/two/a2a', 'did:key:two'],
    ['may be that of its WebSocket', 'wss://hub.example/two/a2a', 'did:key:two'],
    ['may be another of a host that has one peer', 'ws://alone.example:8787/', 'did:key:alone'],
    ['of a socket is exact', 'ipc:/run/local.sock', 'did:key:local'],
  ])('%s', (_, url, agentId) => {
    expect(resolveTarget(url, everybody)).toEqual({ agentId, endpoints: [url] });
  });

  test.each([
    ['http://alone.example:8787', 'http://alone.example:8787/a2a'],
    ['ws://alone.example:8787', 'ws://alone.example:8787/a2a'],
  ])('%s without a path is the address of the peer there', (url, own) => {
    expect(resolveTarget(url, everybody)).toEqual({ agentId: 'did:key:alone', endpoints: [own] });
  });

  test('listed by one peer goes before one that only sounds alike', () => {
    const web = makePeer('did:key:web', { endpoints: ['http://hub.example/a2a'] });
    const socket = makePeer('did:key:socket', { endpoints: ['ws://hub.example/a2a'] });
    const peers = sourceOf(web, socket);
    expect(resolveTarget('ws://hub.example/a2a', peers).agentId).toBe('did:key:socket');
  });

  test.each([
    ['a host of several peers', 'https://hub.example/three/a2a', everybody],
    [
      'listed by several',
      'https://hub.example/one/a2a',
      sourceOf(one, { ...two, endpoints: one.endpoints }),
    ],
  ])('that could be anybody’s is refused, and the choice is named: %s', (_, url, peers) => {
    expect(() => resolveTarget(url, peers)).toThrow(
      `${url} may be the address of more than one peer: connect by id, or say who it is with "agentId": did:key:one, did:key:two`,
    );
    expect(resolveTarget(url, peers, 'did:key:two').agentId).toBe('did:key:two');
  });

  test('of a revoked peer is nobody’s', () => {
    const peers = sourceOf({ ...one, revoked: true }, two);
    expect(resolveTarget('https://hub.example/x', peers).agentId).toBe('did:key:two');
    expect(() =>
      resolveTarget('https://hub.example/x', sourceOf({ ...one, revoked: true })),
    ).toThrow('no peer is known at https://hub.example/x');
  });

  test.each(['http://alone.example/a2a', 'https://alone.example:8787/a2a', 'ipc:/run/other.sock'])(
    'on another port, with or without TLS, or of another socket is unknown: %s',
    (url) => {
      expect(() => resolveTarget(url, everybody)).toThrow(`no peer is known at ${url}`);
    },
  );
});
