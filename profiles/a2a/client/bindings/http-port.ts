// Owns requests of HTTP to an agent: guarded, with the secrets of their origin alone, and a token renewed once when it is
// refused. SPEC.md section 20 (#a2a-client-secrets, #a2a-client-connect).

import type {
  GuardedFetchOptions,
  GuardedOpen,
  GuardedStream,
} from '../../../../transports/fetch/index.ts';
import { createGuardedOpen } from '../../../../transports/fetch/index.ts';
import type { Proofs } from '../credentials/proofs.ts';

interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Until the head of the answer is there. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Secrets of the origin go along. @default true */
  readonly isProven?: boolean;
  /** The header of an API key that was given without one. */
  readonly apiKey?: string;
}

export interface HttpPort {
  /** The answer as soon as its head is there; the caller reads or closes it. Throws a TransportError. */
  open(request: HttpRequest): Promise<GuardedStream>;
}

export interface HttpPortOptions {
  /** Addresses that the operator typed: only at their hosts may anything be private. */
  readonly typedUrls: readonly string[];
  readonly proofs: Proofs;
  readonly maxBytes: number;
  /** What else every request keeps to. */
  readonly fetch: Pick<GuardedFetchOptions, 'ca' | 'lookup' | 'ports' | 'allowRanges'>;
}

const TOLD = ['www-authenticate'];
const UNAUTHENTICATED = 401;

export function createHttpPort(options: HttpPortOptions): HttpPort {
  const { typedUrls, proofs, maxBytes, fetch } = options;
  /** One for each certificate that is shown: it costs a little to make one. */
  const opens = new Map<string, GuardedOpen>();

  function openFor(certificate: ReturnType<Proofs['certificateFor']>): GuardedOpen {
    const key = certificate?.cert ?? '';
    const known =
      opens.get(key) ??
      createGuardedOpen({
        ...fetch,
        maxBytes,
        ...(certificate !== undefined && { clientCertificate: certificate }),
      });
    opens.set(key, known);
    return known;
  }

  async function openWith(
    request: HttpRequest,
    shown: HttpRequest['headers'],
  ): Promise<GuardedStream> {
    const { method, url, headers, body, timeoutMs, signal } = request;
    // Its key does not leave this place, so it is shown wherever TLS asks for it at its origin.
    const certificate = proofs.certificateFor(url);
    const typedUrl = typedFor(url, typedUrls);
    return openFor(certificate)(url, {
      method,
      headers: { ...headers, ...shown },
      ...(body !== undefined && { body }),
      ...(typedUrl !== undefined && { typedUrl }),
      tellsHeaders: TOLD,
      timeoutMs,
      signal,
    });
  }

  return {
    async open(request) {
      const { url, signal, apiKey, isProven = true } = request;
      const how = { signal, ...(apiKey !== undefined && { apiKey }) };
      const shown = isProven ? await proofs.headersFor(url, how) : {};
      const answer = await openWith(request, shown);
      if (answer.status !== UNAUTHENTICATED || !isProven || !proofs.canRenew(url)) return answer;
      answer.close();
      return openWith(request, await proofs.headersFor(url, { ...how, refused: shown }));
    },
  };
}

/** The address at the same host that the operator typed. */
export function typedFor(url: string, typedUrls: readonly string[]): string | undefined {
  return typedUrls.find((typed) => hostOf(typed) === hostOf(url));
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
