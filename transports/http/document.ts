// Owns how the document of an agent is fetched from its well-known place. Nothing of it is proven: the caller checks its
// signature. SPEC.md section 10 (#agent-document).

import type { Limits } from '../../src/transport.ts';
import { TransportError, resolveLimits } from '../../src/transport.ts';
import { createHttpPool, parseHttpUrl } from './client.ts';
import { readBody } from './body.ts';
import { mediaTypeOf } from './sdl/request.ts';
import { DOCUMENT_PATH } from './paths.ts';
import type { TlsOptions } from '../net/tls-options.ts';
import { checkTls } from '../net/tls-options.ts';

export interface FetchDocumentOptions {
  /** `maxBytes` bounds the document while it is read. @default DEFAULT_LIMITS */
  readonly limits?: Partial<Limits>;
  /** @default {} */
  readonly tls?: TlsOptions;
  /** For the connection to come about, and then for the document to arrive. @default 10000 */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export async function fetchAgentDocument(
  address: string,
  options: FetchDocumentOptions = {},
): Promise<Uint8Array> {
  const { tls = {}, timeoutMs = 10_000 } = options;
  checkTls(tls);
  const { maxBytes } = resolveLimits(options.limits);
  const url = new URL(DOCUMENT_PATH, parseHttpUrl(address));
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
  const pool = createHttpPool(url.protocol === 'https:', {
    tls,
    maxSockets: 1,
    connectTimeoutMs: timeoutMs,
  });
  try {
    const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
    const response = await pool.call(url, { method: 'GET', headers, signal });
    const { statusCode } = response;
    if (
      statusCode !== 200 ||
      mediaTypeOf(response.headers['content-type']) !== 'application/json'
    ) {
      throw new TransportError('refused', `no agent document there (status ${statusCode})`);
    }
    const bytes = await readBody(response, maxBytes);
    if (bytes !== undefined) return bytes;
    throw new TransportError('protocol', `the document is larger than ${maxBytes} bytes`);
  } catch (thrown) {
    if (deadline.aborted && options.signal?.aborted !== true) {
      throw new TransportError('timeout', `the document had not arrived after ${timeoutMs} ms`);
    }
    throw pool.faultOf(thrown, signal);
  } finally {
    pool.close();
  }
}
