// Owns the rights of everybody, from where each is written: the peer book, the configured callers, or the face that
// vouches for whom it let in. SPEC.md section 13 (#checks).

import { SdlError } from '../errors.ts';
import type { Peer, PeerDirectory } from '../security/peers/peer.ts';
import { certificateFault } from '../security/peers/certificate.ts';
import { canSign, isInForce } from '../security/peers/in-force.ts';
import { doStillGrant } from '../security/policy/grant-issuers.ts';
import { strangerIn } from '../security/peers/resolve-sender.ts';
import { isInScope } from './permission.ts';
import type { Principal } from './principal.ts';
import { FOREIGN_MARK, NO_CERTIFICATE } from './principal.ts';
import type { LiveRights, Rights, Standing, Wish } from './rights.ts';

/** What of an agent decides about peers now. */
interface PeerView {
  readonly nowMs: number;
  readonly peers: PeerDirectory;
  readonly identity: { readonly agentId: string };
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

export function createLiveRights({ peerView, admins, callers }: LiveRightsOptions): LiveRights {
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
    doGrant: (issuers) => {
      const { identity, ...view } = peerView();
      return doStillGrant(issuers, { ...view, ownId: identity.agentId });
    },
  };
}

function peerStanding(
  principal: Principal,
  view: PeerView,
  admins: ReadonlySet<string>,
): Standing | undefined {
  const { id, scheme } = principal;
  const { peers, policy } = view;
  const entry = peers.find(id);
  if (entry === undefined) {
    if (!policy.open) return undefined;
    const stranger = strangerIn(peers, id, { contentTypes: policy.strangerContentTypes });
    return isProven(principal, stranger, view)
      ? standingOf(stranger, 'stranger', false)
      : undefined;
  }
  if (!isInForce(entry, view.nowMs) || !isProven(principal, entry, view)) return undefined;
  // Whose messages nothing proves is no administrator, whatever it says its name is.
  const isAdmin = admins.has(id) && scheme !== 'unsigned';
  return standingOf(entry, isAdmin ? 'operator' : 'known', isAdmin);
}

/** Does what it proved itself by still speak for the peer? Who came by another proof is judged by the entry of that. */
function isProven(
  { scheme, certificate }: Principal,
  peer: Peer,
  { peers, nowMs }: PeerView,
): boolean {
  if (scheme === 'sdl' && !canSign(peer, nowMs)) return false;
  // Callers of other faces are not known by the certificates of the book.
  if (certificate === undefined || !(scheme === 'sdl' || scheme === 'unsigned')) return true;
  const shown = certificate === NO_CERTIFICATE ? undefined : certificate;
  return certificateFault(peer, shown, peers) === undefined;
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
