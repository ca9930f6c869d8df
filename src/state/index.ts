// The surface of `a2a-sdl/state`: state documents and RFC 6902 patches.

export { applyPatch } from './apply-patch.ts';
export type { StateDocument, StatePayload } from './document.ts';
export { EMPTY_STATE_HASH, INITIAL_STATE, applyState, makeState } from './document.ts';
export { makePatch } from './make-patch.ts';
