// Any content comes back as it went, in every shape.

import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';

import type { OpenOptions } from '../../../../profiles/a2a/sealed/index.ts';
import { SealedError, openTask, sealMessage } from '../../../../profiles/a2a/sealed/index.ts';
import type { JsonObject } from '../../../../src/codec/value.ts';
import type { Ends, Shape } from '../../../support/a2a/sealed.ts';
import { FAMILIES, newEnds } from '../../../support/a2a/sealed.ts';

let ends: Ends;
beforeAll(async () => {
  ends = await newEnds();
});
const asAgent = (): OpenOptions => ({ identity: ends.agent, peers: [ends.user] });

describe('#sealed-content any content', () => {
  const text = fc.string({ unit: 'grapheme' });
  // The SDK 1.3 reads a part whose data is null as one without content.
  const value = fc.jsonValue({ maxDepth: 4 }).filter((one) => one !== null);
  const part = fc.oneof(
    fc.record({ text }, { requiredKeys: ['text'] }),
    fc.record({ data: value }),
    fc.record({ url: fc.webUrl() }),
    fc
      .uint8Array({ maxLength: 200 })
      .map((bytes) => ({ raw: Buffer.from(bytes).toString('base64') })),
  );
  const said = fc.array(part, { minLength: 1, maxLength: 5 });

  test('comes back as it went, encrypted', async () => {
    await fc.assert(
      fc.asyncProperty(said, fc.constantFrom(...FAMILIES), async (parts, family) => {
        const message = family.message({ messageId: 'm', role: 'ROLE_USER', parts });
        const sealed = await sealMessage(message, { identity: ends.user, to: ends.agent });
        const copy = JSON.parse(JSON.stringify(sealed)) as Shape;
        const { message: opened } = await openTask(copy, asAgent());
        expect(plain(opened)).toEqual(plain(message));
      }),
      { numRuns: 60 },
    );
  });

  test('#jcs-merge comes back as it went in clear, or is refused where doubles would change it', async () => {
    await fc.assert(
      fc.asyncProperty(said, async (parts) => {
        const message = { messageId: 'm', role: 'ROLE_USER', parts };
        const to = { identity: ends.user, to: ends.agent, mode: 'sig' } as const;
        const sealed = await sealMessage(message, to).catch((error: unknown) => error);
        if (sealed instanceof SealedError) {
          expect(sealed.code).toBe('NUMBER_INEXACT');
          return;
        }
        const { message: opened } = await openTask(sealed as Shape, asAgent());
        // -0 is 0 in JSON that others have written.
        expect(plain(opened)).toEqual(plain(message));
      }),
      { numRuns: 60 },
    );
  });

  test('a number that JSON has and a double keeps, whatever its size, and none that JSON does not have', async () => {
    const numbers = [1e20, 1e21, -0, 5e-324, 2 ** 53, -(2 ** 60), 1.7976931348623157e308];
    const parts = [{ data: { numbers } }, { data: null }];
    const message = { messageId: 'm', role: 'ROLE_USER', parts };
    const to = { identity: ends.user, to: ends.agent };
    const opened = await openTask(await sealMessage(message, to), asAgent());
    expect(opened.message).toEqual(message);
    for (const bad of [Number.NaN, Infinity, 5n, new Uint8Array(2)]) {
      const wrong = { ...message, parts: [{ data: { bad } }] };
      await expect(sealMessage(wrong, to)).rejects.toThrow(TypeError);
    }
  });

  test('names that mean something elsewhere are names', async () => {
    const data = JSON.parse(
      '{"__proto__":{"a":1},"constructor":2,"":3,"toString":null}',
    ) as JsonObject;
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ data }] };
    const sealed = await sealMessage(message, { identity: ends.user, to: ends.agent });
    const { message: opened } = await openTask(sealed, asAgent());
    expect(Object.keys((opened as typeof message).parts[0]!.data)).toEqual(
      expect.arrayContaining(['__proto__', 'constructor', '', 'toString']),
    );
    expect(plain(opened)).toEqual(plain(message));
  });
});

/** Without what the SDK leaves out of its objects. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
