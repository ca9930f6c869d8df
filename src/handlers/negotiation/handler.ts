// Owns `negotiation.v1`: what this agent has, knows and needs, so that a peer can choose. It offers nothing weaker than
// what is in use (W19). SPEC.md sections 8 and 9 (#cap-x, #content-types, #sec-reply-strength).

import type { JsonObject } from '../../codec/value.ts';
import type { ContentHandler, RequestContext } from '../../content.ts';
import type { Rights } from '../../door/rights.ts';
import type { SecurityMode } from '../../envelope/types.ts';
import { joinModes } from '../../security/message/mode.ts';
import type { Peer } from '../../security/peers/peer.ts';
import { capHash, lasting } from './cap-hash.ts';
import { mayCall } from '../tools/may-call.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { VersionPolicy } from './version-policy.ts';
import { createVersionPolicy } from './version-policy.ts';

/** Which program an agent is: `cap.a2a_sdl.impl`. */
interface Implementation {
  readonly name: string;
  readonly version: string;
}

export interface NegotiationOptions {
  /** The `cap` that the answer to this request carries. */
  readonly cap: (context: RequestContext) => JsonObject;
  /** Every content type that is handled. */
  readonly contentTypes: () => readonly string[];
  readonly tools: ToolRegistry;
  readonly rights: Rights;
  readonly implementation: Implementation;
  /** @default all versions */
  readonly versions?: VersionPolicy;
  /** The weakest mode that is accepted from this peer. @default 'sig' */
  readonly minMode?: (peer: Peer) => SecurityMode;
  /** Does the agent answer `session.v1`? @default false */
  readonly hasSessions?: boolean;
}

const PROTOCOL_VERSION = 1;

export function createNegotiationHandler(options: NegotiationOptions): ContentHandler {
  const { cap, contentTypes, tools, rights, implementation, hasSessions = false } = options;
  const { versions = createVersionPolicy(), minMode = () => 'sig' } = options;

  return {
    ct: 'negotiation.v1',
    handle(_payload, context) {
      const { peer, request, mode, call, now } = context;
      const own = cap(context);
      const supported = [...contentTypes()].sort();
      return {
        ct: 'negotiation.v1',
        payload: {
          need: { mode: joinModes(minMode(peer), mode) },
          have: {
            ...lasting(own),
            versions: {
              protocol: { min: PROTOCOL_VERSION, max: PROTOCOL_VERSION },
              package: { name: implementation.name, version: implementation.version },
              content_types: versions.describe(supported),
            },
          },
          ask: [],
          supported_ct: supported,
          available_tools: tools.names().filter((name) => mayCall(name, call, rights, now())),
          session_binding: { supported: hasSessions, content_type: 'session.v1', alg: 'ed25519' },
          cap_hash: capHash(request.cap, own),
        },
      };
    },
  };
}
