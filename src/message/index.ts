// The public surface of single messages for other dialects: sealed and opened by the one pipeline, without a runtime.

export type { Receipt } from '../audit/receipt.ts';
export type { OpenRequest } from '../pipeline/passage.ts';
export type { OpenedAnswer } from './answer.ts';
export type { MessageKit, MessageKitOptions } from './kit.ts';
export { createMessageKit } from './kit.ts';
export type { KnownPeer, KnownPeers } from './peers.ts';
export { knownBundles, peerSource } from './peers.ts';
