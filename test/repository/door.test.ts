// The one way to tasks: nothing but the door and who composes it sees the engine, and a dialect needs no internals.

import { describe, expect, test } from 'vitest';

import { importsOf, sourceFiles, sourceText } from '../support/repository/module-graph.ts';

const MAY_SEE_THE_ENGINE = ['src/door', 'src/runtime', 'src/tasks'];
/** How to wait, and how to ask a store again, is no way to a task. */
const NO_WAY = new Set(['src/tasks/engine/timer.ts', 'src/tasks/engine/store-retry.ts']);

describe('the engine', () => {
  const files = sourceFiles('src', 'transports', 'stores', 'profiles', 'keys', 'cli', 'examples');

  test('is seen by the door, by the runtime that composes it, and by itself', () => {
    const others = files
      .filter((file) => !MAY_SEE_THE_ENGINE.some((room) => file.startsWith(`${room}/`)))
      .filter((file) =>
        importsOf(file).some(
          (target) => target.startsWith('src/tasks/engine/') && !NO_WAY.has(target),
        ),
      );
    expect(others).toEqual([]);
  });
});

describe('the plain-JSON face of the tests', () => {
  const OWN = 'test/support/plain-face';
  const EXPORTED = ['src/door/index.ts', 'src/transport.ts', 'transports/http/index.ts'];
  const files = sourceFiles(OWN);

  test('is written only against what the package exports', () => {
    const used = files.flatMap(importsOf).filter((target) => !target.startsWith(`${OWN}/`));
    expect(
      used.filter((target) => !target.startsWith('node:') && !EXPORTED.includes(target)),
    ).toEqual([]);
    expect(new Set(used)).toEqual(new Set([...EXPORTED, 'node:crypto']));
  });

  test('has at most 200 lines', () => {
    const lines = files.reduce((sum, file) => sum + sourceText(file).split('\n').length - 1, 0);
    expect(lines).toBeLessThanOrEqual(200);
  });
});
