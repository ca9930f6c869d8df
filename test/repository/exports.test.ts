// The public surface: what it is, and that importing it loads nothing heavy.

import { describe, expect, test } from 'vitest';

import * as publicSurface from '../../src/index.ts';
import { closureOf, packageOf } from '../support/repository/module-graph.ts';

describe('the root import', () => {
  test('exports these names and no others', () => {
    expect(Object.keys(publicSurface).sort()).toMatchInlineSnapshot(`
      [
        "DEFAULT_LIMITS",
        "ERRORS",
        "LosslessNumber",
        "PACKAGE_VERSION",
        "RemoteError",
        "SdlError",
        "TaskError",
        "ToolCallError",
        "ToolError",
        "TransportError",
        "answer",
        "createIdentity",
        "createRuntime",
        "defineContent",
        "defineTool",
        "isJsonArray",
        "isJsonObject",
      ]
    `);
  });

  test('loads these packages and no others: no driver, no server library, nothing of Node', () => {
    const { files, specifiers } = closureOf('src/index.ts');
    expect(files.size).toBeGreaterThan(40);
    expect([...new Set([...specifiers].map((name) => packageOf(name)))].sort()).toEqual([
      '@noble/ciphers',
      '@noble/curves',
      '@noble/ed25519',
      '@noble/hashes',
      'ajv',
      'fast-json-patch',
      'lru-cache',
      're2js',
    ]);
  });

  test('loads of ajv only the metaschema documents, none of its code', () => {
    const ajv = [...closureOf('src/index.ts').specifiers].filter(
      (name) => packageOf(name) === 'ajv',
    );
    expect(ajv.length).toBeGreaterThan(0);
    expect(
      ajv.filter((name) => !name.startsWith('ajv/dist/refs/') || !name.endsWith('.json')),
    ).toEqual([]);
  });
});
