// Owns a small dialect for tests of the HTTP host: plain text under one path, refusals as "CODE STATUS" in its own type.
// It uses only what the package exports.

import type { Transport } from '../../../src/transport.ts';
import type { HttpCall, HttpFace } from '../../../transports/http/index.ts';
import { httpHostOf } from '../../../transports/http/index.ts';

export const SMALL_TYPE = 'text/x-small';

/** Owns `/<name>` and everything below it. @param more what differs */
export function small(
  name: string,
  handle: (call: HttpCall) => Promise<void>,
  more: Partial<HttpFace> = {},
): Transport {
  const face: HttpFace = {
    name,
    maxBytes: 1_024,
    headers: ['authorization', `x-${name}`],
    owns: (path) => path === `/${name}` || path.startsWith(`/${name}/`),
    handle,
    refuse: (call, { code }, status) =>
      call.answer(status, { 'content-type': SMALL_TYPE }, `${code} ${status}`),
    ...more,
  };
  return {
    name,
    listen: async (_context, earlier) => {
      const host = httpHostOf(earlier, name);
      const served = host.serve(face);
      return {
        name,
        isFace: true,
        urls: [host.urlOf(`/${name}`)],
        close: (graceMs) => served.close(graceMs),
      };
    },
  };
}

/** Answers with how many bytes came. */
export const counts = async (call: HttpCall): Promise<void> => {
  const { length } = await call.body();
  await call.answer(200, { 'content-type': SMALL_TYPE }, `${length} bytes`);
};
