// Owns the request of a notification, whatever server it came through: node:http, or one that has the Request of the web.
// SPEC.md section 20 (#a2a-hook-receiver).

/** A body that is read piece by piece. */
export type HookBody =
  | AsyncIterable<Uint8Array>
  | {
      getReader(): {
        read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
        cancel(): Promise<unknown>;
      };
    };

/** A `Request` of the web is one. */
export interface HookRequest {
  readonly method: string;
  readonly headers: { get(name: string): string | null };
  readonly body: HookBody | null;
}

/** For the `Response` of the web, or for whatever else answers. */
export interface HookResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The request of node:http, as far as it is used. */
export interface NodeHookRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly readableDidRead: boolean;
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterable<Uint8Array>;
}

/** The response of node:http, as far as it is used. */
export interface NodeHookResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body?: string): unknown;
}

/** `undefined` where there are more bytes than that. Throws what the connection throws. */
export async function readBody(
  body: HookBody | null,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  if (body === null) return new Uint8Array();
  for await (const piece of piecesOf(body)) {
    length += piece.length;
    if (length > maxBytes) return undefined;
    pieces.push(piece);
  }
  return joined(pieces, length);
}

async function* piecesOf(body: HookBody): AsyncGenerator<Uint8Array> {
  if (!('getReader' in body)) {
    yield* body;
    return;
  }
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || value === undefined) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

export function fromNode(request: NodeHookRequest): HookRequest {
  const { headers, method = '' } = request;
  return {
    method,
    headers: {
      get: (name) => {
        const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
        return typeof value === 'string' ? value : (value?.join(', ') ?? null);
      },
    },
    // Left open where it is not read to its end, so that the answer can still be written.
    body: request.iterator({ destroyOnReturn: false }),
  };
}
