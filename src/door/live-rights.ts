// Owns the rights of everybody, from where each is written: the peer book, the configured callers, or the face that
// vouches for whom it let in. SPEC.md section 13 (#checks).

import { SdlError } from '../errors.ts';
import type { Peer, PeerDirectory } from '../security/peers/peer.ts';
import { isValidAt } from '../security/peers/keys.ts';
import { strangerIn } from '../security/peers/resolve-sender.ts';
import { isInScope } from './permission.ts';
import type { Principal } from './principal.ts';
import { FOREIGN_MARK } from './principal.ts';
import type { Rights, Standing, Wish } from './rights.ts';

/** What of an agent decides about peers now. */
interface PeerView {
  readonly nowMs: number;
  readonly peers: PeerDirectory;
  /** May strangers come in, and what may they send? */
  readonly policy: { readonly open: boolean; readonly strangerContentTypes: readonly string[] };
}

export interface LiveRightsOptions {
  /** As it is at this moment. */
  readonly peerView: () => PeerView;
  /** Peers that look after the tasks of everybody, and use the reserve of the operator. */
  readonly admins: readonly string[];
  /** Of principals with a `caller`. @default there are none */
  readonly callers?: Rights | undefined;
}

/** The operator of this machine, such as the owner of the Unix socket. */
const LOCAL_OPERATOR = '~local:operator';
const NOBODY = '~none:';
const EVERY_NAME: readonly string[] = ['*'];

export function createLiveRights({ peerView, admins, callers }: LiveRightsOptions): Rights {
  const adminIds = new Set(admins);
  return {
    of(principal) {
      const { id, caller } = principal;
      const isPeer = !id.startsWith(FOREIGN_MARK);
      const ofPeer = isPeer ? peerStanding(principal, peerView(), adminIds) : undefined;
      if (caller !== undefined) {
        const ofCaller = callers?.of(principal);
        // A caller that is a peer may do what both entries allow.
        return isPeer ? both(ofPeer, ofCaller) : ofCaller;
      }
      return isPeer ? ofPeer : vouchedStanding(id);
    },
  };
}

function peerStanding(
  { id, scheme }: Principal,
  { peers, policy, nowMs }: PeerView,
  admins: ReadonlySet<string>,
): Standing | undefined {
  const entry = peers.find(id);
  if (entry === undefined) {
    if (!policy.open) return undefined;
    const stranger = strangerIn(peers, id, { contentTypes: policy.strangerContentTypes });
    return stranger.revoked ? undefined : standingOf(stranger, 'stranger', false);
  }
  if (entry.revoked || !isValidAt(entry, nowMs)) return undefined;
  // Whose messages nothing proves is no administrator, whatever it says its name is.
  const isAdmin = admins.has(id) && scheme !== 'unsigned';
  return standingOf(entry, isAdmin ? 'operator' : 'known', isAdmin);
}

function standingOf(peer: Peer, share: Standing['share'], isAdmin: boolean): Standing {
  const scope = { ct: peer.contentTypes ?? EVERY_NAME, tools: peer.tools ?? EVERY_NAME };
  return { share, isAdmin, allows: (wish: Wish) => isInScope(scope, wish) };
}

/** No entry speaks of it: the face that let it in is part of this program and answers for it. */
function vouchedStanding(id: string): Standing {
  const isOperator = id === LOCAL_OPERATOR;
  const share = isOperator ? 'operator' : id.startsWith(NOBODY) ? 'stranger' : 'known';
  return { share, isAdmin: isOperator, allows: () => true };
}

function both(one: Standing | undefined, other: Standing | undefined): Standing | undefined {
  if (one === undefined || other === undefined) return undefined;
  return {
    share: one.share,
    isAdmin: one.isAdmin && other.isAdmin,
    allows: (wish) => one.allows(wish) && other.allows(wish),
  };
}

/** A principal that a face made up by itself must not pass as a peer or as a caller of another kind. */
export function assertPrincipal({ id, tenant }: Principal): void {
  if (typeof id === 'string' && id.length > 0 && id.length <= 1_024 && typeof tenant === 'string')
    return;
  throw new SdlError('INTERNAL', 'the face gave a principal without an id or a tenant');
}
