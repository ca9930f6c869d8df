// The public surface of the security layer, `a2a-sdl/security`. It signs and seals; nothing here opens a file or a socket.

export { decodeBase64url, encodeBase64url } from '../codec/base64url.ts';
export { equalBytes } from '../crypto/bytes.ts';
export type { CryptoProvider, MaybePromise, ProviderName } from '../crypto/provider.ts';
export { chooseProvider } from '../crypto/provider.ts';
export { malformed, requireText } from '../envelope/fields.ts';
export type {
  AgentDocument,
  AgentDocumentContent,
  AnnouncedLimits,
  VerifyAgentDocumentOptions,
} from './agent-document.ts';
export { signAgentDocument, verifyAgentDocument } from './agent-document.ts';
export type { AuthorizeRequest } from './authorize.ts';
export { authorize } from './authorize.ts';
export { bindTag, checkBind } from './bind.ts';
export { didKeyFromPublicKey, publicKeyFromDidKey } from './did-key.ts';
export { requireMembers, requireMoment } from './document-fields.ts';
export type { DocumentPurpose, SignedDocument } from './document-signature.ts';
export { signDocument, verifyDocument } from './document-signature.ts';
export type { Freshness, FreshnessCheck } from './freshness.ts';
export { checkFreshness } from './freshness.ts';
export type { Grant, GrantContent, GrantScope, GrantedScope } from './grant-shape.ts';
export { ANY_NAME } from './grant-shape.ts';
export type { Attenuation, GrantLink, VerifiedGrant, VerifyGrantOptions } from './grant.ts';
export { attenuateGrant, isNameAllowed, issueGrant, verifyGrant } from './grant.ts';
export type { BundleKey, KeyBundle, KeyUse } from './key-bundle-shape.ts';
export { KEY_ALGORITHMS, MAX_BUNDLE_KEYS } from './key-bundle-shape.ts';
export type { KeyBundleContent, NewBundleKey, VerifyBundleOptions } from './key-bundle.ts';
export { bundleKeys, signKeyBundle, verifyKeyBundle, verifyStoredBundle } from './key-bundle.ts';
export type { ModeLatch } from './latch.ts';
export { createModeLatch } from './latch.ts';
export type { Contact } from './contact-entry.ts';
export type { Contacts, ContactsOptions } from './contacts.ts';
export { createContacts } from './contacts.ts';
export { formerSigningKeys, rememberBundle } from './bundle-history.ts';
export { checkCertificate } from './certificate.ts';
export { SECURITY_MODES } from './mode.ts';
export type { PeerParts } from './new-peer.ts';
export { newPeer, peerFromBundle } from './new-peer.ts';
export type { OwnIdentity, OwnKey, OwnSecret, OwnSigningKey } from './own-identity.ts';
export { decryptionKeyOf, ownVerificationKeys, signingKeyOf } from './own-identity.ts';
export type { Validity } from './peer-keys.ts';
export type { Peer, PeerDirectory, PeerKey } from './peer.ts';
export type { PolicyOptions } from './policy-options.ts';
export type { Policy, ReplyRequirement, SwitchCheck } from './policy.ts';
export { createPolicy } from './policy.ts';
export type { KeyAlgorithm } from './public-key.ts';
export { isPublicKey } from './public-key.ts';
export { proposalId, signProposal } from './registry-proposal.ts';
export type { Admission, NewRun, ReplayGuard, ReplayGuardOptions, Retry } from './replay.ts';
export { createReplayGuard } from './replay.ts';
export type { ResolveSenderOptions, ResolvedSender } from './resolve-sender.ts';
export { resolveSender, withOwnKeys } from './resolve-sender.ts';
export type { EncryptionBlock, OpenedPayload, RecipientKey, SealedPayload } from './seal.ts';
export { openPayload, sealPayload } from './seal.ts';
export type {
  BindingDocument,
  NewSession,
  SessionBinding,
  SessionBook,
  SessionBookOptions,
  VerifyBindingOptions,
} from './session.ts';
export {
  createSessionBook,
  sessionBindingId,
  signSessionBinding,
  verifySessionBinding,
} from './session.ts';
export type { SignedEnvelope, VerifiedEnvelope, VerifyOptions } from './sign.ts';
export { signEnvelope, verifyEnvelope } from './sign.ts';
export { signingInput, signingInputOfText } from './signing-input.ts';
export type { CompatSwitch, SecurityProfile } from './switches.ts';
export { COMPAT_SWITCHES, switchesOf } from './switches.ts';
export { JWK_CURVES, thumbprint } from './thumbprint.ts';
export type {
  AcceptedProposal,
  RegistrySnapshot,
  RejectedProposal,
  TrustLog,
  TrustLogOptions,
} from './trust-log.ts';
export { createTrustLog } from './trust-log.ts';
