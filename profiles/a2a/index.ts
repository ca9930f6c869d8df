// The public surface of `a2a-sdl/profiles/a2a`: official A2A on the same agent.

export { a2a } from './face.ts';
export type { A2aOptions, HookFetch, KnownExtension, Profile } from './options.ts';
export type { GrpcOptions } from './grpc/options.ts';
export { securityOf } from './card/callers.ts';
export type { CallerSecurityOptions } from './card/callers.ts';
export type { CardDetails, CardExtension, CardProvider, CardSkill } from './card/options.ts';
export type { CardScheme, CardSecurity } from './card/security.ts';
export type { CardVerdict, VerifyCardOptions } from './card/verify.ts';
export { verifyCard } from './card/verify.ts';
export type {
  ReceivedDelivery,
  VerifiedDelivery,
  VerifyDeliveryOptions,
} from './push/verify-delivery.ts';
export { verifyDelivery } from './push/verify-delivery.ts';
export type { A2aTransport } from './face.ts';
export type { A2aBridge } from './bridge/bridge.ts';
export { a2aBridge } from './bridge/bridge.ts';
export type { A2aBridgeOptions, UpstreamSettings } from './bridge/options.ts';
export type { A2aAgent, A2aCallOptions, A2aSubscribeOptions } from './client/agent.ts';
export type { AskedList, AskedMessage } from './client/asking/asked.ts';
export { connectA2a } from './client/connect.ts';
export type { A2aCredential, BoundCredential } from './client/credentials/credential.ts';
export type { A2aDialectOptions } from './client/dialect.ts';
export type {
  Binding,
  ChosenInterface,
  InterfaceWish,
  SpokenVersion,
} from './client/discovery/choose.ts';
export type { KnownCard } from './client/discovery/known-card.ts';
export type { CardPin, CardProof } from './client/discovery/proof.ts';
export type { A2aStep } from './client/following/fold.ts';
export type { AnsweredStep, NumberedEvent } from './client/following/follow.ts';
export type {
  A2aAnswer,
  A2aEvent,
  A2aHook,
  A2aPage,
  A2aSent,
  A2aStatus,
  A2aTask,
} from './client/model.ts';
export type { A2aClientOptions } from './client/options.ts';
export { A2aRemoteError } from './client/remote-error.ts';
export type { HookDelivery, HookReceiverOptions, ShownByHook } from './receiver/options.ts';
export type { HookReceiver } from './receiver/receiver.ts';
export { createHookReceiver } from './receiver/receiver.ts';
export type {
  HookBody,
  HookRequest,
  HookResponse,
  NodeHookRequest,
  NodeHookResponse,
} from './receiver/request.ts';
