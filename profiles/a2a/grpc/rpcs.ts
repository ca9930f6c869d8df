// Owns the calls of both services: which operation each is, and what is asked in the words of its wire. SPEC.md
// section 20 (#a2a-grpc).

import type { JsonObject } from '../../../src/door/index.ts';
import { METHODS_V1 } from '../bindings/methods.ts';
import { EARLIER } from '../bindings/rest-forms.ts';
import { invalidInput } from '../errors/a2a-error.ts';
import type { Kind, Profile } from '../errors/kinds.ts';
import { V03 } from '../fields/v03.ts';
import { V1 } from '../fields/v1.ts';
import type { Table } from '../fields/table.ts';
import type { OperationName } from '../operations/inputs.ts';
import type { Wire } from '../wires/wire.ts';
import { WIRES } from '../wires/wires.ts';

export interface Rpc {
  readonly path: string;
  /** Of the package. */
  readonly version: '1.0' | '0.3';
  readonly wire: Wire;
  readonly table: Table;
  readonly operation: OperationName;
  /** The names of its messages. */
  readonly request: string;
  readonly response: string;
  readonly isStream: boolean;
  /** What is asked, as JSON of the wire. Throws INVALID_PARAMS. */
  valueOf(request: JsonObject): JsonObject;
  /** Which text counts for the status of a refusal. */
  profileOf(profile: Profile, kind: Kind): Profile;
}

const METHODS_V03: Readonly<Record<string, OperationName>> = {
  SendMessage: 'send',
  SendStreamingMessage: 'stream',
  GetTask: 'get',
  CancelTask: 'cancel',
  TaskSubscription: 'subscribe',
  CreateTaskPushNotificationConfig: 'createPush',
  GetTaskPushNotificationConfig: 'getPush',
  ListTaskPushNotificationConfig: 'listPush',
  DeleteTaskPushNotificationConfig: 'deletePush',
  GetAgentCard: 'extendedCard',
};

const NAME = /^tasks\/(.+)$/s;
const BY_NAME: ReadonlySet<OperationName> = new Set(['get', 'cancel', 'subscribe']);

function rpcsOf(
  methods: Readonly<Record<string, OperationName>>,
  common: Pick<Rpc, 'version' | 'wire' | 'table' | 'profileOf'>,
  valueOf: (operation: OperationName, request: JsonObject) => JsonObject,
): Rpc[] {
  const { package: name, service } = common.table;
  return Object.keys(service).map((method): Rpc => {
    const operation = methods[method]!;
    const own = {
      path: `/${name}.A2AService/${method}`,
      operation,
      valueOf: (asked: JsonObject) => valueOf(operation, asked),
    };
    return Object.assign(own, common, service[method]!);
  });
}

export const RPCS: readonly Rpc[] = [
  ...rpcsOf(
    METHODS_V1,
    { version: '1.0', wire: WIRES.v1, table: V1, profileOf: (profile) => profile },
    (operation, request) => (operation === 'list' ? withoutZero(request) : request),
  ),
  ...rpcsOf(
    METHODS_V03,
    { version: '0.3', wire: WIRES['v03-rest'], table: V03, profileOf: profileOfV03 },
    (operation, request) => (BY_NAME.has(operation) ? withId(request) : request),
  ),
];

/** 0.3 says nothing of versions: what is refused for one is refused as in 1.0. */
function profileOfV03(profile: Profile, kind: Kind): Profile {
  return kind === 'VERSION_NOT_SUPPORTED' ? profile : EARLIER;
}

/** Clients that know no presence send a page size of 0 where they mean none. */
function withoutZero({ pageSize, ...rest }: JsonObject): JsonObject {
  return pageSize === undefined || pageSize === 0 ? rest : { ...rest, pageSize };
}

/** 0.3 names a task as a resource. */
function withId({ name, ...rest }: JsonObject): JsonObject {
  const [, id] = NAME.exec(typeof name === 'string' ? name : '') ?? [];
  if (id !== undefined) return { ...rest, id };
  throw invalidInput([{ field: 'name', description: 'expected tasks/ and the id of the task' }]);
}
