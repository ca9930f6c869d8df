// The published schema of the envelope against the code that checks its shape.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { checkShape } from '../../src/envelope/shape.ts';
import { compileBounded } from '../../src/schema/bounded/validator.ts';
import { Work } from '../../src/schema/bounded/work.ts';
import { applyPatch } from '../../src/state/apply-patch.ts';
import envelopeSchema from '../../schemas/envelope.v1.json' with { type: 'json' };
import { codeOf } from '../support/wire/bytes.ts';
import { ENC, SIG, patched, put, registry } from '../support/wire/envelopes.ts';

const isReservedSender = (value: JsonValue): boolean =>
  /^(\*$|~)/.test(
    ((value as JsonObject)['from'] as { agent_id?: string } | undefined)?.agent_id ?? '',
  );
const check = (value: JsonValue): unknown => checkShape(value, registry);

describe('#schema-lock schemas/envelope.v1.json', () => {
  const published = compileBounded(envelopeSchema, new Work(1e6));
  const isValid = (value: JsonValue): boolean =>
    published.validate(value, new Work(1e6)) === undefined;
  const full = patched(
    put('/type', 'res'),
    put('/re', 'r'),
    put('/payload', null),
    put('/sec', {
      mode: 'enc+sig',
      kid: 'k',
      sig: SIG,
      enc: ENC,
      replay: { nonce: 'n', exp: '2026-01-01T00:00:00Z' },
      session: {},
      x: {},
    }),
  ) as JsonObject;

  test('says of mutated envelopes what the code says', () => {
    const pointers: string[] = [];
    const collect = (value: JsonValue, path: string): void => {
      pointers.push(path);
      if (typeof value !== 'object' || value === null || path.startsWith('/schema/embedded'))
        return;
      for (const name of Object.keys(value))
        collect((value as JsonObject)[name]!, `${path}/${name}`);
    };
    for (const name of Object.keys(full)) collect(full[name]!, `/${name}`);
    const replacement = fc.constantFrom<JsonValue>(
      null,
      true,
      0,
      1,
      7,
      -1,
      0.5,
      '',
      'x',
      'req',
      'sig',
      'none',
      '*',
      '*x',
      '~',
      '~x',
      'x~',
      [],
      {},
      'x'.repeat(600),
    );
    let refused = 0;
    fc.assert(
      fc.property(fc.constantFrom(...pointers), fc.option(replacement), (path, value) => {
        const mutated = applyPatch(full, [
          value === null ? { op: 'remove', path } : { op: 'replace', path, value },
        ]);
        const code = codeOf(() => check(mutated));
        // The schema of version 1 is locked and older than the ids that are reserved.
        if (code !== undefined && isReservedSender(mutated)) return;
        // What only the receiver can know is beyond a schema: its content types and its limit on hops.
        if (code === 'CT_UNSUPPORTED' || code === 'LIMIT_HOPS') return;
        if (code !== undefined) refused += 1;
        expect(isValid(mutated)).toBe(code === undefined);
      }),
      { numRuns: 3_000 },
    );
    expect(refused).toBeGreaterThan(500);
  });
});
