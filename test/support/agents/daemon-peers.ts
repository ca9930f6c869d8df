// Owns who speaks to a daemon in tests: the operator of its home, as a real client and with messages made by hand.

import { ensureHome } from '../../../cli/home/init.ts';
import type { ReadyHome } from '../../../cli/home/init.ts';
import { homeAt } from '../../../cli/home/home.ts';
import { encodeBase64url } from '../../../src/codec/base64url.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { Content } from '../../../src/envelope/build.ts';
import { createEnvelopeBuilder } from '../../../src/envelope/build.ts';
import { formatTimestamp } from '../../../src/envelope/timestamp.ts';
import type { SealedEnvelope } from '../../../src/pipeline/seal-envelope.ts';
import { sealEnvelope } from '../../../src/pipeline/seal-envelope.ts';
import { bundleKeys } from '../../../src/security/identity/key-bundle.ts';
import type { Runtime } from '../../../src/runtime/runtime.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import type { Dialer } from '../../../src/transport.ts';
import { http } from '../../../transports/http/index.ts';
import { ipc } from '../../../transports/ipc/index.ts';
import { ws } from '../../../transports/ws/index.ts';
import { crypto } from './agents.ts';
import { registry } from '../wire/envelopes.ts';
import { identityOf } from '../wire/forge.ts';

/** Makes the home where there is none. */
export function openHome(path: string): Promise<ReadyHome> {
  return ensureHome(homeAt(path), { crypto });
}

const clients: Runtime[] = [];

/** For `afterAll`. */
export async function closeClients(): Promise<void> {
  await Promise.all(clients.splice(0).map((runtime) => runtime.close({ graceMs: 0 })));
}

/** The operator as a client. It remembers nothing of an earlier one. */
export function operatorClient(home: ReadyHome, transports: readonly Dialer[] = []): Runtime {
  const runtime = createRuntime({
    identity: home.identities.operator,
    peers: home.books.operator,
    audit: false,
    transports: [...transports, http(), ws(), ipc()],
  });
  clients.push(runtime);
  return runtime;
}

export const PING: Content = {
  ct: 'toolcall.v1',
  payload: { tool: 'sys.ping', call_id: 'c', args: {}, expect: {} },
};

export interface HandMade {
  readonly content?: Content;
  readonly nonce?: string;
  /** When its sender thinks it is. @default now */
  readonly nowMs?: number;
  /** How long it is good for. @default 60000 */
  readonly lifetimeMs?: number;
  /** @default false: signed only */
  readonly isEncrypted?: boolean;
  /** Whether it asks for events. @default false */
  readonly wantsStream?: boolean;
}

/** A signed request of the operator to the daemon. */
export function operatorMessage(home: ReadyHome, parts: HandMade = {}): Promise<SealedEnvelope> {
  const { content = PING, nonce = encodeBase64url(crypto.randomBytes(18)) } = parts;
  const { lifetimeMs = 60_000, isEncrypted = false, wantsStream = false } = parts;
  const nowMs = parts.nowMs ?? Date.now();
  const { agent, operator } = home.identities;
  const x = ['re', 'bind', 'canon', ...(wantsStream ? ['stream'] : [])];
  const cap: JsonObject = { a2a_sdl: { v: 1, x } };
  const builder = createEnvelopeBuilder({
    identity: identityOf(operator),
    cap,
    schemaFor: (ct) => registry.descriptorFor(ct),
    now: () => nowMs,
  });
  return sealEnvelope(
    builder.request(identityOf(agent), content),
    {
      encoding: 'json',
      identity: operator,
      nowMs: Date.now(),
      form: 'jcs',
      replay: { nonce, exp: formatTimestamp(nowMs + lifetimeMs) },
      ...(isEncrypted && { recipients: bundleKeys(agent.bundle, 'enc', nowMs).slice(0, 1) }),
    },
    { crypto, registry },
  );
}
