// Owns what kinds of events there are, and what each is named by. SPEC.md section 17 (#assay-mapping).

const PREFIX = 'assay.adapter.a2a.';

export const TASK_REQUESTED: string = `${PREFIX}task.requested`;
export const TASK_UPDATED: string = `${PREFIX}task.updated`;
export const ARTIFACT_SHARED: string = `${PREFIX}artifact.shared`;
export const AGENT_CAPABILITIES: string = `${PREFIX}agent.capabilities`;
/** For whatever has no kind of its own. */
export const MESSAGE: string = `${PREFIX}message`;

const MAPPED: ReadonlyMap<string, string> = new Map(
  [AGENT_CAPABILITIES, TASK_REQUESTED, TASK_UPDATED, ARTIFACT_SHARED].map((type) => [
    type.slice(PREFIX.length),
    type,
  ]),
);

/** The kind of event for an `event_type`; `undefined` where there is none. */
export function mappedType(eventType: string | undefined): string | undefined {
  return eventType === undefined ? undefined : MAPPED.get(eventType);
}
