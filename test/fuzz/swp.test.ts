// Mutated payloads against a protobuf runtime that others wrote, and against the rules in their plainest words: no
// difference but the rules of SPEC.md section 19. A2A_SDL_SWP_MUTATIONS says how many; `npm run test:swp` does a million.

import { fromBinary } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';

import type { SwpMessage } from '../../profiles/swp/wire/message.ts';
import { readPayload } from '../../profiles/swp/wire/read-payload.ts';
import { SwpRefusal } from '../../profiles/swp/wire/refusal.ts';
import { writePayload } from '../../profiles/swp/wire/write-payload.ts';
import { payloadSchema } from '../support/swp/protobuf.ts';
import { OWN_RULES, brokenRule, hasLongKey } from '../support/swp/rules-model.ts';

const COUNT = Number(process.env['A2A_SDL_SWP_MUTATIONS'] ?? 20_000);
const SEED = Number(process.env['A2A_SDL_SWP_SEED'] ?? 1);
const schema = payloadSchema();

/** A small generator: the same numbers for the same seed. */
function newRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const octets = (text: string): Uint8Array => new TextEncoder().encode(text);
const MESSAGES: readonly SwpMessage[] = [
  { type: 'handshake', agentId: 'agent', capabilities: ['demo.run', '', 'ü'] },
  { type: 'task', taskId: octets('task-1'), kind: 'demo.run', input: octets('{"x":1}') },
  { type: 'event', taskId: octets('task-1'), message: 'running 漢', eventPayload: octets('ab') },
  { type: 'result', taskId: octets('task-1'), ok: true, output: octets('done'), errorMessage: '' },
  { type: 'result', taskId: octets('t'), ok: false, output: octets(''), errorMessage: 'failed' },
];
const TYPES = { handshake: 1, task: 2, event: 3, result: 4 } as const;
/** Pieces that are close to something. */
const PIECES = [
  '',
  '00',
  '80',
  'ff',
  '0a',
  '12',
  '1a',
  '22',
  '2a',
  '0b',
  '0c',
  '10',
  '1001',
  '1002',
  '100180',
  '12ffffffffffffffffff01',
  '0a80808080808080808001',
  'ffffffffffffffffff01',
  'ffffffffffffffffff02',
  '8080808080808080808000',
  '2801',
  '2d00000000',
  '310000000000000000',
  '2a0161',
  '3b3c',
  '9200',
  '8a8000',
  'f8ffffff0f01',
  'c285',
  'efbbbf',
  'e38080',
  '20',
  'c328',
  'eda080',
  'f0908080',
  '0800',
  '1a00',
  '2200',
].map((digits) => Buffer.from(digits, 'hex'));

function mutated(bytes: Uint8Array, random: (below: number) => number): Uint8Array {
  let made: Buffer = Buffer.from(bytes);
  for (let change = random(4); change >= 0; change -= 1) {
    const at = random(made.length + 1);
    const piece = PIECES[random(PIECES.length)]!;
    const kind = random(6);
    if (kind === 0 && at < made.length) made[at] = random(256);
    else if (kind === 1 && at < made.length) made[at]! ^= 1 << random(8);
    else if (kind === 2) made = Buffer.concat([made.subarray(0, at), piece, made.subarray(at)]);
    else if (kind === 3)
      made = Buffer.concat([made.subarray(0, at), made.subarray(at + 1 + random(3))]);
    else if (kind === 4) made = inside(made, piece);
    else made = Buffer.concat([made, piece]);
  }
  return made;
}

/** At the end of the member, with a length that fits. */
function inside(bytes: Buffer, piece: Buffer): Buffer {
  const length = bytes[1] ?? 0;
  if (length + piece.length > 127 || bytes.length < 2) return bytes;
  const longer = Buffer.concat([bytes.subarray(0, 2 + length), piece, bytes.subarray(2 + length)]);
  longer[1] = length + piece.length;
  return longer;
}

function ours(bytes: Uint8Array, type: number): SwpMessage | SwpRefusal {
  try {
    return readPayload(bytes, BigInt(type));
  } catch (thrown) {
    if (thrown instanceof SwpRefusal) return thrown;
    throw thrown;
  }
}

/** `undefined` where the runtime refuses it. */
function theirs(
  bytes: Uint8Array,
): { readonly case?: string; readonly value?: unknown } | undefined {
  try {
    return (fromBinary(schema, bytes) as unknown as { readonly body: { readonly case?: string } })
      .body;
  } catch {
    return undefined;
  }
}

/** The runtime takes a last number that is not there for 0. */
function isReadOn(bytes: Uint8Array, read: NonNullable<ReturnType<typeof theirs>>): boolean {
  const more = theirs(Buffer.concat([bytes, Buffer.alloc(1)]));
  return more !== undefined && told(more) === told(read);
}

/** Without what the runtime adds. */
function plain(value: unknown): unknown {
  const { $typeName: _name, $unknown: _unknown, ...fields } = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(fields).map(([name, inner]) => [
      name,
      inner instanceof Uint8Array ? Buffer.from(inner).toString('hex') : inner,
    ]),
  );
}

function told({ case: name, value }: NonNullable<ReturnType<typeof theirs>>): string {
  return `${name} ${JSON.stringify(value === undefined ? null : plain(value))}`;
}

describe('#swp-payload mutated payloads', () => {
  test(
    `${COUNT} of them are read as a protobuf runtime reads them, but for our rules`,
    { timeout: 3_600_000 },
    () => {
      const random = newRandom(SEED);
      const seen = { accepted: 0, refused: 0, onlyOurs: 0 };
      for (let round = 0; round < COUNT; round += 1) {
        const message = MESSAGES[random(MESSAGES.length)]!;
        const type = random(8) === 0 ? 1 + random(4) : TYPES[message.type];
        const bytes = mutated(writePayload(message), random);
        const [own, other, rule] = [ours(bytes, type), theirs(bytes), brokenRule(bytes, type)];
        const isRead = !(own instanceof SwpRefusal);
        const digits = (): string => `${type} ${Buffer.from(bytes).toString('hex')}: ${rule}`;
        if (isRead !== (rule === undefined)) expect.fail(`not by the rules: ${digits()}`);
        if (!isRead) {
          if (own.code !== 'INVALID_PROFILE_PAYLOAD') expect.fail(own.code);
          if (other !== undefined && !OWN_RULES.has(rule!) && !isReadOn(bytes, other)) {
            expect.fail(`only ours refuses: ${digits()}`);
          }
          seen.refused += 1;
          if (other !== undefined) seen.onlyOurs += 1;
          continue;
        }
        if (other === undefined) {
          if (!hasLongKey(bytes)) expect.fail(`only the runtime refuses: ${digits()}`);
          continue;
        }
        const { type: name, ...fields } = own;
        const read = told({ case: name, value: fields });
        if (told(other) !== read) expect.fail(`${digits()}: ${told(other)} is not ${read}`);
        seen.accepted += 1;
      }
      // A test of one side only would prove little.
      expect(Math.min(seen.accepted, seen.refused, seen.onlyOurs)).toBeGreaterThan(COUNT / 200);
      console.log(`SWP mutations: ${JSON.stringify(seen)}`);
    },
  );
});
