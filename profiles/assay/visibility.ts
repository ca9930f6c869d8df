// Owns the two bounded views of a packet: was an agent card seen, was a handoff seen. They say what was visible and
// nothing else. SPEC.md section 17 (#assay-discovery, #assay-handoff).

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { TASK_REQUESTED } from './event-type.ts';
import { memberOf } from './facts.ts';

/** Only `attributes.assay_g4` counts, and in it only `true`. */
export function discoveryOf(attributes: JsonValue | undefined): JsonObject {
  const seen = memberOf(attributes, 'assay_g4');
  const card = isVisible(seen, 'agent_card');
  return {
    agent_card_source_kind: card ? 'attributes' : 'unknown',
    agent_card_visible: card,
    extended_card_access_visible: isVisible(seen, 'extended_card_access'),
    signature_material_visible: false,
  };
}

interface HandoffFacts {
  readonly type: string;
  readonly taskKind: string | undefined;
  /** As the packet had them: nothing that was put in their place counts. */
  readonly taskId: string | undefined;
  readonly messageId: string | undefined;
}

/** Only a requested task whose kind is `delegation` makes one visible. */
export function handoffOf({ type, taskKind, taskId, messageId }: HandoffFacts): JsonObject {
  const visible = type === TASK_REQUESTED && taskKind === 'delegation';
  return {
    message_ref_visible: visible && messageId !== undefined,
    source_kind: visible ? 'typed_payload' : 'unknown',
    task_ref_visible: visible && taskId !== undefined,
    visible,
  };
}

function isVisible(seen: JsonValue | undefined, name: string): boolean {
  return memberOf(memberOf(seen, name), 'visible') === true;
}
