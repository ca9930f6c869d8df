// Proves what of a URL is refused before anything is looked up: every spelling of an address that is not public.

import { describe, expect, test } from 'vitest';

import { TransportError } from '../../../src/transport.ts';
import { createUrlGuard } from '../../../transports/fetch/index.ts';
import { LOOPBACK_URLS, PRIVATE_URLS, PUBLIC_URLS } from '../../support/wire/url-corpus.ts';

const web = { allowHttp: true, ports: 'web' } as const;

function faultOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(TransportError);
    return (thrown as TransportError).fault;
  }
}

describe('#guarded-fetch a URL before it is looked up', () => {
  const guard = createUrlGuard(web);
  const withLoopback = createUrlGuard({ ...web, allowLoopback: true });

  test.each([...PRIVATE_URLS, ...LOOPBACK_URLS])('%s is refused', (url) => {
    expect(faultOf(() => guard(url))).toBe('forbidden');
  });

  test.each(PRIVATE_URLS)('%s is refused even where this machine is allowed', (url) => {
    expect(faultOf(() => withLoopback(url))).toBe('forbidden');
  });

  test.each(LOOPBACK_URLS)('%s is taken where this machine is allowed', (url) => {
    expect(faultOf(() => withLoopback(url))).toBeUndefined();
  });

  test.each(PUBLIC_URLS)('%s is taken', (url) => {
    expect(faultOf(() => guard(url))).toBeUndefined();
  });

  test('it says where the URL leads, whatever its path', () => {
    expect(guard('https://Example.com/a?b=1')).toBe('example.com 443');
    expect(guard('http://8.8.8.8:8080/')).toBe('8.8.8.8 8080');
    expect(guard('https://134744072/')).toBe('8.8.8.8 443');
  });

  test('ports on which something else than HTTP listens are refused, and plain HTTP unless it is allowed', () => {
    for (const port of [1, 22, 25, 110, 143, 465, 587, 993]) {
      expect(faultOf(() => guard(`https://example.com:${port}/`))).toBe('forbidden');
    }
    for (const port of [80, 443, 1_024, 8_443, 65_535]) {
      expect(faultOf(() => guard(`https://example.com:${port}/`))).toBeUndefined();
    }
    expect(faultOf(() => createUrlGuard()('http://example.com/'))).toBe('forbidden');
  });

  test('names of a network that was allowed are taken', () => {
    const inside = createUrlGuard({ allowRanges: ['10.0.0.0/8'] });
    expect(faultOf(() => inside('https://hooks.internal/'))).toBeUndefined();
    expect(faultOf(() => inside('https://10.1.2.3/'))).toBeUndefined();
    expect(faultOf(() => inside('https://localhost/'))).toBe('forbidden');
    expect(faultOf(() => inside('https://192.168.0.1/'))).toBe('forbidden');
  });
});
