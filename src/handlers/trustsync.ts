// Owns `trustsync.v1`: the registry for who may ask, and changes that enough approvers signed.
// SPEC.md section 10 (#registry).

import type { JsonObject } from '../codec/value.ts';
import type { Answer, ContentHandler } from '../content.ts';
import type { SwitchCheck } from '../security/policy/policy.ts';
import type { CompatSwitch } from '../security/policy/switches.ts';
import type { TrustLog } from '../security/trust/log.ts';

export interface TrustSyncOptions {
  readonly log: TrustLog;
  /** The policy's: signatures in the form of v1 count only for peers with the switch `v1-trustsync`. */
  readonly allows: SwitchCheck;
}

const V1_FORMS: ReadonlySet<CompatSwitch> = new Set(['v1-trustsync']);
const OWN_FORMS: ReadonlySet<CompatSwitch> = new Set();

export function createTrustSyncHandler({ log, allows }: TrustSyncOptions): ContentHandler {
  return {
    ct: 'trustsync.v1',
    async handle(payload, { peer }) {
      const source = { source_agent: peer.agentId };
      if ((payload as JsonObject)['op'] === 'discover') {
        const snapshot = await log.discover();
        return answerWith({ ...snapshot, ...source, message: 'trust snapshot' });
      }
      const forms = allows(peer, 'v1-trustsync') ? V1_FORMS : OWN_FORMS;
      const verdict = await log.propose(payload, forms);
      const message = verdict.status === 'accepted' ? 'registry update accepted' : verdict.message;
      return answerWith({ ...verdict, ...source, message });
    },
  };
}

function answerWith(payload: object): Answer {
  return { ct: 'trustsync.v1', payload: payload as JsonObject };
}
