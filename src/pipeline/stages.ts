// Owns the checks of a message, one function each, in the one order in which they run. SPEC.md section 13 (#checks).
// The names are those that an operator sees when a message is inspected.

import { decodeBase64url, encodeBase64url } from '../codec/base64url.ts';
import type { JsonObject } from '../codec/value.ts';
import { equalBytes } from '../crypto/bytes.ts';
import type { MaybePromise } from '../crypto/provider.ts';
import { malformed } from '../envelope/fields.ts';
import { checkShape } from '../envelope/shape.ts';
import type { Envelope } from '../envelope/types.ts';
import { SdlError } from '../errors.ts';
import { checkBind } from '../security/message/bind.ts';
import { checkCertificate } from '../security/peers/certificate.ts';
import { checkFreshness } from '../security/message/freshness.ts';
import { isSigned, modeOf } from '../security/message/mode.ts';
import { decryptionKeyOf } from '../security/identity/own-identity.ts';
import { resolveSender } from '../security/peers/resolve-sender.ts';
import { decryptPayload } from '../security/message/encrypt-payload.ts';
import { verifyEnvelope } from '../security/message/sign.ts';
import { thumbprint } from '../security/identity/thumbprint.ts';
import { knownSeq, lastingAdditions } from './announced.ts';
import { authorizeSender } from './authorize-sender.ts';
import type { Passage } from './passage.ts';

export type StageName =
  | 'admit'
  | 'decode'
  | 'shape'
  | 'version'
  | 'address'
  | 'policy'
  | 'verify'
  | 'freshness'
  | 'replay'
  | 'contact'
  | 'session'
  | 'decrypt'
  | 'bind'
  | 'schema'
  | 'sender_schema'
  | 'authorize'
  | 'audit'
  | 'route';

export interface Stage {
  readonly name: StageName;
  /** Throws an SdlError where the check does not hold. */
  readonly run: (passage: Passage) => MaybePromise<void>;
}

/** Everything that comes before the handler; `route` is the handler itself. */
export const STAGES: readonly Stage[] = [
  { name: 'admit', run: admit },
  { name: 'decode', run: decode },
  { name: 'shape', run: shape },
  { name: 'version', run: version },
  { name: 'address', run: address },
  { name: 'policy', run: policy },
  { name: 'verify', run: verify },
  { name: 'freshness', run: freshness },
  { name: 'replay', run: replay },
  { name: 'contact', run: contact },
  { name: 'session', run: session },
  { name: 'decrypt', run: decrypt },
  { name: 'bind', run: bind },
  { name: 'schema', run: schema },
  { name: 'sender_schema', run: senderSchema },
  { name: 'authorize', run: authorizeSender },
  { name: 'audit', run: audit },
];

function admit(passage: Passage): void {
  // What another dialect carries has the room of the call that brought it.
  if (passage.answers !== undefined || passage.ticket !== undefined) return;
  passage.ticket = passage.services.admission.admit(passage.peer.address);
}

function decode(passage: Passage): void {
  passage.decode();
}

function shape(passage: Passage): void {
  const { services, snapshot, answers } = passage;
  const { registry, handledTypes } = services;
  try {
    passage.envelope = checkShape(passage.value!, {
      contentTypes: answers === undefined ? handledTypes : registry.contentTypes,
      limits: services.limits,
      // The name is only claimed here; `freshness` asks again, of the sender that was found.
      laxDates: (agentId) => {
        const peer = snapshot.peers.find(agentId);
        return peer !== undefined && snapshot.policy.allows(peer, 'lax-dates');
      },
    });
  } catch (thrown) {
    if (!(thrown instanceof SdlError && thrown.code === 'VERSION_UNSUPPORTED')) throw thrown;
    passage.versionFault = thrown;
  }
}

function version(passage: Passage): void {
  if (passage.versionFault !== undefined) throw passage.versionFault;
  passage.services.checkVersion(passage.envelope);
}

function address(passage: Passage): void {
  const { envelope, answers, snapshot } = passage;
  // An error about what could not be read is addressed to nobody.
  const isToNobody = envelope.to.agent_id === 'unknown' && envelope.ct === 'error.v1';
  if (answers === undefined || !isToNobody) snapshot.policy.checkAddress(envelope);
  if (answers === undefined) {
    if (envelope.type !== 'res') return;
    throw new SdlError('ADDRESS_WRONG', 'it answers no request of ours');
  }
  if (envelope.type === 'req')
    throw new SdlError('ADDRESS_WRONG', 'it is a request, not an answer');
  if (envelope.from.agent_id !== answers.agentId) {
    throw new SdlError(
      'ADDRESS_WRONG',
      'the answer is from another agent than the one that was asked',
    );
  }
  if (envelope.re !== undefined && envelope.re !== answers.id) {
    throw new SdlError('ADDRESS_WRONG', 'the answer is to another request');
  }
}

