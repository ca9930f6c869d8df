// Who may import whom. The folders are the architecture; this table keeps them so.

import { describe, expect, test } from 'vitest';

import { importsOf, packageOf, sourceFiles, sourceText } from './support/module-graph.ts';

const EVERYTHING_BELOW: readonly string[] = [
  'src/errors',
  'src/limits',
  'src/codec',
  'src/crypto',
  'src/schema',
  'src/envelope',
  'src/state',
  'src/stores',
  'src/security',
  'src/audit',
  'src/tasks',
  'src/handlers',
  'src/pipeline',
  'src/client',
  'src/delegation',
  'src/content',
  'src/transport',
  'src/observe',
  'src/runtime-options',
  'src/runtime-services',
  'src/runtime-document',
  'src/runtime-ready',
  'src/version',
];

/** Room → rooms and packages that it may import. A room may always import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'src/errors': [],
  'src/limits': [],
  'src/codec': ['src/errors', 'src/limits'],
  'src/crypto': [
    'src/errors',
    '@noble/hashes',
    '@noble/ed25519',
    '@noble/curves',
    '@noble/ciphers',
    'lru-cache',
  ],
  'src/schema': [
    'src/errors',
    'src/limits',
    'src/codec',
    'src/crypto',
    'schemas',
    'lru-cache',
    're2js',
    'ajv',
  ],
  'src/envelope': ['src/errors', 'src/limits', 'src/codec', 'src/crypto', 'src/schema'],
  'src/state': ['src/errors', 'src/limits', 'src/codec', 'src/schema', 'fast-json-patch'],
  'src/stores': ['src/errors', 'src/codec', 'lru-cache'],
  'src/security': [
    'src/errors',
    'src/limits',
    'src/codec',
    'src/crypto',
    'src/schema',
    'src/envelope',
    'src/stores',
    'lru-cache',
  ],
  // Contracts: types that rooms on both sides of them agree on.
  'src/transport': ['src/errors', 'src/limits', 'src/envelope'],
  'src/content': ['src/codec', 'src/crypto', 'src/envelope', 'src/schema', 'src/security'],
  'src/version': [],
  'src/audit': [
    'src/errors',
    'src/codec',
    'src/crypto',
    'src/envelope',
    'src/security',
    'src/stores',
  ],
  'src/tasks': [
    'src/errors',
    'src/limits',
    'src/codec',
    'src/crypto',
    'src/envelope',
    'src/stores',
  ],
  'src/handlers': [
    'src/errors',
    'src/limits',
    'src/codec',
    'src/crypto',
    'src/schema',
    'src/envelope',
    'src/state',
    'src/stores',
    'src/security',
    'src/tasks',
    'src/content',
  ],
  'src/pipeline': [
    'src/errors',
    'src/limits',
    'src/codec',
    'src/crypto',
    'src/schema',
    'src/envelope',
    'src/stores',
    'src/security',
    'src/audit',
    'src/content',
    'src/transport',
  ],
  'src/client': [
    'src/errors',
    'src/limits',
    'src/codec',
    'src/crypto',
    'src/schema',
    'src/envelope',
    'src/state',
    'src/security',
    'src/audit',
    'src/handlers',
    'src/pipeline',
    'src/transport',
  ],
  'src/delegation': [
    'src/errors',
    'src/codec',
    'src/crypto',
    'src/envelope',
    'src/security',
    'src/tasks',
    'src/handlers',
    'src/pipeline',
    'src/client',
    'src/transport',
  ],
  'src/observe': ['src/pipeline', 'src/client'],
  'src/runtime': EVERYTHING_BELOW,
  'src/runtime-options': EVERYTHING_BELOW,
  'src/runtime-services': EVERYTHING_BELOW,
  'src/runtime-document': EVERYTHING_BELOW,
  'src/runtime-ready': ['src/stores'],
  'src/runtime-look': EVERYTHING_BELOW,
  'src/index': [...EVERYTHING_BELOW, 'src/runtime', 'src/runtime-look'],
  transports: ['src/index', 'src/security', 'node:', 'fastify', 'ws'],
  stores: ['src/stores', 'node:', 'better-sqlite3', 'pg', '@redis/client'],
  keys: ['src/index', 'src/security', 'node:'],
  cli: [
    'src/index',
    'src/security',
    'src/stores',
    'src/audit',
    'keys',
    'stores',
    'transports',
    'schemas',
    'node:',
  ],
};

/** Rooms outside `src` see only these files of it. */
const PUBLIC = new Set([
  'src/index.ts',
  'src/security/index.ts',
  'src/stores/index.ts',
  'src/audit/index.ts',
]);

/** `src/codec/value.ts` belongs to `src/codec`, `src/errors.ts` to `src/errors`, `transports/x.ts` to `transports`. */
function roomOf(path: string): string {
  const [top, second] = path.replace(/\.(ts|json)$/, '').split('/');
  return top === 'src' ? `${top}/${second}` : top!;
}

const files = sourceFiles('src', 'transports', 'stores', 'keys', 'cli');

function targetsOf(file: string): string[] {
  return importsOf(file).map((target) =>
    /^(src|schemas|transports|stores|keys|cli)\//.test(target) ? roomOf(target) : packageOf(target),
  );
}

describe('layers', () => {
  test('there are files to look at', () => expect(files.length).toBeGreaterThan(40));

  test.each(files)('%s imports only what its room may', (file) => {
    const room = roomOf(file);
    expect(MAY_IMPORT).toHaveProperty([room]);
    const allowed = new Set([room, ...MAY_IMPORT[room]!]);
    expect(targetsOf(file).filter((target) => !allowed.has(target))).toEqual([]);
  });

  test.each(files.filter((file) => !file.startsWith('src/')))(
    '%s sees only the public surface of src',
    (file) => {
      const inner = importsOf(file).filter((target) => target.startsWith('src/'));
      expect(inner.filter((target) => !PUBLIC.has(target))).toEqual([]);
    },
  );

  test('every file opens by saying what it owns', () => {
    const silent = files.filter((file) => !/^(#!.*\n)?\/\/ \S/.test(sourceText(file)));
    expect(silent).toEqual([]);
  });
});
