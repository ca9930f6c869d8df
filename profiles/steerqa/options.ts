// Owns what the face can be told, and the check of it. SPEC.md section 18 (#steerqa-http).

export interface SteerqaOptions {
  /** Where offers are taken. @default '/task_offer' */
  readonly path?: string;
  /** Builds that are served, such as `clarity@0.1.0`; an offer for another one is refused. @default any */
  readonly agents?: readonly string[];
  /** By how much the clock of Root may be another one, in milliseconds. @default 2000 */
  readonly skewMs?: number;
  /** The largest offer. @default that of the runtime's limits */
  readonly maxBytes?: number;
  /** From one sign of life in a stream of lines to the next, in milliseconds. @default 15000 */
  readonly heartbeatMs?: number;
  /** Milliseconds since the epoch; the runtime's clock. @default Date.now */
  readonly now?: () => number;
}

export interface ResolvedSteerqa extends Required<Omit<SteerqaOptions, 'maxBytes'>> {
  readonly maxBytes: number | undefined;
}

const PATH = /^\/[\w.~!$&'()*+,;=:@%/-]*$/;
const AGENT = /^[^@\s]+@\S+$/;

/** Wrong use is a TypeError or a RangeError. */
export function resolveSteerqa(options: SteerqaOptions): ResolvedSteerqa {
  const { path = '/task_offer', agents = [], skewMs = 2_000, maxBytes } = options;
  const { heartbeatMs = 15_000, now = Date.now } = options;
  if (!PATH.test(path)) throw new TypeError('"path" expected a path such as /task_offer');
  const odd = agents.find((agent) => !AGENT.test(agent));
  if (odd !== undefined) throw new TypeError('"agents" expected names such as clarity@0.1.0');
  assertWhole('skewMs', skewMs, 0);
  assertWhole('heartbeatMs', heartbeatMs, 1);
  if (maxBytes !== undefined) assertWhole('maxBytes', maxBytes, 1);
  return { path, agents: [...agents], skewMs, maxBytes, heartbeatMs, now };
}

function assertWhole(name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new RangeError(`"${name}" expected an integer of at least ${least}`);
}
