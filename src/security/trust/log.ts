// Owns the durable log of applied registry proposals, each chained to the one before. SPEC.md section 10 (#registry).

import { encodeBase64url } from '../../codec/base64url.ts';
import type { JsonValue } from '../../codec/value.ts';
import type { CryptoProvider } from '../../crypto/provider.ts';
import { formatTimestamp } from '../../envelope/timestamp.ts';
import type { ErrorCode } from '../../errors.ts';
import { SdlError } from '../../errors.ts';
import type { ContentHash } from '../../schema/content-hash.ts';
import type { LogRecord, Store } from '../../stores/store.ts';
import type { OwnSecret } from '../identity/own-identity.ts';
import { isPublicKey } from '../identity/public-key.ts';
import type { RegistryContent } from './registry-document.ts';
import { assertStrongRegistryKeys, registryHash } from './registry-document.ts';
import type { Approval, Proposal, SignedProposal } from './registry-proposal.ts';
import { approvalsThatHold, readProposal } from './registry-proposal.ts';
import type { RecordTrust } from './record.ts';
import { readRecord, writeRecord } from './record.ts';
import type { CompatSwitch } from '../policy/switches.ts';
import type { TrustHead, TrustState } from './state.ts';
import { INITIAL_TRUST, applyProposal } from './state.ts';

export interface TrustLogOptions {
  readonly store: Store;
  readonly crypto: CryptoProvider;
  /** Proposals must name it as `aud`. */
  readonly ownAgentId: string;
  /** Who may approve, by name. No two may have one key. */
  readonly approvers: ReadonlyMap<string, Uint8Array>;
  /** How many of them must approve a change. @default 1 */
  readonly quorum?: number;
  /**
   * Signs what was applied, so that it counts also when the approvers are others by then. @default none: every record is
   * judged by the approvers of now
   */
  readonly root?: OwnSecret | undefined;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

export interface AcceptedProposal {
  readonly op: 'propose';
  readonly status: 'accepted';
  readonly proposal_id: ContentHash;
  readonly registry_hash: ContentHash;
  readonly head: TrustHead;
  readonly approved_by: readonly string[];
}

/** `head` and `registry_hash` are there only for who showed enough approvals (W11). */
export interface RejectedProposal {
  readonly op: 'propose';
  readonly status: 'rejected';
  readonly code: ErrorCode;
  /** Fixed words and paths of fixed names. */
  readonly message: string;
  readonly registry_hash?: ContentHash;
  readonly head?: TrustHead;
}

export interface RegistrySnapshot {
  readonly op: 'discover';
  readonly status: 'snapshot';
  readonly snapshot: RegistryContent;
  readonly registry_hash: ContentHash;
  readonly head: TrustHead;
}

export interface TrustLog {
  /** What is trusted, as far as this process has read the log. Frozen: keep it for as long as a message is judged (W52). */
  readonly registry: RegistryContent;
  /** Applies the payload of a `trustsync.v1` for good, or says why not. A store that fails is thrown. */
  propose(
    payload: JsonValue,
    switches?: ReadonlySet<CompatSwitch>,
  ): Promise<AcceptedProposal | RejectedProposal>;
  /** The registry, with what other processes applied. A registry has no secrets. */
  discover(): Promise<RegistrySnapshot>;
}

/** Reads the log of this agent. Fails with INTERNAL when it is damaged: trust is never guessed. */
export async function createTrustLog(options: TrustLogOptions): Promise<TrustLog> {
  const log = new StoredTrustLog(checkOptions(options));
  await log.discover();
  return log;
}

type Checked = Omit<Required<TrustLogOptions>, 'root'> & RecordTrust;

class StoredTrustLog implements TrustLog {
  readonly #options: Checked;
  readonly #name: string;
  readonly #approverKeys: ReadonlySet<string>;
  #state = INITIAL_TRUST;
  /** By id. What is applied stays applied, so this may run ahead of the state. */
  readonly #answers = new Map<ContentHash, AcceptedProposal>();

  constructor(options: Checked) {
    this.#options = options;
    this.#name = `trust:${options.ownAgentId}`;
    this.#approverKeys = new Set(Array.from(options.approvers.values(), encodeBase64url));
  }

  get registry(): RegistryContent {
    return this.#state.registry;
  }

  async discover(): Promise<RegistrySnapshot> {
    const { registry, head } = await this.#catchUp();
    return {
      op: 'discover',
      status: 'snapshot',
      snapshot: registry,
      registry_hash: registryHash(registry),
      head,
    };
  }

