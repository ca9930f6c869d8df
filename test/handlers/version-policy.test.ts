// Versions of peers and of content types: what is accepted, until when, and what to send instead.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import {
  chooseContentType,
  parseContentType,
} from '../../src/handlers/negotiation/content-version.ts';
import {
  comparePackageVersions,
  parsePackageVersion,
} from '../../src/handlers/negotiation/package-version.ts';
import type { VersionPolicyOptions } from '../../src/handlers/negotiation/version-policy.ts';
import { createVersionPolicy } from '../../src/handlers/negotiation/version-policy.ts';
import { codeOf, errorOf, parse } from '../support/wire/bytes.ts';

const peer = (version: unknown, name = 'a2a-sdl'): JsonObject =>
  ({ a2a_sdl: { v: 1, impl: { name, version } } }) as JsonObject;

function codeFor(options: VersionPolicyOptions, cap: JsonObject, ct = 'task.v1'): string {
  return codeOf(() => createVersionPolicy(options).check({ cap, ct })) ?? 'accepted';
}

describe('#cap-impl the version of a peer', () => {
  const range = { minPeerVersion: '0.2.0', maxPeerVersion: '1.0.0' };

  test.each([
    ['0.2.0', 'accepted'],
    ['1.0.0', 'accepted'],
    ['0.10.0', 'accepted'],
    ['1.0.0-rc.1', 'accepted'],
    ['0.1.9', 'VERSION_UNSUPPORTED'],
    ['0.2.0-rc.1', 'VERSION_UNSUPPORTED'],
    ['1.0.1', 'VERSION_UNSUPPORTED'],
    ['01.0.0', 'VERSION_UNSUPPORTED'],
    ['one', 'VERSION_UNSUPPORTED'],
    [1, 'VERSION_UNSUPPORTED'],
    [undefined, 'VERSION_UNSUPPORTED'],
  ])('%s is %s between 0.2.0 and 1.0.0', (version, verdict) => {
    expect(codeFor(range, peer(version))).toBe(verdict);
  });

  test('is judged only of the same program, and only if it is announced', () => {
    expect(codeFor(range, peer('0.0.1', 'other'))).toBe('accepted');
    expect(codeFor(range, { a2a_sdl: { v: 1 } })).toBe('accepted');
    expect(codeFor(range, {})).toBe('accepted');
    expect(codeFor({ ...range, peerName: 'other' }, peer('0.0.1', 'other'))).toBe(
      'VERSION_UNSUPPORTED',
    );
    expect(codeFor({}, peer('nonsense'))).toBe('accepted');
  });

  test('of the protocol must be 1 where it is announced', () => {
    expect(codeFor({}, { a2a_sdl: { v: 1 } })).toBe('accepted');
    expect(codeFor({}, { a2a_sdl: { v: 2 } })).toBe('VERSION_UNSUPPORTED');
    expect(codeFor({}, parse('{"a2a_sdl":{"v":1.0}}') as JsonObject)).toBe('VERSION_UNSUPPORTED');
  });

  test('that is refused is told the bound', () => {
    const { check } = createVersionPolicy(range);
    const error = errorOf(() => check({ cap: peer('0.0.1'), ct: 'task.v1' }));
    expect(error!.details).toEqual({ min_version: '0.2.0' });
  });
});

describe('#ct-unknown the version of a content type', () => {
  const deprecated = {
    version: 1,
    after: '2026-01-01T00:00:00Z',
    sunset: '2026-06-01T00:00:00Z',
  };
  const check = (ct: string, now: string): unknown =>
    createVersionPolicy({
      contentTypes: { weather: { min: 1, max: 3, deprecated } },
      now: () => Date.parse(now),
    }).check({ cap: {}, ct });

  test('is accepted within its range', () => {
    expect(check('weather.v2', '2030-01-01T00:00:00Z')).toEqual([]);
    expect(check('weather.v3', '2030-01-01T00:00:00Z')).toEqual([]);
    expect(check('weather', '2030-01-01T00:00:00Z')).toEqual([]);
    expect(check('other.v9', '2030-01-01T00:00:00Z')).toEqual([]);
  });

  test.each(['weather.v0', 'weather.v4'])('%s is refused', (ct) => {
    const error = errorOf(() => check(ct, '2025-01-01T00:00:00Z'));
    expect([error!.code, error!.details]).toEqual(['CT_UNSUPPORTED', { min: 1, max: 3 }]);
  });

  test('gives a warning once it is deprecated, and an error after its time', () => {
    expect(check('weather.v1', '2025-12-31T23:59:59Z')).toEqual([]);
    expect(check('weather.v1', '2026-01-01T00:00:00Z')).toEqual([
      { ct: 'weather.v1', sunset: deprecated.sunset },
    ]);
    const late = errorOf(() => check('weather.v1', '2026-06-01T00:00:00Z'));
    expect([late!.code, late!.details]).toEqual(['CT_UNSUPPORTED', { sunset: deprecated.sunset }]);
  });

  test('is described for peers as long as it is accepted', () => {
    const describeAt = (now: string): unknown =>
      createVersionPolicy({
        contentTypes: { weather: { max: 2, deprecated } },
        now: () => Date.parse(now),
      }).describe(['weather.v1', 'weather.v2', 'weather.v3', 'task.v1', 'bare', '__proto__.v7']);
    expect(describeAt('2026-02-01T00:00:00Z')).toEqual(
      parse(
        `{"weather":{"min":1,"max":2,"deprecated":${JSON.stringify(deprecated)}},
          "task":{"min":1,"max":1},"__proto__":{"min":7,"max":7}}`,
      ),
    );
    expect(describeAt('2026-07-01T00:00:00Z')).toMatchObject({ weather: { min: 2, max: 2 } });
  });
});

