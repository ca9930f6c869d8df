// The public surface of `a2a-sdl/profiles/a2a`: official A2A on the same agent.

export { a2a } from './face.ts';
export type { A2aOptions, KnownExtension, Profile } from './options.ts';
