// Owns the agents behind a bridge: which of them a task is for, and the one that was found, for all tasks.
// SPEC.md section 20.2 (#bridge-choice).

import type { AuthorTask, JsonObject } from '../../../src/door/index.ts';
import { TaskError } from '../../../src/door/index.ts';
import type { A2aAgent } from '../client/agent.ts';
import { connectA2a } from '../client/connect.ts';
import type { ResolvedBridgeOptions, Upstream } from './options.ts';

const MEMBER = 'upstream';
const IDEMPOTENCY = 'https://w3id.org/a2a-sdl/ext/idempotency/v1';

export class Upstreams {
  readonly #options: ResolvedBridgeOptions;
  readonly #found = new Map<string, Promise<A2aAgent>>();

  constructor(options: ResolvedBridgeOptions) {
    this.#options = options;
  }

  named(name: string): Upstream | undefined {
    return this.#options.upstreams.get(name);
  }

  /** Throws a TaskError that rejects the task, where it does not say which. */
  choose({ kind, history, metadata }: AuthorTask): Upstream {
    const { upstreams } = this.#options;
    const [only, ...more] = upstreams.values();
    if (more.length === 0) return only!;
    const name = kind ?? nameIn(history[0]?.metadata) ?? nameIn(metadata);
    const chosen = name === undefined ? undefined : upstreams.get(name);
    if (chosen !== undefined) return chosen;
    const words = `say which agent is meant, as the kind of the task or as "${MEMBER}" in its metadata`;
    throw new TaskError(`${words}: ${[...upstreams.keys()].join(', ')}`, {
      code: 'UPSTREAM_UNKNOWN',
      rejects: true,
    });
  }

  /** Found once; looked for again where that failed. */
  async connect(upstream: Upstream, signal: AbortSignal): Promise<A2aAgent> {
    const { name } = upstream;
    // All tasks wait for the same one: who gives up must not take it from the others.
    return abortable(this.#found.get(name) ?? this.#find(upstream), signal);
  }

  #find({ name, url, client }: Upstream): Promise<A2aAgent> {
    const finding = connectA2a(url, { ...this.#options.client, ...client });
    this.#found.set(name, finding);
    finding.catch(() => {
      if (this.#found.get(name) === finding) this.#found.delete(name);
    });
    return finding;
  }

  /** Its card may be another one by now. */
  forget({ name }: Pick<Upstream, 'name'>): void {
    this.#found.delete(name);
  }
}

/** Does it do a message of one id once? */
export function isIdempotent({ idempotent }: Upstream, { card }: A2aAgent): boolean {
  if (idempotent !== undefined) return idempotent;
  return card.extensions.includes(IDEMPOTENCY);
}

function nameIn(metadata: JsonObject | undefined): string | undefined {
  const name = metadata?.[MEMBER];
  return typeof name === 'string' ? name : undefined;
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
