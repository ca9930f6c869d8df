// Owns by what a frame is judged: sizes, known profiles, freshness. SPEC.md section 19 (#swp-limits, #swp-freshness).

/** @default as SPEC.md says */
export interface SwpLimits {
  /** Octets of one frame behind its length. @default 8388608 */
  readonly maxFrameBytes?: number;
  /** Octets of one payload. @default 8388608 */
  readonly maxPayloadBytes?: number;
  /** Octets of all extensions of one envelope. @default 4096 */
  readonly maxExtBytes?: number;
}

export type SwpSizes = Required<SwpLimits>;

export const A2A_PROFILE = 2n;
/** Those that have a number of their own: MCP, A2A, and ten to nineteen. */
export const KNOWN_PROFILES: readonly number[] = Object.freeze([
  1, 2, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
]);

export const MIN_MSG_ID_BYTES = 8;
export const MAX_MSG_ID_BYTES = 64;
/** Where freshness is judged and nobody says by how much. */
export const DEFAULT_SKEW_MS = 300_000;

const MAX_FRAME_BYTES = 8_388_608;
const MAX_EXT_BYTES = 4_096;
/** What the length of a frame can say. */
const MOST = 0xffff_ffff;

export function resolveLimits(limits: SwpLimits): SwpSizes {
  const {
    maxFrameBytes = MAX_FRAME_BYTES,
    maxPayloadBytes = MAX_FRAME_BYTES,
    maxExtBytes = MAX_EXT_BYTES,
  } = limits;
  return Object.freeze({
    maxFrameBytes: checked('maxFrameBytes', maxFrameBytes, 1),
    maxPayloadBytes: checked('maxPayloadBytes', maxPayloadBytes, 0),
    maxExtBytes: checked('maxExtBytes', maxExtBytes, 0),
  });
}

function checked(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least && value <= MOST) return value;
  throw new RangeError(`"${name}" expected an integer from ${least} to ${MOST}`);
}

/** What an envelope is judged by once it was read. */
export interface EnvelopeRules {
  readonly profiles: ReadonlySet<bigint>;
  readonly maxPayloadBytes: number;
  /** @default freshness is not judged */
  readonly freshness?: Freshness | undefined;
}

export interface Freshness {
  /** An envelope without a time is refused. */
  readonly isTimeRequired: boolean;
  /** Further from now than this is refused; as far as this is not. */
  readonly skewMs: bigint;
  readonly nowMs: () => bigint;
}
