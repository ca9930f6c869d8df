// An audit log to test with: keys, a clock that stands still, and exchanges to record.

import type {
  AuditLog,
  NodeKeys,
  ReceiptContent,
  ReceivedEntry,
} from '../../../src/audit/index.ts';
import { auditHash, createAuditLog, payloadHash } from '../../../src/audit/index.ts';
import type { CryptoProvider } from '../../../src/crypto/provider.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import type { Store } from '../../../src/stores/store.ts';
import { utf8 } from '../wire/bytes.ts';

export const crypto: CryptoProvider = chooseProvider();
export const NODE = 'did:key:node';
const SECRET: Uint8Array = new Uint8Array(32).fill(5);
export const keys: NodeKeys = {
  node: NODE,
  publicKeys: new Map([['k1', crypto.ed25519PublicKey(SECRET)]]),
};
export const NOW: number = Date.UTC(2026, 0, 1);

export function openLog(store: Store, now: () => number = () => NOW): Promise<AuditLog> {
  const signer = (): { kid: string; secretKey: Uint8Array } => ({ kid: 'k1', secretKey: SECRET });
  return createAuditLog({ store, node: NODE, crypto, signer, now });
}

export function requestHash(id: string): string {
  return auditHash(utf8(`signing input of ${id}`), crypto.sha256);
}

export function requestEntry(id: string): ReceivedEntry {
  return {
    kind: 'request',
    id,
    from: 'did:key:alice',
    ct: 'task.v1',
    mode: 'sig',
    req: requestHash(id),
    kid: 'alice-1',
    transport: 'memory',
  };
}

/** Records a request and its reply. */
export async function exchange(log: AuditLog, id: string): Promise<ReceiptContent> {
  const of = await log.record(requestEntry(id));
  const req = requestHash(id);
  const res = payloadHash({ answer: id }, crypto.sha256);
  const verdict = 'ok';
  const seq = await log.record({ kind: 'reply', id: `${id}-reply`, re: id, req, res, verdict, of });
  return { req, res, verdict, seq };
}

/** The store, and how often each of its methods was called. */
export function counting(store: Store): { store: Store; calls: Map<string, number> } {
  const calls = new Map<string, number>();
  const counted = new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name, target) as unknown;
      if (typeof method !== 'function') return method;
      return (...given: unknown[]): unknown => {
        calls.set(String(name), (calls.get(String(name)) ?? 0) + 1);
        return Reflect.apply(method, target, given);
      };
    },
  });
  return { store: counted, calls };
}
