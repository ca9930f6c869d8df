// Owns what is for who runs the agent: probes for everybody, metrics behind a token. SPEC.md section 11 (#transport-ready,
// #transport-admin).

import { createHash, timingSafeEqual } from 'node:crypto';
import type { ListenContext } from '../../../src/transport.ts';
import type { HttpCall } from '../face.ts';
import type { OwnFace } from '../host/faces.ts';
import { GET, PAGE_HEADERS, refuseWith } from './message-face.ts';
import { MEDIA_TYPE } from './request.ts';

const PROBES: readonly string[] = ['/healthz', '/readyz'];
const PATHS: ReadonlySet<string> = new Set([...PROBES, '/metrics']);

/** Without a token there are no metrics. */
export function createOperatorFace(context: ListenContext, adminToken?: string): OwnFace {
  async function handle(call: HttpCall): Promise<void> {
    if (call.path === '/metrics') return metrics(call);
    const isWell = call.path === '/healthz' || (await context.isReady());
    return call.answer(isWell ? 200 : 503, { 'content-type': MEDIA_TYPE.json }, `{"ok":${isWell}}`);
  }

  async function metrics(call: HttpCall): Promise<void> {
    if (adminToken === undefined) return call.answer(404);
    if (!isSameSecret(call.headers['authorization'] ?? '', `Bearer ${adminToken}`)) {
      return call.answer(401, { 'www-authenticate': 'Bearer' });
    }
    return call.answer(200, { 'content-type': 'text/plain; version=0.0.4' }, context.metrics());
  }

  return {
    name: 'http',
    maxBytes: context.limits.maxBytes,
    headers: PAGE_HEADERS,
    methods: () => GET,
    owns: (path) => PATHS.has(path),
    isForAnyHost: (path) => PROBES.includes(path),
    handle,
    refuse: refuseWith(context),
  };
}

/** Both are hashed first: the comparison needs equal lengths, and its time must not reveal the secret or its length. */
function isSameSecret(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(one!, other!);
}
