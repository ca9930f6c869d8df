// Owns what messages are judged with where no runtime is: nothing is handled, and nobody is waited for.
// SPEC.md section 13 (#checks).

import { createAdmission } from '../pipeline/admission.ts';
import type { CheckServices } from '../pipeline/passage.ts';
import type { SchemaRegistry } from '../schema/registry.ts';
import { createContacts } from '../security/peers/contacts.ts';
import { createModeLatch } from '../security/peers/latch.ts';
import { createReplayGuard } from '../security/replay/replay.ts';
import { createSessionBook } from '../security/session.ts';
import type { Speaker } from './speaker.ts';

export function makeLocalChecks(
  { store, crypto, now, limits }: Pick<Speaker, 'store' | 'crypto' | 'now' | 'limits'>,
  registry: SchemaRegistry,
): Omit<CheckServices, 'checkVersion'> {
  return {
    crypto,
    registry,
    handledTypes: new Set(),
    limits,
    admission: createAdmission({}, now),
    contacts: createContacts(store, { crypto, now }),
    latch: createModeLatch(store),
    replay: createReplayGuard({ store, now, sinceMs: programStart(now) }),
    sessions: createSessionBook({ store, now }),
  };
}

/**
 * By the clock that is used. These checks are made with the first message that needs them, and nothing has been taken
 * before: what was said while the program ran is new all the same.
 */
function programStart(now: () => number): number {
  return now() - performance.now();
}
