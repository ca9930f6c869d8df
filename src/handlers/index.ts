// The one table of the built-in content types beside `task.v1`. SPEC.md section 9 (#content-types).

import type { ContentHandler } from '../content.ts';
import type { ArtifactOptions } from './artifact/handler.ts';
import { createArtifactHandler } from './artifact/handler.ts';
import type { OnPeerError } from './error.ts';
import { createErrorHandler } from './error.ts';
import type { NegotiationOptions } from './negotiation/handler.ts';
import { createNegotiationHandler } from './negotiation/handler.ts';
import type { SessionOptions } from './session.ts';
import { createSessionHandler } from './session.ts';
import type { StateOptions } from './state/handler.ts';
import { createStateHandler } from './state/handler.ts';
import type { ToolCallOptions } from './tools/call.ts';
import { createToolCallHandler } from './tools/toolcall.ts';
import type { OnToolResult } from './tools/toolresult.ts';
import { createToolResultHandler } from './tools/toolresult.ts';
import type { TrustSyncOptions } from './trustsync.ts';
import { createTrustSyncHandler } from './trustsync.ts';

/** What each content type needs. One that is left out is not handled, and so it is CT_UNSUPPORTED. */
export interface BuiltinHandlerOptions {
  readonly toolcall?: ToolCallOptions;
  readonly toolresult?: OnToolResult;
  readonly state?: StateOptions;
  readonly artifact?: ArtifactOptions;
  readonly error?: OnPeerError;
  readonly negotiation?: NegotiationOptions;
  readonly session?: SessionOptions;
  readonly trustsync?: TrustSyncOptions;
}

type Maker = (options: BuiltinHandlerOptions) => ContentHandler | undefined;

const TABLE: readonly Maker[] = [
  ({ toolcall }) => toolcall && createToolCallHandler(toolcall),
  ({ toolresult }) => toolresult && createToolResultHandler(toolresult),
  ({ state }) => state && createStateHandler(state),
  ({ artifact }) => artifact && createArtifactHandler(artifact),
  ({ error }) => error && createErrorHandler(error),
  ({ negotiation }) => negotiation && createNegotiationHandler(negotiation),
  ({ session }) => session && createSessionHandler(session),
  ({ trustsync }) => trustsync && createTrustSyncHandler(trustsync),
];

export function builtinHandlers(options: BuiltinHandlerOptions): readonly ContentHandler[] {
  return TABLE.map((make) => make(options)).filter((handler) => handler !== undefined);
}
