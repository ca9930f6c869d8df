// The public surface of `a2a-sdl/transports/fetch`: requests to addresses that somebody else may have chosen.

export { createGuardedFetch, createGuardedOpen } from './guarded.ts';
export { createSchemaFetch } from './schema.ts';
export { createUrlGuard } from './url-guard.ts';
export type {
  FetchLimits,
  GuardedAnswer,
  GuardedFetch,
  GuardedFetchOptions,
  GuardedOpen,
  GuardedRequest,
  GuardedStream,
  HostAddress,
  SchemaFetchOptions,
} from './options.ts';