  async propose(
    payload: JsonValue,
    switches: ReadonlySet<CompatSwitch> = new Set(),
  ): Promise<AcceptedProposal | RejectedProposal> {
    let proposal: SignedProposal;
    let approvals: readonly Approval[];
    try {
      proposal = readProposal(payload);
      approvals = await this.#approve(proposal, switches.has('v1-trustsync'));
    } catch (thrown) {
      return rejection(thrown);
    }
    for (;;) {
      const state = await this.#catchUp();
      const earlier = this.#answers.get(proposal.id);
      if (earlier !== undefined) return earlier;
      let next: TrustState;
      try {
        this.#assertAcceptable(proposal);
        next = applyProposal(state, proposal);
      } catch (thrown) {
        return rejection(thrown, state);
      }
      const { store, now } = this.#options;
      const at = formatTimestamp(now());
      const place = { log: this.#name, position: state.length };
      const record = await writeRecord({ proposal, approvals }, at, place, this.#options);
      const appended = await store.append(this.#name, [record], { ifLength: state.length });
      if (appended.ok) return this.#adopt(next, proposal, approvals);
      // Who lost is judged again by the head that won.
      if (appended.position < state.length) throw damaged(appended.position);
    }
  }

  /** Everything that a stranger could get wrong, so that it learns nothing from the answer. */
  async #approve(proposal: SignedProposal, v1Forms: boolean): Promise<readonly Approval[]> {
    const { ownAgentId, approvers, quorum, crypto } = this.#options;
    if (proposal.registry.aud !== ownAgentId) throw refusal('the proposal is for another agent');
    if (typeof proposal.claims === 'string' && !proposal.merge) {
      throw refusal('a single signature can only add to the registry');
    }
    const approvals = await approvalsThatHold(proposal, { approvers, crypto, v1Forms });
    if (approvals.length >= quorum) return approvals;
    throw refusal(`a proposal needs ${quorum} approvals`);
  }

  #assertAcceptable({ registry }: Proposal): void {
    if (!(registry.expMs > this.#options.now())) {
      throw new SdlError('TIME_INVALID', 'the proposal has expired');
    }
    assertStrongRegistryKeys(registry, '/registry');
    const keys = Object.values(registry.content.trusted_signing_keys);
    if (keys.some((key) => this.#approverKeys.has(key))) {
      throw refusal('the key of an approver may not sign messages too');
    }
  }

  async #catchUp(): Promise<TrustState> {
    let state = this.#state;
    for (;;) {
      const records = await this.#options.store.read(this.#name, state.length);
      if (records.length === 0) break;
      for (const record of records) state = await this.#replay(state, record);
    }
    if (state.length > this.#state.length) this.#state = state;
    return this.#state;
  }

  async #replay(state: TrustState, { value, position }: LogRecord): Promise<TrustState> {
    try {
      const place = { log: this.#name, position };
      const { proposal, approvals } = await readRecord(value, place, this.#options);
      const next = applyProposal(state, proposal);
      this.#answers.set(proposal.id, accepted(next, approvals));
      return next;
    } catch (cause) {
      throw damaged(position, cause);
    }
  }

  /** Another call may have read the record from the store already. */
  #adopt(next: TrustState, { id }: Proposal, approvals: readonly Approval[]): AcceptedProposal {
    if (next.length > this.#state.length) this.#state = next;
    const answer = accepted(next, approvals);
    this.#answers.set(id, answer);
    return answer;
  }
}

function accepted(
  { head, registry }: TrustState,
  approvals: readonly Approval[],
): AcceptedProposal {
  return Object.freeze({
    op: 'propose',
    status: 'accepted',
    proposal_id: head.hash,
    registry_hash: registryHash(registry),
    head,
    approved_by: Object.freeze(approvals.map(({ approver }) => approver).sort()),
  });
}

function rejection(thrown: unknown, state?: TrustState): RejectedProposal {
  if (!(thrown instanceof SdlError)) throw thrown;
  const { code, reason: message } = thrown;
  const refused = { op: 'propose', status: 'rejected', code, message } as const;
  if (state === undefined) return refused;
  return { ...refused, registry_hash: registryHash(state.registry), head: state.head };
}

function damaged(position: number, cause?: unknown): SdlError {
  const why = cause instanceof SdlError ? `: ${cause.reason}` : '';
  return new SdlError('INTERNAL', `the trust log is damaged at record ${position}${why}`, {
    cause,
  });
}

function refusal(reason: string): SdlError {
  return new SdlError('NOT_AUTHORIZED', reason);
}

function checkOptions(options: TrustLogOptions): Checked {
  const { approvers, quorum = 1, now = Date.now, ownAgentId } = options;
  if (typeof ownAgentId !== 'string' || ownAgentId === '') {
    throw new TypeError('"ownAgentId" expected an agent id');
  }
  const keys = [...approvers.values()];
  if (!keys.every((key) => isPublicKey('ed25519', key))) {
    throw new TypeError('"approvers" has a key that is weak or no ed25519 key');
  }
  if (new Set(keys.map(encodeBase64url)).size < keys.length) {
    throw new RangeError('"approvers" has one key twice: one approver would count as two');
  }
  if (!Number.isSafeInteger(quorum) || quorum < 1 || quorum > Math.max(1, keys.length)) {
    throw new RangeError('"quorum" must be an integer from 1 to the number of approvers');
  }
  return { ...options, root: options.root, approvers: new Map(approvers), quorum, now };
}
