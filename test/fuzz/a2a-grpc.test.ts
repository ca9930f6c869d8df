// Messages of official A2A over gRPC that are nearly right, over every call of both packages: each is answered with a
// status that blames the caller and has details, and nothing is left behind. A2A_SDL_FUZZ_ROUNDS sets how many.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { V03 } from '../../profiles/a2a/fields/v03.ts';
import { V1 } from '../../profiles/a2a/fields/v1.ts';
import type { OperationName } from '../../profiles/a2a/operations/inputs.ts';
import { writeProtobuf } from '../../profiles/a2a/protobuf/write.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import type { GrpcAgent } from '../support/a2a/agent.ts';
import { openGrpcAgent } from '../support/a2a/agent.ts';
import { textAt } from '../support/a2a/ask.ts';
import type { GrpcCell } from '../support/a2a/every/grpc-cell.ts';
import { GRPC_CELLS, isStream } from '../support/a2a/every/grpc-cell.ts';
import { hostileMessage, hostileMetadata } from '../support/a2a/every/hostile-protobuf.ts';
import { OPERATIONS, randomFrom } from '../support/a2a/hostile.ts';
import { readMetrics } from '../support/wire/prometheus.ts';

/** Of each call. */
const ROUNDS = Number(process.env['A2A_SDL_FUZZ_ROUNDS'] ?? 25);
const AT_ONCE = 8;
/** Statuses that are no fault of the server. */
const ALLOWED = new Set([
  'OK',
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'FAILED_PRECONDITION',
  'UNAUTHENTICATED',
  'UNIMPLEMENTED',
  'RESOURCE_EXHAUSTED',
]);

let agent: GrpcAgent;
const errors: unknown[] = [];

beforeAll(async () => {
  agent = await openGrpcAgent({
    face: { hookFetch: { lookup: () => Promise.reject(new Error('no such name')) } },
    runtime: {
      admission: { ratePerSecond: 1_000_000, burst: 1_000_000 },
      on: { error: (cause) => void errors.push(cause) },
    },
  });
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

interface Told {
  readonly status: string;
  readonly details: number;
}

function isFault({ status, details }: Told): boolean {
  return !ALLOWED.has(status) || (status !== 'OK' && details === 0);
}

/** A stream that begins is left at once. */
async function toldOf(
  cell: GrpcCell,
  operation: OperationName,
  bytes: Buffer,
  metadata: Readonly<Record<string, string>>,
): Promise<Told> {
  const [method] = cell.requestFor(operation, {});
  const client = cell.client(agent);
  if (!isStream(operation)) {
    const { status, details } = await client.ask(method, {}, { bytes, metadata });
    return { status, details: details.length };
  }
  const stream = client.stream(method, {}, { bytes, metadata });
  const begun = stream.initial.then((initial) => initial.get('event-id').length > 0);
  const isOpen = await Promise.race([begun, stream.end.then(() => false)]);
  if (isOpen) stream.cancel();
  const { status, details } = await stream.end;
  return isOpen ? { status: 'OK', details: 0 } : { status, details: details.length };
}

describe.each(GRPC_CELLS)('$name #a2a-grpc #a2a-protobuf #a2a-input', (cell) => {
  test.each(OPERATIONS)('%s', { timeout: 120_000 }, async (operation) => {
    if (cell.wire === 'v03' && operation === 'list') return;
    const random = randomFrom(GRPC_CELLS.indexOf(cell) * 100 + OPERATIONS.indexOf(operation));
    const { body } = await cell.ask(agent, 'send', { text: 'ask' });
    const id = textAt(body, 'task.id');
    const isMessage = operation === 'send' || operation === 'stream';
    const [method, request] = cell.requestFor(operation, isMessage ? {} : { id });
    const table = cell.wire === 'v1' ? V1 : V03;
    const right = writeProtobuf(table, table.service[method]!.request, request as JsonObject);
    for (let round = 0; round < ROUNDS; round += AT_ONCE) {
      const asked = Array.from({ length: AT_ONCE }, () => ({
        bytes: hostileMessage(right, random),
        metadata: hostileMetadata(random),
      }));
      const all = await Promise.all(
        asked.map(async ({ bytes, metadata }) => {
          const told = await toldOf(cell, operation, bytes, metadata);
          return { told, bytes: bytes.toString('hex').slice(0, 1_000), metadata };
        }),
      );
      expect(all.filter(({ told }) => isFault(told))).toEqual([]);
    }
  });
});

test('nothing broke inside, and nothing is left behind over gRPC #a2a-grpc', async () => {
  expect(errors).toEqual([]);
  const { metrics } = await agent.runtime.listenContext();
  const gauge = (name: string, label = ''): number | undefined => {
    const { samples } = readMetrics(metrics()).get(name)!;
    return [...samples].find(([sample]) => sample.includes(label))?.[1] ?? 0;
  };
  await expect.poll(() => gauge('a2a_sdl_in_flight')).toBe(0);
  await expect.poll(() => gauge('a2a_sdl_watchers')).toBe(0);
  await expect.poll(() => gauge('a2a_sdl_face_calls', 'face="a2a"')).toBe(0);
  expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
});
