// The public surface of `a2a-sdl/profiles/a2a/sealed`: messages of official A2A, sealed from end to end, for programs
// built with any SDK. It opens no socket and loads no server.

export type { SealAnswerOptions, SealArtifactOptions } from './answer.ts';
export { sealArtifact, sealStatus } from './answer.ts';
export type { Problem, SealedCode, SealedFault } from './error.ts';
export { SealedError } from './error.ts';
export type { Strength } from './exchange.ts';
export { Exchange } from './exchange.ts';
export type { SealedCardOptions, SealedMode, SealedPeer } from './extension.ts';
export { SEALED_EXTENSION, sealedCardExtension, sealedPeerOf } from './extension.ts';
export type { RequestHandle } from './handle.ts';
export type { OpenStreamOptions, OpenedEvent } from './open-stream.ts';
export { openStream } from './open-stream.ts';
export type { OpenOptions } from './open-task.ts';
export { openTask } from './open-task.ts';
export type { OpenPolicy, Opened, Protection, SealedReceipt } from './opened.ts';
export type { SealMessageOptions } from './seal.ts';
export { sealMessage } from './seal.ts';
export type { SealedOptions } from './session.ts';
