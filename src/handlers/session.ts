// Owns `session.v1`: a peer opens a session for the key that signed its request. SPEC.md section 7 (#session).

import type { JsonObject } from '../codec/value.ts';
import type { Answer, ContentHandler, RequestContext } from '../content.ts';
import type { MaybePromise } from '../crypto/provider.ts';
import { parseLaxTimestamp, parseTimestamp } from '../envelope/timestamp.ts';
import { SdlError } from '../errors.ts';
import type { SwitchCheck } from '../security/policy/policy.ts';
import type { BindingDocument, SessionBook } from '../security/session.ts';

export interface SessionOptions {
  readonly book: SessionBook;
  /** The `binding_sig` over a binding: `signSessionBinding` with the agent's key. */
  readonly sign: (document: BindingDocument) => MaybePromise<string>;
  /** The policy's: peers with the switch `lax-dates` may name an expiry in the looser form. */
  readonly allows: SwitchCheck;
}

export function createSessionHandler({ book, sign, allows }: SessionOptions): ContentHandler {
  async function open(payload: SessionPayload, context: RequestContext): Promise<Answer> {
    const { profile, nonce, expires } = payload;
    const { id, document } = await book.open({
      agentId: context.peer.agentId,
      peerAgentId: context.agentId,
      keyThumbprint: keyOf(context),
      nonce,
      profile,
      expiresMs: momentOf(expires, allows(context.peer, 'lax-dates')),
    });
    return acknowledgement(payload, {
      accepted: true,
      expires: document.expires,
      binding_id: id,
      binding_alg: 'ed25519',
      binding_sig: await sign(document),
      message: 'the session is open',
    });
  }

  /** Registers nothing (W18): it tells whether a session is live for the key that asks. */
  async function confirm(payload: SessionPayload, context: RequestContext): Promise<Answer> {
    try {
      await book.check(payload.binding_id, context.peer.agentId, keyOf(context));
    } catch (thrown) {
      if (!(thrown instanceof SdlError) || thrown.code !== 'SESSION_INVALID') throw thrown;
      return acknowledgement(payload, { accepted: false, message: thrown.row.words });
    }
    return acknowledgement(payload, { accepted: true, message: 'the session is open' });
  }

  return {
    ct: 'session.v1',
    handle(value, context) {
      const payload = value as unknown as SessionPayload;
      return payload.op === 'open' ? open(payload, context) : confirm(payload, context);
    },
  };
}

/** What the schema of `session.v1` makes sure of. */
interface SessionPayload {
  readonly op: 'open' | 'ack';
  readonly profile: JsonObject;
  readonly nonce: string;
  readonly expires?: string;
  readonly binding_id?: string;
}

function acknowledgement({ profile, nonce }: SessionPayload, members: JsonObject): Answer {
  return { ct: 'session.v1', payload: { op: 'ack', profile, nonce, ...members } };
}

function keyOf({ keyThumbprint }: RequestContext): string {
  if (keyThumbprint !== undefined) return keyThumbprint;
  throw new SdlError('SESSION_INVALID', 'a session belongs to a key: the request must be signed');
}

function momentOf(expires: string | undefined, mayBeLax: boolean): number | undefined {
  if (expires === undefined) return undefined;
  const moment = parseTimestamp(expires) ?? (mayBeLax ? parseLaxTimestamp(expires) : undefined);
  if (moment !== undefined) return moment;
  throw new SdlError('PAYLOAD_INVALID', '/expires must be a UTC timestamp', {
    details: { path: '/expires' },
  });
}