describe('#ct-unknown the content type to send', () => {
  test.each([
    ['task.v1', ['task.v1', 'task.v2'], 'task.v1'],
    ['task.v3', ['task.v1', 'task.v2', 'task.v4'], 'task.v2'],
    ['task.v3', ['task.v10', 'task.v03'], undefined],
    ['task.v3', ['tool.v1', 'negotiation.v1'], undefined],
    ['task.v0', ['task.v1'], undefined],
    ['bare', ['bare.v1'], undefined],
    ['bare', ['bare'], 'bare'],
    ['a.b.v2', ['b.v1', 'a.b.v1'], 'a.b.v1'],
  ])('for %s among %j is %s', (wanted, supported, chosen) => {
    expect(chooseContentType(wanted, supported)).toBe(chosen);
  });

  test('is never of another family or newer than asked for', () => {
    const contentType = fc
      .tuple(fc.constantFrom('a', 'b', 'a.v1'), fc.nat(9))
      .map(([family, version]) => `${family}.v${version}`);
    fc.assert(
      fc.property(contentType, fc.array(contentType), (wanted, supported) => {
        const chosen = chooseContentType(wanted, supported);
        if (chosen === undefined) return;
        expect(supported).toContain(chosen);
        const [asked, got] = [parseContentType(wanted)!, parseContentType(chosen)!];
        expect(got.family).toBe(asked.family);
        expect(got.version).toBeLessThanOrEqual(asked.version);
      }),
    );
  });
});

describe('#cap-x versions of a package', () => {
  test('are in order', () => {
    const inOrder = [
      '0.9.10',
      '1.0.0-1',
      '1.0.0-2',
      '1.0.0-10',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0',
      '1.0.1',
      '1.10.0',
    ].map((text) => parsePackageVersion(text)!);
    for (const [at, version] of inOrder.entries()) {
      for (const [other, rival] of inOrder.entries()) {
        const order = Math.sign(comparePackageVersions(version, rival));
        expect(order).toBe(Math.sign(at - other));
      }
    }
    expect(comparePackageVersions(inOrder[0]!, parsePackageVersion('0.9.10+build.7')!)).toBe(0);
  });

  test.each(['', '1', '1.2', '1.2.3.4', 'v1.2.3', '1.2.3-', '1.2.3 ', '1.02.3'])(
    'are not such as "%s"',
    (text) => expect(parsePackageVersion(text)).toBeUndefined(),
  );
});

describe('#cap-x the options of a version policy', () => {
  const deprecated = { version: 1, after: '2026-01-02T00:00:00Z', sunset: '2026-01-01T00:00:00Z' };

  test.each<[string, VersionPolicyOptions]>([
    ['minPeerVersion', { minPeerVersion: 'one' }],
    ['maxPeerVersion', { maxPeerVersion: '1' }],
    ['minPeerVersion', { minPeerVersion: '2.0.0', maxPeerVersion: '1.0.0' }],
    ['contentTypes.a.min', { contentTypes: { a: { min: -1 } } }],
    ['contentTypes.a.max', { contentTypes: { a: { min: 2, max: 1 } } }],
    ['contentTypes.a.deprecated', { contentTypes: { a: { deprecated } } }],
  ])('name "%s" when it is wrong', (option, options) => {
    expect(() => createVersionPolicy(options)).toThrow(`"${option}`);
  });
});
