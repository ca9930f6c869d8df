// Proves that importing a transport loads little: what it works with comes when it is used.

import { describe, expect, test } from 'vitest';
import { closureOf, loadedBy, packageOf } from '../support/repository/module-graph.ts';

/** What the core brings along. */
const CORE = ['@noble/hashes', '@noble/ed25519', '@noble/ciphers', '@noble/curves', 'lru-cache'];

describe('importing a transport', () => {
  test.each(['http', 'ws', 'ipc'])('%s loads its options and nothing of the core', (name) => {
    const files = [...loadedBy(`transports/${name}/index.ts`)];
    expect(files.filter((file) => !file.startsWith('transports/'))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(8);
  });

  test.each([
    ['http', []],
    ['ws', ['ws']],
    ['ipc', []],
  ])('%s needs no package but %j, even when it is used', (name, packages) => {
    const { specifiers } = closureOf(`transports/${name}/index.ts`);
    const needed = [...specifiers].map((specifier) => packageOf(specifier));
    const ours = new Set(['node:', ...CORE]);
    expect([...new Set(needed)].filter((each) => !ours.has(each))).toEqual(packages);
  });
});
