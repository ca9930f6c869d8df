// Owns what every transport must refuse, and with what words: one table, the same for all.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeMessage } from '../../../src/envelope/decode.ts';
import type { Encoding } from '../../../src/envelope/decode.ts';
import { ERRORS } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { LocalIdentity } from '../../../src/security/identity/identity.ts';
import type { Incoming } from '../../../src/transport.ts';
import { newIdentity } from '../../support/agents/agents.ts';
import { until } from '../../support/agents/exchanges.ts';
import { forge, openedBy } from '../../support/wire/forge.ts';
import type { RawLine } from '../../support/wire/raw-lines.ts';
import type { MakeWire, Pair, Server } from '../../support/agents/transport-pairs.ts';
import { createPair } from '../../support/agents/transport-pairs.ts';
import type { RefusalRow } from './refusal-table.ts';
import { REFUSALS } from './refusal-table.ts';

const LIMIT = 1_048_576;

const CASES = REFUSALS.flatMap((row) =>
  (['json', 'cbor'] as const)
    .filter((encoding) => row.only === undefined || row.only === encoding)
    .map((encoding) => ({ name: row.name, encoding, row })),
);

/** All that a sender can see of a refusal, without what is new in every message. */
export interface SeenRefusal {
  readonly type: unknown;
  readonly ct: unknown;
  readonly from: unknown;
  readonly mode: unknown;
  /** It names the request that it refuses. */
  readonly isNamed: boolean;
  readonly encoding: Encoding;
  readonly payload: JsonObject;
}

export interface RefusalParties {
  readonly server: Server;
  /** The server knows it; another one for each case, because a server remembers what a sender has proven. */
  readonly sender: LocalIdentity;
  readonly stranger: LocalIdentity;
}

export async function newParties(pair: Pair): Promise<RefusalParties> {
  return { server: pair.server, sender: await pair.sender(), stranger: await newIdentity() };
}

/** Sends the messages of a row one after the other and tells how the last was refused. */
export async function refusalOf(
  row: RefusalRow,
  encoding: Encoding,
  line: RawLine,
  { server, sender, stranger }: RefusalParties,
): Promise<SeenRefusal> {
  const messages = await row.make({ server, sender, stranger, encoding });
  let answer: Incoming | undefined;
  for (const message of messages) {
    line.send(message);
    do answer = await line.next();
    while (answer !== undefined && read(answer)['type'] === 'evt');
  }
  if (answer === undefined) throw new Error('the connection was closed');
  const envelope = read(answer);
  const { type, ct, re } = envelope;
  return {
    type,
    ct,
    from: (envelope['from'] as JsonObject)['agent_id'],
    mode: (envelope['sec'] as JsonObject)['mode'],
    isNamed: re !== undefined && re === idOf(messages.at(-1)!),
    encoding: answer.encoding,
    payload: openedBy(sender, envelope),
  };
}

/** What the table says that its sender must see. */
export function expectedRefusal(row: RefusalRow, encoding: Encoding, server: Server): SeenRefusal {
  const [stage, code] = row.verdict;
  const { wire, words, retryable } = ERRORS[code];
  const isOpaque = wire === 'SECURITY_UNSUPPORTED';
  return {
    type: 'res',
    ct: 'error.v1',
    from: server.identity.agentId,
    mode: row.isEncrypted === true ? 'enc+sig' : 'sig',
    isNamed: stage !== 'decode' && row.name !== 'a value that is no envelope',
    encoding,
    payload: {
      code: wire,
      message: words,
      details: isOpaque ? {} : { reason: code, ...row.details },
      retryable,
    },
  };
}

export function describeRefusals(name: string, makeWire: MakeWire): void {
  describe(`${name}: what is refused #transport-same #checks #errors #errors-opaque`, () => {
    let pair: Pair;
    beforeAll(async () => {
      pair = await createPair(makeWire);
    });
    afterAll(() => pair.close());

    test.each(CASES)('$name in $encoding', async ({ row, encoding }) => {
      const seen = await refusalOf(row, encoding, await pair.line(), await newParties(pair));
      expect(seen).toEqual(expectedRefusal(row, encoding, pair.server));
      const { stage, error } = pair.server.outcomes.at(-1)!;
      expect([stage, error?.code]).toEqual(row.verdict);
    });

    test.each(['json', 'cbor'] as const)(
      'a retry of the same bytes in %s gets the very same bytes #replay-retry',
      async (encoding) => {
        const [line, sender] = [await pair.line(), await pair.sender()];
        const message = await forge(sender, pair.server, {
          encoding,
          mode: 'enc+sig',
          ct: 'toolcall.v1',
          payload: { tool: 'sys.ping', call_id: 'c', args: {}, expect: {} },
        });
        const answers: Incoming[] = [];
        for (let time = 0; time < 3; time += 1) {
          line.send(message);
          answers.push((await line.next())!);
        }
        expect(openedBy(sender, read(answers[0]!))).toMatchObject({ ok: true });
        expect(answers[1]).toEqual(answers[0]);
        expect(answers[2]).toEqual(answers[0]);
        const three = pair.server.outcomes.slice(-3);
        expect(three.map(({ isRetry }) => isRetry)).toEqual([false, true, true]);
      },
    );

    test('a message of too many bytes is refused before it is read #limits', async () => {
      const line = await pair.line();
      const before = pair.server.outcomes.length;
      line.send({ bytes: new Uint8Array(LIMIT + 1).fill(0x20), encoding: 'json' });
      const answer = await line.next();
      // A WebSocket is closed with a code for it, and has no other words.
      if (name === 'WebSocket') expect(answer).toBeUndefined();
      else {
        const { code, details } = read(answer!)['payload'] as JsonObject;
        expect({ code, details }).toEqual({
          code: 'BAD_REQUEST',
          details: { reason: 'LIMIT_BYTES', limit: LIMIT },
        });
      }
      expect(pair.server.outcomes).toHaveLength(before);
    });

    test.each([
      ['an event that is refused', { type: 'evt' as const, payload: {} }],
      ['an answer that nobody asked for', { members: { type: 'res' as const, re: 'x' } }],
    ])('%s is not answered #error-always', async (_what, draft) => {
      const [line, sender] = [await pair.line(), await pair.sender()];
      const before = pair.server.outcomes.length;
      line.send(await forge(sender, pair.server, draft));
      await until(() => pair.server.outcomes.length > before);
      expect(pair.server.outcomes.at(-1)!.error).toBeDefined();
      const next = await forge(sender, pair.server, { payload: {} });
      line.send(next);
      expect(read((await line.next())!)['re']).toBe(next.envelope.id);
    });
  });
}

function read({ bytes, encoding }: Incoming): JsonObject {
  return decodeMessage(bytes, encoding) as JsonObject;
}

function idOf(message: Incoming): unknown {
  try {
    return read(message)['id'];
  } catch {
    return undefined;
  }
}
