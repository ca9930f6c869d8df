// Owns what may be said about a bridge, and its defaults. SPEC.md section 20.2 (#bridge-choice, #bridge-failures).

import { wait } from '../../../src/client/index.ts';
import { resolveLimits } from '../../../src/transport.ts';
import type { A2aClientOptions } from '../client/options.ts';

/** An agent that does the tasks. */
export interface UpstreamSettings {
  /** The address that the operator typed: of its card, or of its host. */
  readonly url: string;
  /** A message that it gets twice, under the same id, is done once. @default as its card says */
  readonly idempotent?: boolean;
  /** How it is spoken to, beside what counts for all. @default as all are */
  readonly client?: A2aClientOptions;
}

export interface A2aBridgeOptions extends A2aClientOptions {
  /** Name to address. With one of them all tasks go there; with more each task says where. */
  readonly upstreams: Readonly<Record<string, string | UpstreamSettings>>;
  /** How long an upstream that does not answer is waited for. @default 300000 */
  readonly maxAwayMs?: number;
  /** How long an upstream that answers is asked whether a message has arrived. @default 10000 */
  readonly doubtMs?: number;
  /** Told what the operator may want to know of a task, such as that its upstream is away. @default nobody is told */
  readonly onNotice?: (
    words: string,
    task: { readonly id: string; readonly owner: string },
  ) => void;
}

export interface Upstream extends UpstreamSettings {
  readonly name: string;
}

export interface ResolvedBridgeOptions {
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly client: A2aClientOptions;
  readonly maxAwayMs: number;
  readonly doubtMs: number;
  readonly maxHops: number;
  readonly onNotice: NonNullable<A2aBridgeOptions['onNotice']>;
  readonly now: () => number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const MAX_AWAY_MS = 300_000;
const DOUBT_MS = 10_000;

/** Wrong use by the programmer is a TypeError. */
export function resolveBridgeOptions(options: A2aBridgeOptions): ResolvedBridgeOptions {
  const { upstreams, maxAwayMs = MAX_AWAY_MS, doubtMs = DOUBT_MS, onNotice, ...client } = options;
  for (const [name, value] of Object.entries({ maxAwayMs, doubtMs })) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RangeError(`"${name}" expected a whole number of at least 0`);
    }
  }
  const named = Object.entries(upstreams).map(([name, given]) => upstreamOf(name, given));
  if (named.length === 0) throw new TypeError('"upstreams" expected at least one agent');
  return {
    upstreams: new Map(named.map((upstream) => [upstream.name, upstream])),
    client,
    maxAwayMs,
    doubtMs,
    maxHops: resolveLimits(options.limits).maxHops,
    onNotice: onNotice ?? (() => undefined),
    now: options.now ?? Date.now,
    wait: options.wait ?? wait,
  };
}

function upstreamOf(name: string, given: string | UpstreamSettings): Upstream {
  const settings = typeof given === 'string' ? { url: given } : given;
  if (!isUpstreamName(name)) {
    throw new TypeError(`"upstreams" expected names of letters, digits, "-", "_" and "."`);
  }
  if (!isUpstreamUrl(settings.url)) {
    throw new TypeError(`"upstreams.${name}" expected an http or https address`);
  }
  return { name, ...settings };
}

export function isUpstreamName(name: string): boolean {
  return NAME.test(name);
}

export function isUpstreamUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
