// What a handler is given, made by hand, and what it gives back, checked as the runtime would.

import { readJson } from '../../../src/codec/json/read.ts';
import { writeJson } from '../../../src/codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import type { Answer, Handle, RequestContext, VerifiedRequest } from '../../../src/content.ts';
import type { CallContext } from '../../../src/door/call.ts';
import type { Ceiling } from '../../../src/door/rights.ts';
import type { Envelope, MessageType } from '../../../src/envelope/types.ts';
import { SdlError } from '../../../src/errors.ts';
import { EPOCH_MS, alice, bob, registry, taskRequest } from '../wire/envelopes.ts';
import { makePeer } from '../trust/peers.ts';

export interface ContextParts extends Partial<Omit<RequestContext, 'request' | 'call'>> {
  readonly type?: MessageType;
  readonly cap?: JsonObject;
  readonly sec?: Envelope['sec'];
  /** What a grant that came along allows. */
  readonly granted?: Omit<Ceiling, 'isGrant'>;
}

/** A signed request of alice to bob, at a moment that stands still. */
export function requestContext(parts: ContextParts = {}): RequestContext {
  const { type = 'req', cap, sec, granted, ...rest } = parts;
  const request = { ...taskRequest(), type, ...(cap && { cap }), ...(sec && { sec }) };
  const context = {
    request: request as unknown as VerifiedRequest,
    peer: makePeer(alice.agent_id),
    mode: 'sig' as const,
    keyThumbprint: 'thumbprint-of-alice',
    agentId: bob.agent_id,
    wantsStream: false,
    takesParts: false,
    signal: new AbortController().signal,
    now: () => EPOCH_MS,
    ...rest,
  };
  return { ...context, call: callOf(context, granted) };
}

/** The call that such a message makes. */
function callOf(
  { peer, agentId, signal, now, keyThumbprint }: Omit<RequestContext, 'call'>,
  granted?: ContextParts['granted'],
): CallContext {
  const scheme = keyThumbprint === undefined ? 'unsigned' : 'sdl';
  return {
    principal: { id: peer.agentId, tenant: '', scheme },
    face: 'sdl',
    agentId,
    ...(granted !== undefined && { ceiling: { ...granted, isGrant: true } }),
    signal,
    now,
  };
}

/** Every answer, in order. Each can be written, and fits the schema of its content type if that is built in. */
export async function answersOf(given: ReturnType<Handle>): Promise<Answer[]> {
  const answers: Answer[] = [];
  if (typeof given === 'object' && given !== null && Symbol.asyncIterator in given) {
    for await (const answer of given) answers.push(answer);
  } else {
    const answer = await given;
    if (answer !== undefined) answers.push(answer);
  }
  for (const { ct, payload } of answers) {
    const written = readJson(writeJson(payload));
    if (!registry.contentTypes.has(ct)) continue;
    registry.checkOwn({ ct, payload: written, descriptor: registry.descriptorFor(ct) });
  }
  return answers;
}

/** The payload of the one answer. */
export async function payloadOf(given: ReturnType<Handle>): Promise<JsonObject> {
  const answers = await answersOf(given);
  if (answers.length !== 1) throw new Error(`${answers.length} answers instead of one`);
  return answers[0]!.payload as JsonObject;
}

/** What a handler refuses with. */
export async function refusalOf(run: () => ReturnType<Handle>): Promise<SdlError> {
  try {
    await answersOf(run());
  } catch (thrown) {
    if (thrown instanceof SdlError) return thrown;
    throw thrown;
  }
  throw new Error('the handler did not refuse');
}

export function memberOf(value: JsonValue | undefined, ...path: string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((at, name) => (at as JsonObject)[name], value);
}
