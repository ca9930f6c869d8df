// Owns the members of the draft of December 2025, which says `0.3` and is neither 0.3 nor 1.0: JSON only, so its numbers
// only tell the members apart. SPEC.md section 20 (#a2a-fields, #a2a-draft).

import { defineTable } from './table.ts';
import type { Table } from './table.ts';

export const DRAFT: Table = defineTable({
  package: '',
  enums: {
    TaskState: {
      unspecified: 0,
      submitted: 1,
      working: 2,
      completed: 3,
      failed: 4,
      cancelled: 5,
      'input-required': 6,
      rejected: 7,
      'auth-required': 8,
    },
    Role: { unspecified: 0, user: 1, agent: 2 },
  },
  messages: {
    Part: {
      text: [1, 'string', 'part'],
      file: [2, 'FilePart', 'part'],
      data: [3, 'DataPart', 'part'],
      metadata: [4, 'Struct'],
    },
    FilePart: {
      fileWithUri: [1, 'string', 'file'],
      fileWithBytes: [2, 'bytes', 'file'],
      mediaType: [3, 'string'],
      name: [4, 'string'],
    },
    DataPart: { data: [1, 'Struct!'] },
    Message: {
      messageId: [1, 'string!'],
      contextId: [2, 'string'],
      taskId: [3, 'string'],
      role: [4, 'Role!'],
      parts: [5, 'Part[]!'],
      metadata: [6, 'Struct'],
      extensions: [7, 'string[]'],
      referenceTaskIds: [8, 'string[]'],
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
      id: [1, 'string!'],
      contextId: [2, 'string!'],
      status: [3, 'TaskStatus!'],
      artifacts: [4, 'Artifact[]'],
      history: [5, 'Message[]'],
      metadata: [6, 'Struct'],
    },
    TaskStatusUpdateEvent: {
      taskId: [1, 'string!'],
      contextId: [2, 'string!'],
      status: [3, 'TaskStatus!'],
      final: [4, 'bool!'],
      metadata: [5, 'Struct'],
    },
    TaskArtifactUpdateEvent: {
      taskId: [1, 'string!'],
      contextId: [2, 'string!'],
      artifact: [3, 'Artifact!'],
      append: [4, 'bool'],
      lastChunk: [5, 'bool'],
      metadata: [6, 'Struct'],
    },
    SendMessageConfiguration: {
      acceptedOutputModes: [1, 'string[]'],
      pushNotificationConfig: [2, 'PushNotificationConfig'],
      historyLength: [3, 'int32?'],
      blocking: [4, 'bool'],
    },
    SendMessageRequest: {
      tenant: [1, 'string'],
      message: [2, 'Message!'],
      configuration: [3, 'SendMessageConfiguration'],
      metadata: [4, 'Struct'],
    },
    SendMessageResponse: {
      task: [1, 'Task', 'payload'],
      message: [2, 'Message', 'payload'],
    },
    StreamResponse: {
      task: [1, 'Task', 'payload'],
      message: [2, 'Message', 'payload'],
      statusUpdate: [3, 'TaskStatusUpdateEvent', 'payload'],
      artifactUpdate: [4, 'TaskArtifactUpdateEvent', 'payload'],
    },
    TaskRequest: {
      tenant: [1, 'string'],
      id: [2, 'string'],
      name: [3, 'string'],
      historyLength: [4, 'int32?'],
    },
    ListTasksRequest: {
      tenant: [1, 'string'],
      contextId: [2, 'string'],
      status: [3, 'TaskState'],
      pageSize: [4, 'int32?'],
      pageToken: [5, 'string'],
      historyLength: [6, 'int32?'],
      lastUpdatedAfter: [7, 'int64'],
      includeArtifacts: [8, 'bool?'],
    },
    ListTasksResponse: {
      tasks: [1, 'Task[]!'],
      nextPageToken: [2, 'string!'],
      pageSize: [3, 'int32!'],
      totalSize: [4, 'int32!'],
    },
    PushNotificationConfig: {
      id: [1, 'string'],
      url: [2, 'string!'],
      token: [3, 'string'],
      authentication: [4, 'AuthenticationInfo'],
    },
    AuthenticationInfo: { schemes: [1, 'string[]!'], credentials: [2, 'string'] },
    TaskPushNotificationConfig: {
      name: [1, 'string'],
      pushNotificationConfig: [2, 'PushNotificationConfig!'],
    },
    PushConfigRequest: {
      tenant: [1, 'string'],
      name: [2, 'string!'],
    },
    ListTaskPushNotificationConfigRequest: {
      tenant: [1, 'string'],
      parent: [2, 'string!'],
      pageSize: [3, 'int32?'],
      pageToken: [4, 'string'],
    },
  },
});
