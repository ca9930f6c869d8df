// The public surface of `a2a-sdl/transports/fetch`: requests to addresses that somebody else may have chosen.

export { createGuardedFetch } from './guarded.ts';
export { createSchemaFetch } from './schema.ts';
export type {
  FetchLimits,
  GuardedAnswer,
  GuardedFetch,
  GuardedFetchOptions,
  GuardedRequest,
  HostAddress,
  SchemaFetchOptions,
} from './options.ts';
