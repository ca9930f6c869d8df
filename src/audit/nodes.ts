// Owns which nodes keep their audit log in a store. SPEC.md section 10 (#audit).

import type { Store } from '../stores/store.ts';

/** What {@link logNames} puts before the id of a node. */
const PREFIX = 'audit:';

/** Needs a store with an inventory. */
export async function auditedNodes(store: Store): Promise<string[]> {
  const nodes: string[] = [];
  for (let after = PREFIX; ;) {
    const names = (await store.inventory?.('logs', { after })) ?? [];
    const ours = names.filter((name) => name.startsWith(PREFIX));
    nodes.push(...ours.map((name) => name.slice(PREFIX.length)));
    if (names.length === 0 || ours.length < names.length) return nodes;
    after = names.at(-1)!;
  }
}
