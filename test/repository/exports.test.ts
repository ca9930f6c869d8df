// The public surface: what it is, and that importing it loads nothing heavy.

import { describe, expect, test } from 'vitest';

import manifest from '../../package.json' with { type: 'json' };
import * as publicSurface from '../../src/index.ts';
import { closureOf, packageOf, sourceText } from '../support/repository/module-graph.ts';

const MOST_NAMES = 60;

describe('the root import', () => {
  test(`has at most ${MOST_NAMES} names, values and types together`, () => {
    const lists = sourceText('src/index.ts').matchAll(/^export (?:type )?\{([^}]*)\}/gm);
    const names = [...lists].flatMap(([, list]) =>
      list!.split(',').filter((name) => name.trim() !== ''),
    );
    expect(names.length).toBeGreaterThan(30);
    expect(names.length).toBeLessThanOrEqual(MOST_NAMES);
  });

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
        "createClient",
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

test('the consumer that is compiled in an empty project imports every entry', () => {
  const entries = Object.entries(manifest.exports)
    .filter(([, target]) => typeof target !== 'string')
    .map(([path]) => `a2a-sdl${path.slice(1)}`);
  const consumer = sourceText('test/support/repository/consumer.ts');
  expect(entries.length).toBeGreaterThan(10);
  expect(entries.filter((entry) => !consumer.includes(`from '${entry}'`))).toEqual([]);
});
