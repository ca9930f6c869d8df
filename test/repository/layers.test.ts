// Who may import whom. The folders are the architecture; this table keeps them so.

import { posix } from 'node:path';

import { describe, expect, test } from 'vitest';

import {
  importsOf,
  packageOf,
  sourceFiles,
  sourceText,
} from '../support/repository/module-graph.ts';

/** Under everything: who throws, counts and reads values. */
const BASE = ['src/errors', 'src/limits', 'src/codec', 'src/crypto'] as const;
const BELOW_TASKS = [...BASE, 'src/schema', 'src/envelope', 'src/stores', 'src/security'] as const;
const TASKS = ['src/tasks', 'src/tasks/engine', 'src/tasks/log'] as const;
const EVERYTHING_BELOW: readonly string[] = [
  ...BELOW_TASKS,
  ...TASKS,
  'src/state',
  'src/audit',
  'src/door',
  'src/outbox',
  'src/hooks',
  'src/handlers',
  'src/pipeline',
  'src/message',
  'src/client',
  'src/delegation',
  'src/content',
  'src/transport',
  'src/version',
];

/** What of `src` the keys and the command line may see. */
const DOORS = [
  'src/errors',
  'src/limits',
  'src/version',
  'src/codec',
  'src/schema',
  'src/envelope',
  'src/state',
  'src/security',
  'src/stores',
  'src/audit',
  'src/transport',
  'src/internal',
];

/** What a dialect may see: the kit for transports, the door, values as bytes, fetching, its own files. */
const FACE = [
  'src/transport',
  'src/door',
  'src/codec',
  'transports/http',
  'transports/fetch',
  'node:',
];

/** Room → rooms and packages that it may import. A room may always import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'src/errors': [],
  'src/limits': [],
  'src/version': [],
  'src/codec': ['src/errors', 'src/limits'],
  'src/crypto': [
    'src/errors',
    '@noble/hashes',
    '@noble/ed25519',
    '@noble/curves',
    '@noble/ciphers',
    'lru-cache',
  ],
  'src/schema': [...BASE, 'schemas', 'lru-cache', 're2js', 'ajv'],
  'src/envelope': [...BASE, 'src/schema'],
  'src/state': ['src/errors', 'src/limits', 'src/codec', 'src/schema', 'fast-json-patch'],
  'src/stores': ['src/errors', 'src/codec', 'lru-cache'],
  'src/security': [...BASE, 'src/schema', 'src/envelope', 'src/stores', 'lru-cache'],
  // Contracts: types that rooms on both sides of them agree on.
  'src/transport': [
    'src/errors',
    'src/limits',
    'src/codec',
    'src/crypto',
    'src/envelope',
    'src/security',
    'src/door',
  ],
  'src/content': [
    'src/codec',
    'src/crypto',
    'src/envelope',
    'src/schema',
    'src/security',
    'src/door',
  ],
  'src/audit': [...BASE, 'src/envelope', 'src/security', 'src/stores'],
  'src/tasks': [...BASE, 'src/envelope', 'src/stores'],
  'src/tasks/log': [...BASE, 'src/envelope', 'src/stores', 'src/tasks'],
  'src/tasks/engine': [...BASE, 'src/envelope', 'src/stores', 'src/tasks', 'src/tasks/log'],
  'src/door': [...BELOW_TASKS, ...TASKS, 'src/audit'],
  'src/outbox': [...BELOW_TASKS, ...TASKS, 'src/door'],
  'src/hooks': [...BELOW_TASKS, ...TASKS, 'src/door', 'src/outbox'],
  'src/handlers': [...BELOW_TASKS, ...TASKS, 'src/state', 'src/content', 'src/door', 'src/outbox'],
  'src/pipeline': [
    ...BELOW_TASKS,
    'src/audit',
    'src/content',
    'src/transport',
    'src/door',
    'src/handlers',
  ],
  'src/message': [...BELOW_TASKS, 'src/audit', 'src/pipeline', 'src/transport', 'src/version'],
  'src/client': [
    ...BELOW_TASKS,
    // The model: messages and artifacts read the same at both ends.
    'src/tasks',
    'src/state',
    'src/audit',
    'src/handlers',
    'src/pipeline',
    'src/message',
    'src/transport',
  ],
  'src/delegation': [
    ...BELOW_TASKS,
    ...TASKS,
    'src/door',
    'src/outbox',
    'src/handlers',
    'src/pipeline',
    'src/client',
    'src/transport',
  ],
  'src/runtime': EVERYTHING_BELOW,
  'src/index': [...EVERYTHING_BELOW, 'src/runtime'],
  'src/internal': [...EVERYTHING_BELOW, 'src/runtime'],
  transports: ['src/transport', 'src/security', 'node:', 'ws'],
  stores: ['src/stores', 'node:', '@photostructure/sqlite', 'pg', '@redis/client'],
  'profiles/auth': [...FACE, 'jose'],
  'profiles/a2a': [
    ...FACE,
    // Cards are signed in canonical forms and verified.
    'src/codec',
    'src/security',
    // The way to other agents is a dialect of the client.
    'src/client',
    // Messages are sealed and opened, in A2A that others carry.
    'src/message',
    'profiles/auth',
    'transports/net',
    '@grpc/grpc-js',
  ],
  'profiles/swp': [...FACE, 'transports/net'],
  'profiles/steerqa': [...FACE, 'src/codec', 'src/schema', 'schemas'],
  'profiles/assay': [...FACE, 'src/codec', 'src/version'],
  keys: [...DOORS, 'node:'],
  cli: [
    ...DOORS,
    'src/client',
    'keys',
    'stores',
    'transports',
    'profiles/auth',
    'profiles/a2a',
    'profiles/swp',
    'profiles/steerqa',
    'profiles/assay',
    'schemas',
    'node:',
  ],
};

/** Rooms outside `src` see only these files of it. */
const PUBLIC = new Set([
  'src/errors.ts',
  'src/limits.ts',
  'src/version.ts',
  'src/transport.ts',
  'src/door/index.ts',
  'src/internal.ts',
  // Narrower than the one before it: a command that only asks loads no agent.
  'src/client/index.ts',
  'src/message/index.ts',
  'src/codec/index.ts',
  'src/door/index.ts',
  // Alone, for what starts fast.
  'src/codec/json/write.ts',
  'src/schema/index.ts',
  'src/envelope/index.ts',
  'src/state/index.ts',
  'src/security/index.ts',
  'src/stores/index.ts',
  'src/audit/index.ts',
  'src/door/index.ts',
]);

