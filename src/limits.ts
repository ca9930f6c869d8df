// Owns the limits on what a message may cost to read. SPEC.md section 3 (#limits).

export interface Limits {
  /** Bytes of the whole encoded message. @default 1048576 */
  readonly maxBytes: number;
  /** Nesting of arrays and objects. @default 64 */
  readonly maxDepth: number;
  /** Elements of one array. @default 10000 */
  readonly maxArrayLength: number;
  /** Members of one object. @default 10000 */
  readonly maxMembers: number;
  /** Values of the whole message: scalars, arrays and objects. @default 100000 */
  readonly maxValues: number;
  /** UTF-8 bytes of one string or member name, as written on the wire. @default 1048576 */
  readonly maxStringBytes: number;
  /** Characters of one number. @default 1024 */
  readonly maxNumberLength: number;
  /** `trace.hops` of one message. @default 8 */
  readonly maxHops: number;
}

export const DEFAULT_LIMITS: Limits = Object.freeze({
  maxBytes: 1_048_576,
  maxDepth: 64,
  maxArrayLength: 10_000,
  maxMembers: 10_000,
  maxValues: 100_000,
  maxStringBytes: 1_048_576,
  maxNumberLength: 1_024,
  maxHops: 8,
});

/** What the readers can promise at most: they recurse by depth and index by 32-bit integers. */
export const LARGEST_LIMITS: Limits = {
  maxBytes: 268_435_456,
  maxDepth: 512,
  maxArrayLength: 16_777_216,
  maxMembers: 1_000_000,
  maxValues: 16_777_216,
  maxStringBytes: 268_435_456,
  maxNumberLength: 4_096,
  maxHops: 255,
};

const resolvedLimits = new WeakSet<object>([DEFAULT_LIMITS]);

/** Checks, completes and freezes a caller's limits. Limits that it made itself come back as they are. */
export function resolveLimits(limits: Partial<Limits> = DEFAULT_LIMITS): Limits {
  if (resolvedLimits.has(limits)) return limits as Limits;
  const resolved = { ...DEFAULT_LIMITS, ...limits };
  for (const name of Object.keys(resolved)) {
    if (!Object.hasOwn(LARGEST_LIMITS, name)) throw new TypeError(`limits.${name} is not a limit`);
    const key = name as keyof Limits;
    const value = resolved[key];
    if (!Number.isSafeInteger(value) || value < 0 || value > LARGEST_LIMITS[key]) {
      throw new RangeError(`limits.${name} must be an integer from 0 to ${LARGEST_LIMITS[key]}`);
    }
  }
  resolvedLimits.add(resolved);
  return Object.freeze(resolved);
}
