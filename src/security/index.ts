// The public surface of the security layer, `a2a-sdl/security`. It signs and encrypts; nothing here opens a file or a socket.

export { decodeBase64url, encodeBase64url } from '../codec/base64url.ts';
export { equalBytes } from '../crypto/bytes.ts';
export type { CryptoProvider, MaybePromise, ProviderName } from '../crypto/provider.ts';
export { chooseProvider } from '../crypto/provider.ts';
export { isReservedId, requireAgentId } from '../envelope/agent-id.ts';
export { malformed, requireText } from '../envelope/fields.ts';
export type {
  AgentDocument,
  AgentDocumentContent,
  AnnouncedLimits,
  VerifyAgentDocumentOptions,
} from './identity/agent-document.ts';
export { signAgentDocument, verifyAgentDocument } from './identity/agent-document.ts';
export type { AuthorizeRequest } from './policy/authorize.ts';
export { authorize } from './policy/authorize.ts';
export { bindTag, checkBind } from './message/bind.ts';
export { didKeyFromPublicKey, publicKeyFromDidKey } from './identity/did-key.ts';
export { requireMembers, requireMoment } from './identity/document-fields.ts';
export type { DocumentPurpose, SignedDocument } from './identity/document-signature.ts';
export { signDocument, verifyDocument } from './identity/document-signature.ts';
export type { Freshness, FreshnessCheck } from './message/freshness.ts';
export { checkFreshness } from './message/freshness.ts';
export type { Grant, GrantContent, GrantScope, GrantedScope } from './policy/grant-shape.ts';
export { ANY_NAME } from './policy/grant-shape.ts';
export type { Attenuation, GrantLink, VerifiedGrant, VerifyGrantOptions } from './policy/grant.ts';
export { attenuateGrant, isNameAllowed, issueGrant, verifyGrant } from './policy/grant.ts';
export type {
  IdentityOptions,
  LocalIdentity,
  OperationalKey,
  RotateOptions,
} from './identity/identity.ts';
export { createIdentity, rotateIdentity } from './identity/identity.ts';
export type { PublicKey } from './identity/secret-key.ts';
export { KEY_BYTES, SecretKey } from './identity/secret-key.ts';
export type { BundleKey, KeyBundle, KeyUse } from './identity/key-bundle-shape.ts';
export { KEY_ALGORITHMS, MAX_BUNDLE_KEYS } from './identity/key-bundle-shape.ts';
export type { KeyBundleContent, NewBundleKey, VerifyBundleOptions } from './identity/key-bundle.ts';
export {
  bundleKeys,
  signKeyBundle,
  verifyKeyBundle,
  verifyStoredBundle,
} from './identity/key-bundle.ts';
export type { ModeLatch } from './peers/latch.ts';
export { createModeLatch } from './peers/latch.ts';
export type { SealedLatch, SealedPolicy } from './peers/sealed-latch.ts';
export { SEALED_POLICIES, createSealedLatch } from './peers/sealed-latch.ts';
export type { Contact } from './peers/contact-entry.ts';
export type { Contacts, ContactsOptions } from './peers/contacts.ts';
export { createContacts } from './peers/contacts.ts';
export { formerSigningKeys, rememberBundle } from './identity/bundle-history.ts';
export { checkCertificate } from './peers/certificate.ts';
export { SECURITY_MODES } from './message/mode.ts';
export type { PeerParts } from './peers/new-peer.ts';
export { newPeer, peerFromBundle } from './peers/new-peer.ts';
export type { OwnIdentity, OwnKey, OwnSecret, OwnSigningKey } from './identity/own-identity.ts';
export { decryptionKeyOf, ownVerificationKeys, signingKeyOf } from './identity/own-identity.ts';
export type { Validity } from './peers/keys.ts';
export type { Peer, PeerDirectory, PeerKey } from './peers/peer.ts';
export type { PolicyOptions } from './policy/options.ts';
export type { Policy, ReplyRequirement, SwitchCheck } from './policy/policy.ts';
export { createPolicy } from './policy/policy.ts';
export type { KeyAlgorithm } from './identity/public-key.ts';
export { isPublicKey } from './identity/public-key.ts';
export { proposalId, signProposal } from './trust/registry-proposal.ts';
export type {
  FirstUse,
  ReplayGuard,
  ReplayGuardOptions,
  ReplayVerdict,
  Retry,
} from './replay/replay.ts';
export { createReplayGuard } from './replay/replay.ts';
export type { ResolveSenderOptions, ResolvedSender } from './peers/resolve-sender.ts';
export { resolveSender, verificationKeyOf, withOwnKeys } from './peers/resolve-sender.ts';
export type {
  EncryptionBlock,
  DecryptedPayload,
  RecipientKey,
  EncryptedPayload,
} from './message/encrypt-payload.ts';
export { decryptPayload, encryptPayload } from './message/encrypt-payload.ts';
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
export type { SignedEnvelope, VerifiedEnvelope, VerifyOptions } from './message/sign.ts';
export { signEnvelope, verifyEnvelope } from './message/sign.ts';
export { signingInput, signingInputOfText } from './message/signing-input.ts';
export type { CompatSwitch, SecurityProfile } from './policy/switches.ts';
export { COMPAT_SWITCHES, switchesOf } from './policy/switches.ts';
export { JWK_CURVES, thumbprint } from './identity/thumbprint.ts';
export type {
  AcceptedProposal,
  RegistrySnapshot,
  RejectedProposal,
  TrustLog,
  TrustLogOptions,
} from './trust/log.ts';
export { createTrustLog } from './trust/log.ts';
