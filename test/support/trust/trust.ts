// Approvers, proposals and trust logs that the suites of the registry share.

import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { encodeBase64url } from '../../../src/codec/base64url.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { CryptoProvider } from '../../../src/crypto/provider.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import { signProposal } from '../../../src/security/trust/registry-proposal.ts';
import type { TrustLog, TrustLogOptions } from '../../../src/security/trust/log.ts';
import { createTrustLog } from '../../../src/security/trust/log.ts';
import type { TrustHead } from '../../../src/security/trust/state.ts';
import { INITIAL_TRUST } from '../../../src/security/trust/state.ts';
import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { Store } from '../../../src/stores/store.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { driver, temporaryFolder } from '../stores/sqlite.ts';

export const crypto: CryptoProvider = chooseProvider();
export const OWN = 'did:key:own';
export const NOW: number = Date.UTC(2026, 0, 10);
export const EMPTY: TrustHead = INITIAL_TRUST.head;

/** TEST ONLY */
export const seed = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
export const publicText = (fill: number): string =>
  encodeBase64url(crypto.ed25519PublicKey(seed(fill)));

/** Approvers by name; the number is the seed of each key. */
export const APPROVERS = { ann: 101, ben: 102, cem: 103 } as const;
export type Approver = keyof typeof APPROVERS;
export const approvers: ReadonlyMap<string, Uint8Array> = new Map(
  Object.entries(APPROVERS).map(([name, fill]) => [name, crypto.ed25519PublicKey(seed(fill))]),
);

/** A registry document that follows a head. */
export function registryAfter(head: TrustHead, content: JsonObject = {}): JsonObject {
  return {
    seq: head.seq + 1,
    prev_hash: head.hash,
    aud: OWN,
    exp: '2026-01-11T00:00:00Z',
    ...content,
  };
}

export async function approved(
  registry: JsonObject,
  by: readonly Approver[],
  merge = true,
): Promise<JsonObject> {
  const approvals = await Promise.all(
    by.map(async (approver) => ({
      approver,
      signature: await signProposal(merge, registry, seed(APPROVERS[approver]), crypto),
    })),
  );
  return { op: 'propose', merge, registry, approvals };
}

export async function single(registry: JsonObject, by: Approver = 'ann'): Promise<JsonObject> {
  const signature = await signProposal(true, registry, seed(APPROVERS[by]), crypto);
  return { op: 'propose', merge: true, registry, signature };
}

export interface Opened {
  readonly log: TrustLog;
  readonly store: Store;
  readonly clock: { now: number };
  /** The same data, read anew: after a restart, where the store outlives one. */
  readonly reopen: () => Promise<Opened>;
}

export type OpenTrust = (options?: Partial<TrustLogOptions>) => Promise<Opened>;

const openOn = async (
  openStore: () => Promise<Store>,
  restart: (store: Store) => Promise<Store>,
  options: Partial<TrustLogOptions>,
): Promise<Opened> => {
  const clock = { now: NOW };
  const opened = async (store: Store): Promise<Opened> => ({
    store,
    clock,
    log: await createTrustLog({
      store,
      crypto,
      ownAgentId: OWN,
      approvers,
      now: () => clock.now,
      ...options,
    }),
    reopen: async () => opened(await restart(store)),
  });
  return opened(await openStore());
};

let files = 0;

/** A row for each store that runs here. */
export function trustStores(): [string, OpenTrust][] {
  const rows: [string, OpenTrust][] = [
    [
      'in memory',
      (options = {}) =>
        openOn(
          async () => createMemoryStore(),
          async (store) => store,
          options,
        ),
    ],
  ];
  if (driver === undefined) return rows;
  const folder = temporaryFolder();
  const inFile: OpenTrust = (options = {}) => {
    const path = join(folder, `trust-${(files += 1)}`);
    const openStore = async (): Promise<Store> => {
      const store = await openSqliteStore({ path });
      onTestFinished(() => store.close());
      return store;
    };
    const restart = async (store: Store): Promise<Store> => {
      await store.close();
      return openStore();
    };
    return openOn(openStore, restart, options);
  };
  return [...rows, ['in an SQLite file', inFile]];
}
