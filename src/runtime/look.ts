// Owns a look at a message as a runtime with these options would judge it, without running one.
// SPEC.md section 13 (#checks).

import { openTrustLog, snapshots } from '../message/speaker.ts';
import { createVersionPolicy } from '../handlers/negotiation/version-policy.ts';
import type { OpenRequest, PassageMessage } from '../pipeline/passage.ts';
import { Passage } from '../pipeline/passage.ts';
import type { RuntimeOptions } from './options.ts';
import { resolveRuntimeOptions } from './options.ts';
import { makeCheckServices } from './services.ts';
import { SchemaRegistry } from '../schema/registry.ts';

/** A passage at its beginning: `reportStages` walks it. What the checks write goes to the store of the options. */
export async function createPassage(
  runtimeOptions: RuntimeOptions,
  message: PassageMessage,
  answers?: OpenRequest,
): Promise<Passage> {
  const options = resolveRuntimeOptions(runtimeOptions);
  const registry = new SchemaRegistry();
  const versions = createVersionPolicy({ now: options.now });
  const services = makeCheckServices(options, registry, registry.contentTypes, versions);
  const snapshot = snapshots(options, await openTrustLog(options))();
  return new Passage(message, services, snapshot, answers);
}
