// Owns what every wire can do: read what is asked, and say what came of it. Bindings and operations know no more of it.
// SPEC.md section 20 (#a2a-wires).

import type { JsonObject, Message, Task, TaskStep } from '../../../src/door/index.ts';
import type { Table } from '../fields/table.ts';
import type { ListInput, ListedTasks, SendInput, Sent, TaskInput } from '../operations/inputs.ts';
import type { PushWire } from '../push/wire.ts';

export type WireName = 'v1' | 'v03-jsonrpc' | 'v03-rest' | 'draft';

export interface Wire {
  readonly name: WireName;
  readonly table: Table;
  /** Its web hooks. */
  readonly push: PushWire;
  /** The messages of the table that a query is read by. */
  readonly queries: Readonly<Record<'task' | 'list', string>>;
  /** These throw INVALID_PARAMS. */
  readSend(value: JsonObject): SendInput;
  readTask(value: JsonObject): TaskInput;
  readList(value: JsonObject): ListInput;
  writeSent(sent: Sent, historyLength: number | undefined): JsonObject;
  writeTask(task: Task, historyLength: number | undefined): JsonObject;
  writePage(page: ListedTasks, input: ListInput): JsonObject;
  /** `undefined` for what nobody is told. @param isLast nothing follows in this stream. */
  writeStep(step: TaskStep, isLast: boolean): JsonObject | undefined;
  /** The only frame of a stream without a task. */
  writeAnswer(message: Message): JsonObject;
}
