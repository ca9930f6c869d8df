// Owns web hooks in the wire of A2A 1.0: one flat object, which is the request, too. SPEC.md section 20 (#a2a-push).

import { readFields } from '../fields/read.ts';
import { V1 } from '../fields/v1.ts';
import { writeFields } from '../fields/write.ts';
import { invalidInput } from '../errors/a2a-error.ts';
import { textIn } from '../wires/requests.ts';
import type { ShownPush } from './config.ts';
import type { PushWire } from './wire.ts';
import { configIn, pageOf } from './wire.ts';

const CONFIG = 'TaskPushNotificationConfig';

export const FLAT_PUSH: PushWire = {
  listQuery: 'ListTaskPushNotificationConfigsRequest',
  readPush: (value) => {
    const request = readFields(V1, CONFIG, value);
    const { taskId } = textIn(request, 'taskId');
    // Inside of a message it may be left out, so the table does not require it.
    if (taskId === undefined) {
      throw invalidInput([{ field: 'taskId', description: 'is required' }]);
    }
    return { taskId, ...textIn(request, 'tenant'), config: configIn(request, 'v1', '') };
  },
  readRef: (value) => {
    const request = readFields(V1, 'GetTaskPushNotificationConfigRequest', value);
    const { taskId, id } = request;
    return { taskId: taskId as string, configId: id as string, ...textIn(request, 'tenant') };
  },
  readPage: (value) => {
    const request = readFields(V1, 'ListTaskPushNotificationConfigsRequest', value);
    const { taskId } = request;
    return { taskId: taskId as string, ...textIn(request, 'tenant'), ...pageOf(request) };
  },
  writePush,
  writePage: ({ configs, nextPageToken }) => ({ configs: configs.map(writePush), nextPageToken }),
  dropped: {},
};

function writePush({ taskId, id, url, token, schemes }: ShownPush): ReturnType<typeof writeFields> {
  const [scheme] = schemes ?? [];
  return writeFields(V1, CONFIG, {
    taskId,
    id,
    url,
    ...(token !== undefined && { token }),
    ...(scheme !== undefined && { authentication: { scheme } }),
  });
}
