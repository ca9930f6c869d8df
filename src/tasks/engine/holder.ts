// Owns who holds a task: a node, and one start of that node. If no other process uses the name of the node, a new start
// knows that all earlier starts have ended.

export interface TaskHolder {
  /** As it stands in leases and rows. */
  readonly name: string;
  /** Nobody else works under the name of its node while it lives. */
  readonly isExclusive: boolean;
  /** Whether it is certain that this holder, as it stands in a lease or row, works no more. */
  hasEnded(name: string): boolean;
}

interface TaskHolderOptions {
  readonly node: string | undefined;
  readonly isExclusive: boolean;
  /** Of this start; without a slash. */
  readonly startId: string;
}

export function createTaskHolder({ node, isExclusive, startId }: TaskHolderOptions): TaskHolder {
  if (isExclusive && (node === undefined || node === '')) {
    throw new TypeError('"isNodeExclusive" needs "node", the same at every start');
  }
  const own = `${node ?? ''}/`;
  const name = own + startId;
  return Object.freeze({
    name,
    isExclusive,
    hasEnded: (other: string) =>
      isExclusive && other !== name && other.slice(0, other.lastIndexOf('/') + 1) === own,
  });
}
