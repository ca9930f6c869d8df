// Owns what a receiver accepts: messages for it, modes that are strong enough, replies that match. SPEC.md sections 6 and 13 (#checks, #sec-reply-strength).

import type { Envelope, SecurityMode } from '../../envelope/types.ts';
import { SdlError } from '../../errors.ts';
import { publicKeyFromDidKey } from '../identity/did-key.ts';
import { isAtLeast, isEncrypted, isSigned, joinModes, modeFor, modeOf } from '../message/mode.ts';
import { usableKeys } from '../peers/keys.ts';
import type { Peer } from '../peers/peer.ts';
import type { PolicyOptions } from './options.ts';
import { resolvePolicyOptions } from './options.ts';
import type { CompatSwitch } from './switches.ts';

/** Is this switch on for this peer: in its own entry, or for everybody? */
export type SwitchCheck = (peer: Peer, name: CompatSwitch) => boolean;

export interface ReplyRequirement {
  readonly sign: true;
  readonly encrypt: boolean;
}

/** Immutable: a message is judged by one policy from its first check to its last (W52). */
export interface Policy {
  readonly open: boolean;
  readonly skewMs: number;
  readonly maxWindowMs: number;
  readonly strangerContentTypes: readonly string[];
  readonly allows: SwitchCheck;
  /** The check `address`: throws ADDRESS_WRONG unless the message is for this agent (W5). */
  checkAddress(envelope: Envelope): void;
  /**
   * The last part of the check `policy`: throws MODE_REFUSED unless the mode of a request or event is strong enough.
   * `latched` is what the peer has proven before (W19).
   */
  checkMode(envelope: Envelope, peer: Peer, latched: SecurityMode): void;
  /** How a reply has to be sealed. Throws MODE_REFUSED, before the handler, where that is not possible (W2). */
  replyRequirement(requestMode: SecurityMode, peer: Peer, nowMs: number): ReplyRequirement;
  /** For the requester: throws MODE_REFUSED unless the reply is as strong as the request was (W2). */
  checkReplyStrength(
    requestMode: SecurityMode,
    replyMode: SecurityMode,
    peer: Peer,
    latched: SecurityMode,
  ): void;
}

// An agent whose id is a key can sign. Opened for everybody, these would let anybody speak for it; only its own entry
// opens them.
const NEVER_FOR_ALL: ReadonlySet<CompatSwitch> = new Set(['unsigned-requests', 'unsigned-replies']);

export function createPolicy(options: PolicyOptions): Policy {
  const { addresses, switches, minMode, minModes, ...rest } = resolvePolicyOptions(options);

  const allows: SwitchCheck = (peer, name) => {
    if (peer.switches.has(name)) return true;
    if (!switches.has(name)) return false;
    return !NEVER_FOR_ALL.has(name) || publicKeyFromDidKey(peer.agentId) === undefined;
  };

  return Object.freeze<Policy>({
    ...rest,
    allows,

    checkAddress(envelope) {
      if (addresses.has(envelope.to.agent_id)) return;
      throw new SdlError('ADDRESS_WRONG', 'the message is for another agent');
    },

    checkMode(envelope, peer, latched) {
      const mode = modeOf(envelope);
      const mayBeUnsigned = allows(peer, 'unsigned-requests');
      if (!isSigned(mode) && !mayBeUnsigned) throw refusal('the message is not signed');
      const general = mayBeUnsigned ? modeFor(false, isEncrypted(minMode)) : minMode;
      const ofType = minModes.get(envelope.ct) ?? 'none';
      const needed = joinModes(peer.minMode ?? general, ofType, latched);
      if (!isAtLeast(mode, needed)) throw refusal(`the mode is ${mode}, and ${needed} is needed`);
    },

    replyRequirement(requestMode, peer, nowMs) {
      if (!isEncrypted(requestMode)) return { sign: true, encrypt: false };
      if (usableKeys(peer.encryptionKeys, nowMs).length > 0) return { sign: true, encrypt: true };
      if (allows(peer, 'plain-replies')) return { sign: true, encrypt: false };
      throw refusal('no key of the sender is known to encrypt the reply with');
    },

    checkReplyStrength(requestMode, replyMode, peer, latched) {
      const needed = joinModes(
        modeFor(
          isSigned(latched) || !allows(peer, 'unsigned-replies'),
          isEncrypted(requestMode) && !allows(peer, 'plain-replies'),
        ),
        peer.minMode ?? 'none',
      );
      if (isAtLeast(replyMode, needed)) return;
      throw refusal(`the mode of the reply is ${replyMode}, and ${needed} is needed`);
    },
  });
}

function refusal(reason: string): SdlError {
  return new SdlError('MODE_REFUSED', reason);
}
