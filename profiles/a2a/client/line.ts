// Owns asking over one binding: which questions are asked again, and what is said of one whose answer was lost. SPEC.md
// section 20 (#a2a-client-retries).

import { abortError } from '../../../src/client/index.ts';
import type { JsonValue } from '../../../src/door/index.ts';
import { TransportError } from '../../../src/transport.ts';
import type { OperationName } from '../operations/inputs.ts';
import type { A2aCallOptions, A2aSubscribeOptions } from './agent.ts';
import type { Asked } from './asking/asked.ts';
import type { AskOptions, ClientBinding, ToldFrame } from './bindings/binding.ts';
import type { ResolvedClientOptions } from './options.ts';
import { A2aRemoteError } from './remote-error.ts';

/** They change nothing, so they may be asked twice. */
const READS: ReadonlySet<OperationName> = new Set([
  'get',
  'list',
  'getPush',
  'listPush',
  'extendedCard',
]);
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

export class Line {
  readonly #binding: ClientBinding;
  readonly #options: ResolvedClientOptions;

  constructor(binding: ClientBinding, options: ResolvedClientOptions) {
    this.#binding = binding;
    this.#options = options;
  }

  async ask<Name extends OperationName>(
    operation: Name,
    asked: Asked[Name],
    options: A2aCallOptions,
  ): Promise<JsonValue | undefined> {
    const how = this.#how(options);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#binding.ask(operation, asked, how);
      } catch (thrown) {
        const isLast = attempt >= this.#options.retries || !READS.has(operation);
        if (isLast || how.signal.aborted || !isPassing(thrown)) {
          throw named(thrown, how.signal, operation === 'send');
        }
        const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS);
        await this.#options.wait(pauseMs, how.signal);
      }
    }
  }

  async *stream<Name extends 'stream' | 'subscribe'>(
    operation: Name,
    asked: Asked[Name],
    { lastEventId, ...options }: A2aSubscribeOptions,
  ): AsyncGenerator<ToldFrame> {
    const how = { ...this.#how(options), ...(lastEventId !== undefined && { lastEventId }) };
    let isBegun = false;
    try {
      for await (const frame of this.#binding.stream(operation, asked, how)) {
        isBegun = true;
        yield frame;
      }
    } catch (thrown) {
      throw named(thrown, how.signal, operation === 'stream' && !isBegun);
    }
  }

  #how({ signal, timeoutMs, extensions = [] }: A2aCallOptions): Required<AskOptions> {
    return {
      signal: signal ?? new AbortController().signal,
      timeoutMs: timeoutMs ?? this.#options.timeoutMs,
      extensions: [...new Set([...this.#options.extensions, ...extensions])],
    };
  }
}

function isPassing(thrown: unknown): boolean {
  if (thrown instanceof TransportError) return thrown.isRetryable;
  return thrown instanceof A2aRemoteError && thrown.retryable;
}

/** Whose time was over, and what nobody can know of a message that was sent. */
function named(thrown: unknown, signal: AbortSignal, isSend: boolean): unknown {
  const isAborted = thrown instanceof TransportError && thrown.fault === 'aborted';
  const error = isAborted && signal.aborted ? abortError(signal, thrown) : thrown;
  if (!isSend || !(error instanceof TransportError)) return error;
  if (error.fault !== 'lost' && error.fault !== 'timeout' && error.fault !== 'protocol')
    return error;
  return new TransportError(error.fault, `${error.message}: outcome unknown`, error);
}