async function policy(passage: Passage): Promise<void> {
  const { envelope, services, snapshot, answers } = passage;
  const agentId = envelope.from.agent_id;
  const sender = await resolveSender(envelope, {
    peers: snapshot.peers,
    nowMs: snapshot.nowMs,
    open: snapshot.policy.open,
    strangerContentTypes: snapshot.policy.strangerContentTypes,
    allows: snapshot.policy.allows,
    crypto: services.crypto,
    skewMs: snapshot.policy.skewMs,
    isReply: answers !== undefined,
    knownBundle: async (id) => (await services.contacts.get(id))?.bundle,
  });
  passage.sender = sender;
  passage.contact = await services.contacts.get(agentId);
  const mode = modeOf(envelope);
  const latched = await services.latch.get(agentId);
  if (answers !== undefined) {
    // The words of an error are fixed, and who could not read the request could not encrypt the answer to it.
    if (envelope.ct === 'error.v1' && isSigned(mode)) return;
    snapshot.policy.checkReplyStrength(answers.mode, mode, sender.peer, latched);
    return;
  }
  checkCertificate(sender.peer, passage.peer.certificate, snapshot.peers);
  snapshot.policy.checkMode(envelope, sender.peer, latched);
  if (envelope.type !== 'req') return;
  passage.replyRequirement = snapshot.policy.replyRequirement(mode, sender.peer, snapshot.nowMs);
}

async function verify(passage: Passage): Promise<void> {
  const { sender, services, bytes, encoding } = passage;
  if (sender.key === undefined) {
    passage.inputHash = services.crypto.sha256(bytes);
    return;
  }
  const remembered = passage.contact?.form ?? sender.peer.canon;
  const verified = await verifyEnvelope(passage.value as JsonObject, {
    publicKey: sender.key.key,
    crypto: services.crypto,
    ...(encoding === 'json' && { jsonText: bytes }),
    ...(remembered !== undefined && { remembered }),
  });
  passage.isProven = true;
  passage.value = verified.envelope;
  passage.envelope = verified.envelope as unknown as Envelope;
  // A peer that signs the very text that it sends writes Python-JSON.
  passage.form = verified.form === 'text' ? 'python' : verified.form;
  passage.inputHash = services.crypto.sha256(verified.input);
}

function freshness(passage: Passage): void {
  // An answer is tied to a request that is open: that is its window, and a stored one may be old.
  if (passage.answers !== undefined) return;
  const { envelope, sender, snapshot } = passage;
  const { allows, skewMs, maxWindowMs } = snapshot.policy;
  const { tsMs, expMs } = checkFreshness({
    ts: envelope.ts,
    exp: envelope.sec?.replay?.exp,
    nowMs: snapshot.nowMs,
    skewMs,
    maxWindowMs,
    laxDates: allows(sender.peer, 'lax-dates'),
    longExp: allows(sender.peer, 'long-exp'),
  });
  passage.tsMs = tsMs;
  passage.expMs = expMs;
}

async function replay(passage: Passage): Promise<void> {
  if (passage.answers !== undefined) checkAnswersRequest(passage);
  else if (passage.sender.key !== undefined) await judgeNonce(passage);
}

/** Only after `replay`: an old message that is played again must not teach anything. */
async function contact(passage: Passage): Promise<void> {
  const { envelope, sender, services, answers } = passage;
  const isNamed = answers === undefined && sender.key !== undefined;
  if (isNamed) await passage.ticket?.claim(envelope.from.agent_id);
  if (!passage.isProven || passage.isUnbound || passage.replayVerdict?.kind === 'retry') return;
  await services.latch.raise(sender, envelope);
  const { newBundle, isStranger } = sender;
  const knows = knownSeq(envelope);
  await services.contacts.learn(
    envelope.from.agent_id,
    {
      additions: lastingAdditions(envelope),
      ...(passage.form !== undefined && { form: passage.form }),
      ...(newBundle !== undefined && { bundle: newBundle }),
      ...(knows !== undefined && { knowsSeq: knows }),
    },
    { isStranger },
  );
}

