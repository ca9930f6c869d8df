// Runs the shared RFC 6902 suite: 108 cases that every implementation should agree on.

import { describe, expect, test } from 'vitest';
import { writePythonJson } from '../../src/codec/canonical-python.ts';
import { readJson } from '../../src/codec/json/read.ts';
import { encodeUtf8 } from '../../src/codec/utf8.ts';
import type { JsonValue } from '../../src/codec/value.ts';
import { applyPatch } from '../../src/state/apply-patch.ts';
import { hasVectors, vectorBytes, vectorJson } from '../support/repository/vectors.ts';

interface SuiteCase {
  readonly comment?: string;
  readonly doc: JsonValue;
  readonly patch: JsonValue;
  readonly expected?: JsonValue;
  readonly error?: string;
  readonly disabled?: boolean;
}

const FILES = ['json-patch/tests.json', 'json-patch/spec_tests.json'];

interface NamedCase {
  readonly name: string;
  readonly entry: SuiteCase;
}

/** The platform finds the cases, because our reader refuses the files; our reader then reads each case. */
function enabledCases(file: string): NamedCase[] {
  return vectorJson<SuiteCase[]>(file)
    .filter((entry) => entry.disabled !== true)
    .map((entry, index) => ({
      name: `${file} ${index + 1}: ${entry.comment ?? entry.error ?? 'no comment'}`,
      entry: readJson(encodeUtf8(JSON.stringify(entry))) as unknown as SuiteCase,
    }));
}

const cases: NamedCase[] = hasVectors ? FILES.flatMap(enabledCases) : [];

describe.skipIf(!hasVectors)('#state JSON patch suite', () => {
  test('all 108 enabled cases are there', () => {
    expect(cases).toHaveLength(108);
    expect(cases.filter(({ entry }) => Object.hasOwn(entry, 'error'))).toHaveLength(34);
  });

  test.each(FILES)(
    '%s holds an operation with two "op" members, which is not even read',
    (file) => {
      expect(() => readJson(vectorBytes(file))).toThrow(
        expect.objectContaining({
          code: 'ENCODING_INVALID',
          message: expect.stringContaining('twice') as string,
        }) as Error,
      );
    },
  );

  test.each(cases)('$name', ({ entry }) => {
    const before = writePythonJson(entry.doc);
    if (Object.hasOwn(entry, 'error')) {
      expect(() => applyPatch(entry.doc, entry.patch)).toThrow(
        expect.objectContaining({ name: 'SdlError', code: 'STATE_PATCH' }) as Error,
      );
    } else {
      expect(writePythonJson(applyPatch(entry.doc, entry.patch))).toEqual(
        writePythonJson(entry.expected!),
      );
    }
    expect(writePythonJson(entry.doc)).toEqual(before);
  });
});
