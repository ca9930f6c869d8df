// Owns web hooks in the wire of A2A 0.3 over JSON-RPC: a config beside the id of its task, and lists without pages.
// SPEC.md section 20 (#a2a-push).

import type { JsonObject } from '../../../src/door/index.ts';
import type { Fields } from '../fields/read.ts';
import { readFields } from '../fields/read.ts';
import { V03_JSON } from '../fields/v03-json.ts';
import { writeFields } from '../fields/write.ts';
import { textIn } from '../wires/requests.ts';
import type { ShownPush } from './config.ts';
import type { PushWire } from './wire.ts';
import { configIn } from './wire.ts';

const CONFIG = 'TaskPushNotificationConfig';
/** More than a task has. */
const ALL = 100;

export const KINDED_PUSH: PushWire = {
  listQuery: 'PushConfigRequest',
  readPush: (value) => {
    const { taskId, pushNotificationConfig } = readFields(V03_JSON, CONFIG, value);
    const config = configIn(pushNotificationConfig as Fields, 'v03', 'pushNotificationConfig.');
    return { taskId: taskId as string, config };
  },
  readRef: (value) => {
    const request = readFields(V03_JSON, 'PushConfigRequest', value);
    const { pushNotificationConfigId: configId } = textIn(request, 'pushNotificationConfigId');
    return { taskId: request['id'] as string, ...(configId !== undefined && { configId }) };
  },
  readPage: (value) => {
    const { id } = readFields(V03_JSON, 'PushConfigRequest', value);
    return { taskId: id as string, pageSize: ALL };
  },
  writePush,
  writePage: ({ configs }) => configs.map(writePush),
  dropped: null,
};

function writePush({ taskId, id, url, token, schemes }: ShownPush): JsonObject {
  return writeFields(V03_JSON, CONFIG, {
    taskId,
    pushNotificationConfig: {
      id,
      url,
      ...(token !== undefined && { token }),
      ...(schemes !== undefined && { authentication: { schemes } }),
    },
  });
}
