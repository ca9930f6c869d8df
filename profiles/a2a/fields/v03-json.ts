// Owns the members of A2A 0.3 over JSON-RPC, which are not those of its protobuf messages: `kind` tells them apart. JSON
// only, so its numbers only tell the members apart. SPEC.md section 20 (#a2a-fields, #a2a-03).

import { defineTable } from './table.ts';
import type { Table } from './table.ts';

export const V03_JSON: Table = defineTable({
  package: '',
  enums: {
    TaskState: {
      unknown: 0,
      submitted: 1,
      working: 2,
      completed: 3,
      failed: 4,
      canceled: 5,
      'input-required': 6,
      rejected: 7,
      'auth-required': 8,
    },
    Role: { unknown: 0, user: 1, agent: 2 },
  },
  messages: {
    Part: {
      kind: [1, 'string'],
      text: [2, 'string', 'content'],
      file: [3, 'FileContent', 'content'],
      data: [4, 'Struct', 'content'],
      metadata: [5, 'Struct'],
    },
    FileContent: {
      uri: [1, 'string', 'file'],
      bytes: [2, 'bytes', 'file'],
      mimeType: [3, 'string'],
      name: [4, 'string'],
    },
    Message: {
      kind: [1, 'string'],
      messageId: [2, 'string!'],
      contextId: [3, 'string'],
      taskId: [4, 'string'],
      role: [5, 'Role!'],
      parts: [6, 'Part[]!'],
      metadata: [7, 'Struct'],
      extensions: [8, 'string[]'],
      referenceTaskIds: [9, 'string[]'],
    },
    Artifact: {
      artifactId: [1, 'string!'],
      name: [2, 'string'],
      description: [3, 'string'],
      parts: [4, 'Part[]!'],
      metadata: [5, 'Struct'],
      extensions: [6, 'string[]'],
    },
    TaskStatus: {
      state: [1, 'TaskState!'],
      message: [2, 'Message'],
      timestamp: [3, 'Timestamp'],
    },
    Task: {
      kind: [1, 'string'],
      id: [2, 'string!'],
      contextId: [3, 'string!'],
      status: [4, 'TaskStatus!'],
      artifacts: [5, 'Artifact[]'],
      history: [6, 'Message[]'],
      metadata: [7, 'Struct'],
    },
    TaskStatusUpdateEvent: {
      kind: [1, 'string'],
      taskId: [2, 'string!'],
      contextId: [3, 'string!'],
      status: [4, 'TaskStatus!'],
      final: [5, 'bool!'],
      metadata: [6, 'Struct'],
    },
    TaskArtifactUpdateEvent: {
      kind: [1, 'string'],
      taskId: [2, 'string!'],
      contextId: [3, 'string!'],
      artifact: [4, 'Artifact!'],
      append: [5, 'bool'],
      lastChunk: [6, 'bool'],
      metadata: [7, 'Struct'],
    },
    SendMessageConfiguration: {
      acceptedOutputModes: [1, 'string[]'],
      pushNotificationConfig: [2, 'PushNotificationConfig'],
      historyLength: [3, 'int32?'],
      blocking: [4, 'bool?'],
    },
    SendMessageRequest: {
      message: [1, 'Message!'],
      configuration: [2, 'SendMessageConfiguration'],
      metadata: [3, 'Struct'],
    },
    TaskRequest: {
      id: [1, 'string!'],
      historyLength: [2, 'int32?'],
      metadata: [3, 'Struct'],
    },
    PushNotificationConfig: {
      id: [1, 'string'],
      url: [2, 'string!'],
      token: [3, 'string'],
      authentication: [4, 'AuthenticationInfo'],
    },
    AuthenticationInfo: { schemes: [1, 'string[]!'], credentials: [2, 'string'] },
    TaskPushNotificationConfig: {
      taskId: [1, 'string!'],
      pushNotificationConfig: [2, 'PushNotificationConfig!'],
    },
    PushConfigRequest: {
      id: [1, 'string!'],
      pushNotificationConfigId: [2, 'string'],
      metadata: [3, 'Struct'],
    },
  },
});
