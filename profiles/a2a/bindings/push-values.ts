// Owns what is asked of web hooks over REST: path, query and body as the one object that the wire reads. SPEC.md
// section 20 (#a2a-push).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import { invalidInput } from '../errors/a2a-error.ts';
import { readQuery } from '../fields/query.ts';
import type { OperationName } from '../operations/inputs.ts';
import { nameOf } from '../push/named.ts';
import type { Wire } from '../wires/wire.ts';
import type { RestPath } from './paths.ts';

export interface PushParts {
  readonly path: RestPath;
  readonly query: URLSearchParams;
  readonly wire: Wire;
  readonly operation: OperationName;
  readonly body: JsonValue | undefined;
}

export function isPush(operation: OperationName): boolean {
  return operation.endsWith('Push');
}

/** What the path says counts; what disagrees with it is refused. */
export function pushValueOf(parts: PushParts): JsonObject {
  const { path, query, wire, operation, body } = parts;
  const { id = '', configId = '' } = path;
  const isFlat = wire.name === 'v1';
  if (operation === 'listPush') {
    const said = readQuery(wire.table, wire.push.listQuery, query);
    return { ...said, ...(isFlat ? { taskId: id } : { parent: `tasks/${id}` }) };
  }
  if (operation !== 'createPush') {
    return isFlat ? { taskId: id, id: configId } : { name: nameOf(id, configId) };
  }
  const said = isJsonObject(body) ? body : {};
  if (isFlat) return placed(said, 'taskId', id);
  const [asked] = query.getAll('configId');
  const value = placed(said, 'parent', `tasks/${id}`);
  return asked === undefined || asked === '' ? value : placed(value, 'configId', asked);
}

function placed(said: JsonObject, name: string, value: string): JsonObject {
  const inBody = said[name] ?? '';
  if (inBody !== '' && inBody !== value) {
    throw invalidInput([{ field: name, description: 'is not that of the address' }]);
  }
  return { ...said, [name]: value };
}
