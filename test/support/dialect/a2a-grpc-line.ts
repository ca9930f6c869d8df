// Owns the driver of official A2A over gRPC. Frames have no ids: they are counted from where the stream begins.

import type { JsonObject } from '../../../src/door/index.ts';
import type { Json } from '../a2a/ask.ts';
import type { GrpcAnswer } from '../a2a/grpc-client.ts';
import { GrpcClient } from '../a2a/grpc-client.ts';
import type { A2aLine, A2aWay } from './a2a-line.ts';
import { GONE, Refused } from './caller.ts';

export function grpcLine({ address, headers }: A2aWay): A2aLine {
  const client = new GrpcClient(address);
  return {
    read: async ({ method, params }) => {
      const answer = await client.ask(method, params as Json, { metadata: headers });
      if (answer.body === undefined) throw refusedOf(answer);
      return complete(method, answer.body as JsonObject);
    },
    async *frames({ method, params, headers: more = {}, signal }) {
      const metadata = { ...headers, ...more };
      const stream = client.stream(method, params as Json, { metadata });
      const leave = (): void => stream.cancel();
      signal?.addEventListener('abort', leave, { once: true });
      let generation: number | undefined;
      let isOver = false;
      try {
        for await (const told of stream) {
          const frame = told as JsonObject;
          const [place = ''] = (await stream.initial).get('event-id') as string[];
          // The whole task stands where the stream begins, all others behind it.
          generation ??= frame['task'] === undefined ? Number(place) : Number(place) - 1;
          generation += 1;
          yield { frame, generation };
        }
        isOver = true;
        signal?.throwIfAborted();
        const end = await stream.end;
        if (end.status !== 'OK') throw refusedOf(end);
      } finally {
        signal?.removeEventListener('abort', leave);
        stream.cancel();
        // Answered behind the cancellation: by then the agent has let the stream go.
        if (!isOver) await client.ask('GetTask', params as Json, { metadata: headers });
      }
    },
    close: () => client.close(),
  };
}

/** What protobuf leaves out because it is empty. */
function complete(method: string, body: JsonObject): JsonObject {
  if (method !== 'ListTasks') return body;
  return { tasks: [], nextPageToken: '', totalSize: 0, ...body };
}

function refusedOf({ reason, words, details }: Omit<GrpcAnswer, 'body'>): Refused {
  if (reason === '') return new Refused(GONE, true, words);
  const isRetryable = (details as readonly { readonly '@type': string }[]).some((detail) =>
    detail['@type'].endsWith('RetryInfo'),
  );
  return new Refused(reason, isRetryable, words);
}
