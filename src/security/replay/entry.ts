// Owns what the store keeps of a nonce: for which input, how far the run has come, and its reply. SPEC.md section 7 (#replay).

import { equalBytes } from '../../crypto/bytes.ts';
import { SdlError } from '../../errors.ts';
import type { EntryIndex, EntryStore, WriteResult } from '../../stores/store.ts';
import { AgentQuota } from './agent-quota.ts';
import { ReplyBytes } from './reply-bytes.ts';

/** A request whose signature holds and that is fresh. */
export interface NonceUse {
  readonly agentId: string;
  /** Of the key that signed it. */
  readonly keyThumbprint: string;
  readonly nonce: string;
  /** When it says that it was made. */
  readonly tsMs: number;
  readonly expMs: number;
  /** The SHA-256 of the signing input. */
  readonly inputHash: Uint8Array;
}

/** This claim took the nonce. */
export interface OwnClaim {
  readonly kind: 'mine';
  readonly version: number;
  /** Nothing was kept of the nonce before. */
  readonly isFirst: boolean;
}

/** `running`: somebody else took the nonce, perhaps in a process that is no more. */
export type Claim =
  OwnClaim | { readonly kind: 'running' } | { readonly kind: 'done'; readonly reply: Uint8Array };

/** How a run ended: with a reply, or before anything was done. */
export type NonceEnd = { readonly reply: Uint8Array } | 'abandoned';

export const HASH_BYTES = 32;
export const NONCES = 'replay';

/** The first byte of a value; the hash of the signing input follows, then the reply. */
const RUNNING = 0;
const DONE = 1;
const ABANDONED = 2;
const HEAD_BYTES = 1 + HASH_BYTES;

/** By key and not by agent: a name proves nothing (W25). The length keeps any two pairs apart. */
export function nonceKey({ keyThumbprint, nonce }: NonceUse): string {
  return `${keyThumbprint.length}:${keyThumbprint}${nonce}`;
}

export interface ReplayEntriesOptions {
  readonly store: EntryStore;
  readonly now: () => number;
  readonly skewMs: number;
  readonly quotaPerSender: number;
  readonly maxReplyBytesPerSender: number;
}

export class ReplayEntries {
  readonly #store: EntryStore;
  readonly #skewMs: number;
  readonly #quota: AgentQuota;
  readonly #replies: ReplyBytes;

  constructor({ store, now, skewMs, ...limits }: ReplayEntriesOptions) {
    this.#store = store;
    this.#skewMs = skewMs;
    this.#quota = new AgentQuota(store, NONCES, limits.quotaPerSender);
    this.#replies = new ReplyBytes(store, NONCES, limits.maxReplyBytesPerSender, now);
  }

  /** Takes the nonce for this input, or finds how far it has come. Throws REPLAYED and REPLAY_FULL. */
  async claim(use: NonceUse): Promise<Claim> {
    const key = nonceKey(use);
    const running = valueOf(RUNNING, use.inputHash);
    for (;;) {
      const entry = await this.#store.get(NONCES, key);
      const known = entry && claimOf(entry.value, use.inputHash);
      if (known !== undefined) return known;
      // What is known already needs no room, so a sender that is full can still retry.
      if (!(await this.#replies.hasRoom(this.#quota.fieldOf(use.agentId)))) {
        throw full('the replies that are kept for the sender take up too many bytes');
      }
      const written =
        entry === undefined
          ? await this.#quota.write(use.agentId, (index) => this.#put(use, running, index, 0))
          : await this.#put(use, running, entry.index, entry.version);
      if (written === undefined) throw full('the sender has too many live nonces');
      if (written.ok)
        return { kind: 'mine', version: written.version, isFirst: entry === undefined };
    }
  }

  /** Writes down the end of a run that this process claimed. */
  async settle(use: NonceUse, { version }: OwnClaim, end: NonceEnd): Promise<void> {
    const agent = this.#quota.fieldOf(use.agentId);
    // The version is another only if the entry has expired, and then there is nothing left to keep.
    if (end === 'abandoned') {
      await this.#put(use, valueOf(ABANDONED, use.inputHash), { agent }, version);
      return;
    }
    const done = valueOf(DONE, use.inputHash, end.reply);
    await this.#replies.keep(agent, end.reply.length, (index) =>
      this.#put(use, done, index, version),
    );
  }

  /** Undoes the claim. A nonce that was abandoned earlier stays with its input. */
  async forget(use: NonceUse, claim: OwnClaim): Promise<void> {
    if (!claim.isFirst) return this.settle(use, claim, 'abandoned');
    await this.#store.delete(NONCES, nonceKey(use), { ifVersion: claim.version });
  }

  /** How the run of a nonce ended; `running` while it has not, `gone` once the nonce has expired or was forgotten. */
  async endOf(use: NonceUse): Promise<NonceEnd | 'running' | 'gone'> {
    const entry = await this.#store.get(NONCES, nonceKey(use));
    if (entry === undefined) return 'gone';
    if (entry.value[0] === RUNNING) return 'running';
    return entry.value[0] === DONE ? { reply: entry.value.slice(HEAD_BYTES) } : 'abandoned';
  }

  #put(
    use: NonceUse,
    value: Uint8Array,
    index: EntryIndex,
    ifVersion: number,
  ): Promise<WriteResult> {
    const expiresAt = use.expMs + this.#skewMs;
    return this.#store.put(NONCES, nonceKey(use), value, { ifVersion, expiresAt, index });
  }
}

export function replayed(): SdlError {
  return new SdlError('REPLAYED', 'the nonce was used for another message');
}

function full(reason: string): SdlError {
  return new SdlError('REPLAY_FULL', reason);
}

/** How far the nonce has come; `undefined` when it may run again. Throws REPLAYED for another input. */
function claimOf(value: Uint8Array, inputHash: Uint8Array): Claim | undefined {
  if (!equalBytes(value.subarray(1, HEAD_BYTES), inputHash)) throw replayed();
  if (value[0] === RUNNING) return { kind: 'running' };
  return value[0] === DONE ? { kind: 'done', reply: value.slice(HEAD_BYTES) } : undefined;
}

function valueOf(state: number, inputHash: Uint8Array, reply?: Uint8Array): Uint8Array {
  const value = new Uint8Array(HEAD_BYTES + (reply?.length ?? 0));
  value[0] = state;
  value.set(inputHash, 1);
  if (reply !== undefined) value.set(reply, HEAD_BYTES);
  return value;
}