/** Rooms inside a room, with a row of their own. */
const INNER_ROOMS = new Set(['src/tasks/engine', 'src/tasks/log']);

/** `src/codec/json/read.ts` belongs to `src/codec`, `src/errors.ts` to `src/errors`, `transports/x/y.ts` to `transports`. */
function roomOf(path: string): string {
  const parts = path.replace(/\.(ts|json)$/, '').split('/');
  const inner = parts.slice(0, 3).join('/');
  if (INNER_ROOMS.has(inner)) return inner;
  return parts[0] === 'src' || parts[0] === 'profiles' ? parts.slice(0, 2).join('/') : parts[0]!;
}

const files = sourceFiles('src', 'transports', 'stores', 'profiles', 'keys', 'cli');

function targetsOf(file: string): string[] {
  // A dialect may see some of the transports, and those have rooms of their own for it.
  const isProfile = file.startsWith('profiles/');
  return importsOf(file).map((target) => {
    if (isProfile && target.startsWith('transports/')) return posix.dirname(target);
    return /^(src|schemas|transports|stores|profiles|keys|cli)\//.test(target)
      ? roomOf(target)
      : packageOf(target);
  });
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

  test('only the pipeline says that an envelope has passed every check', () => {
    const makers = files.filter((file) =>
      /\bas (?:unknown as )?VerifiedRequest\b/.test(sourceText(file)),
    );
    expect(makers).toEqual(['src/pipeline/receive.ts']);
    const namers = files.filter((file) => /\bVerifiedRequest\b/.test(sourceText(file)));
    expect(namers.sort()).toEqual(['src/content.ts', 'src/pipeline/receive.ts']);
  });

  test('every file opens by saying what it owns', () => {
    const silent = files.filter((file) => !/^(#!.*\n)?\/\/ \S/.test(sourceText(file)));
    expect(silent).toEqual([]);
  });
});
