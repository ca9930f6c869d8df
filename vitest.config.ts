import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

import manifest from './package.json' with { type: 'json' };

/** Examples import the package by its name; here that is the source, so that no build is needed. */
const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string'
    ? []
    : [
        {
          find: new RegExp(`^a2a-sdl${path.slice(1)}$`),
          replacement: new URL(
            target.default.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts'),
            import.meta.url,
          ).pathname,
        },
      ],
);

export default defineConfig({
  resolve: { alias: entries },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most tests wait more than they work: two at once keep also two processors busy, where one is the default.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    reporters: ['default', './test/support/repository/totals-reporter.ts'],
  },
});