async function judgeNonce(passage: Passage): Promise<void> {
  const { envelope, sender, services, snapshot, tsMs, expMs } = passage;
  const nonce = envelope.sec?.replay?.nonce;
  if (nonce === undefined || expMs === undefined) {
    if (snapshot.policy.allows(sender.peer, 'no-replay')) return;
    throw malformed('/sec/replay', 'is missing in a signed message');
  }
  passage.replayVerdict = await services.replay.judge({
    agentId: envelope.from.agent_id,
    keyThumbprint: thumbprint('ed25519', sender.key!.key),
    nonce,
    tsMs: tsMs!,
    expMs,
    inputHash: passage.inputHash!,
  });
}

function checkAnswersRequest(passage: Passage): void {
  const { envelope, sender, answers, snapshot } = passage;
  const { re, trace, ct, sec } = envelope;
  const mayBeLoose = snapshot.policy.allows(sender.peer, 'unsigned-replies');
  if (re === undefined && !(mayBeLoose && trace?.parent_span_id === answers!.spanId)) {
    // What could not be read at all is refused without an id. Anybody may play such an error again.
    if (ct !== 'error.v1') {
      throw new SdlError('ADDRESS_WRONG', 'the answer does not say which request it answers');
    }
    passage.isUnbound = true;
  }
  const { inputHash } = answers!;
  const claimed = sec?.x?.['req'];
  if (inputHash === undefined) return;
  if (claimed === undefined) {
    // Who could not verify a request cannot know what was signed; the id in `re` is under its signature.
    if (ct === 'error.v1' || (mayBeLoose && sender.key === undefined)) return;
    throw new SdlError('BINDING_INVALID', 'the answer is not bound to the request');
  }
  const hash = typeof claimed === 'string' ? decodeBase64url(claimed) : undefined;
  if (hash === undefined || !equalBytes(hash, inputHash)) {
    throw new SdlError('BINDING_INVALID', 'the answer is bound to another request');
  }
  passage.isBoundByHash = true;
}

async function session({ envelope, sender, services, answers }: Passage): Promise<void> {
  const named = envelope.sec?.session;
  if (named === undefined || answers !== undefined) return;
  const holder = sender.key === undefined ? '' : thumbprint('ed25519', sender.key.key);
  await services.sessions.check(named['binding_id'], envelope.from.agent_id, holder);
}

function decrypt(passage: Passage): void {
  const { envelope, services, snapshot } = passage;
  const enc = envelope.sec?.enc;
  if (enc === undefined) return;
  const { identity } = snapshot;
  const secretKeyOf = (kid: string): Uint8Array | undefined =>
    decryptionKeyOf(identity, kid)?.key.reveal();
  const opened = decryptPayload(enc, secretKeyOf, services.crypto);
  passage.contentKey = opened.contentKey;
  // Read only once the binding holds: an error in reading a plaintext tells of it, and it may be somebody else's.
  passage.plaintext = opened.plaintext;
}

function bind({ envelope, sender, services, snapshot, contentKey }: Passage): void {
  if (contentKey === undefined) return;
  const isBound = envelope.sec?.x?.['bind'] !== undefined;
  if (!isBound && snapshot.policy.allows(sender.peer, 'unbound-enc')) return;
  checkBind(envelope, contentKey, services.crypto);
}

function schema({ envelope, payload, services }: Passage): void {
  services.registry.checkOwn({ ct: envelope.ct, payload, descriptor: envelope.schema });
}

function senderSchema({ envelope, payload, services, isProven }: Passage): void {
  // Of a sender that proved nothing no schema is run.
  if (!isProven) return;
  services.registry.checkSenders({ ct: envelope.ct, payload, descriptor: envelope.schema });
}

async function audit(passage: Passage): Promise<void> {
  const { envelope, services, peer, answers } = passage;
  if (services.audit === undefined || answers !== undefined) return;
  passage.auditSeq = await services.audit.record({
    kind: envelope.type === 'req' ? 'request' : 'event',
    id: envelope.id,
    from: envelope.from.agent_id,
    ct: envelope.ct,
    mode: modeOf(envelope),
    req: encodeBase64url(passage.inputHash!),
    ...(envelope.sec?.kid !== undefined && { kid: envelope.sec.kid }),
    transport: peer.transport,
  });
}
