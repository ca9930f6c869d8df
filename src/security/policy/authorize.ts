// Owns the check `authorize`: may this sender use this content type and tool? SPEC.md sections 10 and 13 (#checks, #grant).

import type { JsonValue } from '../../codec/value.ts';
import { isJsonObject } from '../../codec/value.ts';
import { SdlError } from '../../errors.ts';
import type { GrantScope } from './grant-shape.ts';
import { ANY_NAME } from './grant-shape.ts';
import { isNameAllowed } from './grant.ts';
import type { Peer } from '../peers/peer.ts';

/** A request or event whose signature holds, its payload in clear and checked by our own schema. */
export interface AuthorizeRequest {
  readonly ct: string;
  readonly payload: JsonValue;
}

const EVERYTHING: readonly string[] = [ANY_NAME];

/**
 * Throws NOT_AUTHORIZED unless the peer's entry, or the verified grant that came along, allows all of it. They are not
 * added up: a grant of one tool must not open every tool. What the payload says of its own scopes has no effect (W13).
 */
export function authorize(
  { ct, payload }: AuthorizeRequest,
  peer: Peer,
  granted?: GrantScope,
): void {
  const tool = ct === 'toolcall.v1' ? toolOf(payload) : undefined;
  const entry = { ct: peer.contentTypes ?? EVERYTHING, tools: peer.tools ?? EVERYTHING };
  if (doesAllow(entry, ct, tool)) return;
  if (granted !== undefined && doesAllow(granted, ct, tool)) return;
  throw new SdlError('NOT_AUTHORIZED', 'the sender may not use this content type or tool');
}

function doesAllow(scope: GrantScope, ct: string, tool: string | undefined): boolean {
  return isNameAllowed(scope.ct, ct) && (tool === undefined || isNameAllowed(scope.tools, tool));
}

function toolOf(payload: JsonValue): string {
  const tool = isJsonObject(payload) ? payload['tool'] : undefined;
  if (typeof tool === 'string') return tool;
  throw new SdlError('NOT_AUTHORIZED', 'the call names no tool');
}
