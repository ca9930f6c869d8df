// Owns what can be told of a failure in A2A: one row a kind, with its code in JSON-RPC, its status in HTTP and its status
// in gRPC, for both profiles of 1.0. SPEC.md section 20 (#a2a-errors).

/** Which text of 1.0 counts where its patches differ. */
export type Profile = '1.0.0' | '1.0.1';

/** `google.rpc.Code`, as far as it is used. */
export const RPC_CODES = {
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

type RpcStatus = keyof typeof RPC_CODES;

interface KindRow {
  readonly jsonRpc: number;
  readonly http: number;
  readonly status: RpcStatus;
  /** What 1.0.0 said, and with it 0.3 and the draft. @default the same */
  readonly earlier?: { readonly http?: number; readonly status?: RpcStatus };
  /** Of the protocol, or of this package. */
  readonly domain: 'a2a-protocol.org' | 'a2a-sdl';
}

/** By the `reason` of its `ErrorInfo`. */
export type Kind =
  | 'TASK_NOT_FOUND'
  | 'TASK_NOT_CANCELABLE'
  | 'PUSH_NOTIFICATION_NOT_SUPPORTED'
  | 'UNSUPPORTED_OPERATION'
  | 'CONTENT_TYPE_NOT_SUPPORTED'
  | 'INVALID_AGENT_RESPONSE'
  | 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'
  | 'EXTENSION_SUPPORT_REQUIRED'
  | 'VERSION_NOT_SUPPORTED'
  | 'PARSE_ERROR'
  | 'INVALID_REQUEST'
  | 'METHOD_NOT_FOUND'
  | 'INVALID_PARAMS'
  | 'INTERNAL_ERROR'
  | 'MEDIA_TYPE_NOT_SUPPORTED'
  | 'METHOD_NOT_ALLOWED'
  | 'TOO_LARGE'
  | 'WRONG_HOST'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'UNAVAILABLE'
  | 'DEADLINE_EXCEEDED'
  | 'ABORTED'
  | 'SDL_ENVELOPE_REJECTED';

const A2A = 'a2a-protocol.org';
const OWN = 'a2a-sdl';
const SERVER_ERROR = -32_000;

function a2a(
  jsonRpc: number,
  http: number,
  status: RpcStatus,
  earlier?: NonNullable<KindRow['earlier']>,
): KindRow {
  return { jsonRpc, http, status, domain: A2A, ...(earlier !== undefined && { earlier }) };
}

function own(jsonRpc: number, http: number, status: RpcStatus): KindRow {
  return { jsonRpc, http, status, domain: OWN };
}

const PRECONDITION = 'FAILED_PRECONDITION';
const ARGUMENT = 'INVALID_ARGUMENT';
const WAS_UNIMPLEMENTED = { status: 'UNIMPLEMENTED' } as const;

export const KINDS: Readonly<Record<Kind, KindRow>> = {
  TASK_NOT_FOUND: a2a(-32_001, 404, 'NOT_FOUND'),
  TASK_NOT_CANCELABLE: a2a(-32_002, 400, PRECONDITION, { http: 409 }),
  PUSH_NOTIFICATION_NOT_SUPPORTED: a2a(-32_003, 400, PRECONDITION, WAS_UNIMPLEMENTED),
  UNSUPPORTED_OPERATION: a2a(-32_004, 400, PRECONDITION, WAS_UNIMPLEMENTED),
  CONTENT_TYPE_NOT_SUPPORTED: a2a(-32_005, 400, ARGUMENT, { http: 415 }),
  INVALID_AGENT_RESPONSE: a2a(-32_006, 500, 'INTERNAL', { http: 502 }),
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: a2a(-32_007, 400, PRECONDITION),
  EXTENSION_SUPPORT_REQUIRED: a2a(-32_008, 400, PRECONDITION),
  VERSION_NOT_SUPPORTED: a2a(-32_009, 400, PRECONDITION, WAS_UNIMPLEMENTED),
  PARSE_ERROR: a2a(-32_700, 400, ARGUMENT),
  INVALID_REQUEST: a2a(-32_600, 400, ARGUMENT),
  METHOD_NOT_FOUND: a2a(-32_601, 404, 'UNIMPLEMENTED'),
  INVALID_PARAMS: a2a(-32_602, 400, ARGUMENT),
  INTERNAL_ERROR: a2a(-32_603, 500, 'INTERNAL'),
  /** What HTTP brought is of no type that is read here, whatever the parts are of. */
  MEDIA_TYPE_NOT_SUPPORTED: a2a(-32_005, 415, ARGUMENT),
  METHOD_NOT_ALLOWED: own(-32_600, 405, 'UNIMPLEMENTED'),
  TOO_LARGE: own(-32_600, 413, 'RESOURCE_EXHAUSTED'),
  WRONG_HOST: own(-32_600, 421, ARGUMENT),
  UNAUTHENTICATED: own(SERVER_ERROR, 401, 'UNAUTHENTICATED'),
  PERMISSION_DENIED: own(SERVER_ERROR, 403, 'PERMISSION_DENIED'),
  RESOURCE_EXHAUSTED: own(SERVER_ERROR, 429, 'RESOURCE_EXHAUSTED'),
  UNAVAILABLE: own(SERVER_ERROR, 503, 'UNAVAILABLE'),
  DEADLINE_EXCEEDED: own(SERVER_ERROR, 504, 'DEADLINE_EXCEEDED'),
  ABORTED: own(SERVER_ERROR, 409, 'ABORTED'),
  SDL_ENVELOPE_REJECTED: own(-32_602, 400, ARGUMENT),
};

export function httpStatusOf(kind: Kind, profile: Profile): number {
  const { http, earlier } = KINDS[kind];
  return (profile === '1.0.0' ? earlier?.http : undefined) ?? http;
}

export function rpcStatusOf(kind: Kind, profile: Profile): RpcStatus {
  const { status, earlier } = KINDS[kind];
  return (profile === '1.0.0' ? earlier?.status : undefined) ?? status;
}
