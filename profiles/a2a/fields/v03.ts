// Owns the names, numbers and types of A2A 0.3 over REST and gRPC (`a2a.v1`): facts of the protocol, equal to those
// published by test. SPEC.md section 20 (#a2a-fields).

import { defineTable } from './table.ts';
import type { Table } from './table.ts';

export const V03: Table = defineTable({
  package: 'a2a.v1',
  enums: {
    TaskState: {
      TASK_STATE_UNSPECIFIED: 0,
      TASK_STATE_SUBMITTED: 1,
      TASK_STATE_WORKING: 2,
      TASK_STATE_COMPLETED: 3,
      TASK_STATE_FAILED: 4,
      TASK_STATE_CANCELLED: 5,
      TASK_STATE_INPUT_REQUIRED: 6,
      TASK_STATE_REJECTED: 7,
      TASK_STATE_AUTH_REQUIRED: 8,
    },
    Role: {
      ROLE_UNSPECIFIED: 0,
      ROLE_USER: 1,
      ROLE_AGENT: 2,
    },
  },
  messages: {
    SendMessageConfiguration: {
      acceptedOutputModes: [1, 'string[]'],
      pushNotification: [2, 'PushNotificationConfig'],
      historyLength: [3, 'int32'],
      blocking: [4, 'bool'],
    },
    Task: {
      id: [1, 'string'],
      contextId: [2, 'string'],
      status: [3, 'TaskStatus'],
      artifacts: [4, 'Artifact[]'],
      history: [5, 'Message[]'],
      metadata: [6, 'Struct'],
    },
    TaskStatus: {
      state: [1, 'TaskState'],
      message: [2, 'Message'],
      timestamp: [3, 'Timestamp'],
    },
    Part: {
      text: [1, 'string', 'part'],
      file: [2, 'FilePart', 'part'],
      data: [3, 'DataPart', 'part'],
    },
    FilePart: {
      fileWithUri: [1, 'string', 'file'],
      fileWithBytes: [2, 'bytes', 'file'],
      mimeType: [3, 'string'],
    },
    DataPart: {
      data: [1, 'Struct'],
    },
    Message: {
      messageId: [1, 'string'],
      contextId: [2, 'string'],
      taskId: [3, 'string'],
      role: [4, 'Role'],
      content: [5, 'Part[]'],
      metadata: [6, 'Struct'],
      extensions: [7, 'string[]'],
    },
    Artifact: {
      artifactId: [1, 'string'],
      name: [3, 'string'],
      description: [4, 'string'],
      parts: [5, 'Part[]'],
      metadata: [6, 'Struct'],
      extensions: [7, 'string[]'],
    },
    TaskStatusUpdateEvent: {
      taskId: [1, 'string'],
      contextId: [2, 'string'],
      status: [3, 'TaskStatus'],
      final: [4, 'bool'],
      metadata: [5, 'Struct'],
    },
    TaskArtifactUpdateEvent: {
      taskId: [1, 'string'],
      contextId: [2, 'string'],
      artifact: [3, 'Artifact'],
      append: [4, 'bool'],
      lastChunk: [5, 'bool'],
      metadata: [6, 'Struct'],
    },
    PushNotificationConfig: {
      id: [1, 'string'],
      url: [2, 'string'],
      token: [3, 'string'],
      authentication: [4, 'AuthenticationInfo'],
    },
    AuthenticationInfo: {
      schemes: [1, 'string[]'],
      credentials: [2, 'string'],
    },
    AgentInterface: {
      url: [1, 'string'],
      transport: [2, 'string'],
    },
    AgentCard: {
      protocolVersion: [16, 'string'],
      name: [1, 'string'],
      description: [2, 'string'],
      url: [3, 'string'],
      preferredTransport: [14, 'string'],
      additionalInterfaces: [15, 'AgentInterface[]'],
      provider: [4, 'AgentProvider'],
      version: [5, 'string'],
      documentationUrl: [6, 'string'],
      capabilities: [7, 'AgentCapabilities'],
      securitySchemes: [8, 'map<string,SecurityScheme>'],
      security: [9, 'Security[]'],
      defaultInputModes: [10, 'string[]'],
      defaultOutputModes: [11, 'string[]'],
      skills: [12, 'AgentSkill[]'],
      supportsAuthenticatedExtendedCard: [13, 'bool'],
      signatures: [17, 'AgentCardSignature[]'],
    },
    AgentProvider: {
      url: [1, 'string'],
      organization: [2, 'string'],
    },
    AgentCapabilities: {
      streaming: [1, 'bool'],
      pushNotifications: [2, 'bool'],
      extensions: [3, 'AgentExtension[]'],
    },
    AgentExtension: {
      uri: [1, 'string'],
      description: [2, 'string'],
      required: [3, 'bool'],
      params: [4, 'Struct'],
    },
    AgentSkill: {
      id: [1, 'string'],
      name: [2, 'string'],
      description: [3, 'string'],
      tags: [4, 'string[]'],
      examples: [5, 'string[]'],
      inputModes: [6, 'string[]'],
      outputModes: [7, 'string[]'],
      security: [8, 'Security[]'],
    },
    AgentCardSignature: {
      protected: [1, 'string!'],
      signature: [2, 'string!'],
      header: [3, 'Struct'],
    },
    TaskPushNotificationConfig: {
      name: [1, 'string'],
      pushNotificationConfig: [2, 'PushNotificationConfig'],
    },
    StringList: {
      list: [1, 'string[]'],
    },
    Security: {
      schemes: [1, 'map<string,StringList>'],
    },
    SecurityScheme: {
      apiKeySecurityScheme: [1, 'APIKeySecurityScheme', 'scheme'],
      httpAuthSecurityScheme: [2, 'HTTPAuthSecurityScheme', 'scheme'],
      oauth2SecurityScheme: [3, 'OAuth2SecurityScheme', 'scheme'],
      openIdConnectSecurityScheme: [4, 'OpenIdConnectSecurityScheme', 'scheme'],
      mtlsSecurityScheme: [5, 'MutualTlsSecurityScheme', 'scheme'],
    },
    APIKeySecurityScheme: {
      description: [1, 'string'],
      location: [2, 'string'],
      name: [3, 'string'],
    },
    HTTPAuthSecurityScheme: {
      description: [1, 'string'],
      scheme: [2, 'string'],
      bearerFormat: [3, 'string'],
    },
    OAuth2SecurityScheme: {
      description: [1, 'string'],
      flows: [2, 'OAuthFlows'],
      oauth2MetadataUrl: [3, 'string'],
    },
    OpenIdConnectSecurityScheme: {
      description: [1, 'string'],
      openIdConnectUrl: [2, 'string'],
    },
    MutualTlsSecurityScheme: {
      description: [1, 'string'],
    },
    OAuthFlows: {
      authorizationCode: [1, 'AuthorizationCodeOAuthFlow', 'flow'],
      clientCredentials: [2, 'ClientCredentialsOAuthFlow', 'flow'],
      implicit: [3, 'ImplicitOAuthFlow', 'flow'],
      password: [4, 'PasswordOAuthFlow', 'flow'],
    },
    AuthorizationCodeOAuthFlow: {
      authorizationUrl: [1, 'string'],
      tokenUrl: [2, 'string'],
      refreshUrl: [3, 'string'],
      scopes: [4, 'map<string,string>'],
    },
    ClientCredentialsOAuthFlow: {
      tokenUrl: [1, 'string'],
      refreshUrl: [2, 'string'],
      scopes: [3, 'map<string,string>'],
    },
    ImplicitOAuthFlow: {
      authorizationUrl: [1, 'string'],
      refreshUrl: [2, 'string'],
      scopes: [3, 'map<string,string>'],
    },
    PasswordOAuthFlow: {
      tokenUrl: [1, 'string'],
      refreshUrl: [2, 'string'],
      scopes: [3, 'map<string,string>'],
    },
    SendMessageRequest: {
      message: [1, 'Message!'],
      configuration: [2, 'SendMessageConfiguration'],
      metadata: [3, 'Struct'],
    },
    GetTaskRequest: {
      name: [1, 'string!'],
      historyLength: [2, 'int32'],
    },
    CancelTaskRequest: {
      name: [1, 'string'],
    },
    GetTaskPushNotificationConfigRequest: {
      name: [1, 'string'],
    },
    DeleteTaskPushNotificationConfigRequest: {
      name: [1, 'string'],
    },
    CreateTaskPushNotificationConfigRequest: {
      parent: [1, 'string!'],
      configId: [2, 'string!'],
      config: [3, 'TaskPushNotificationConfig!'],
    },
    TaskSubscriptionRequest: {
      name: [1, 'string'],
    },
    ListTaskPushNotificationConfigRequest: {
      parent: [1, 'string'],
      pageSize: [2, 'int32'],
      pageToken: [3, 'string'],
    },
    GetAgentCardRequest: {},
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
    ListTaskPushNotificationConfigResponse: {
      configs: [1, 'TaskPushNotificationConfig[]'],
      nextPageToken: [2, 'string'],
    },
  },
  names: {
    'TaskStatus.message': 'update',
    'SendMessageRequest.message': 'request',
    'SendMessageResponse.message': 'msg',
    'StreamResponse.message': 'msg',
  },
  service: {
    SendMessage: ['SendMessageRequest', 'SendMessageResponse'],
    SendStreamingMessage: ['SendMessageRequest', 'StreamResponse', 'stream'],
    GetTask: ['GetTaskRequest', 'Task'],
    CancelTask: ['CancelTaskRequest', 'Task'],
    TaskSubscription: ['TaskSubscriptionRequest', 'StreamResponse', 'stream'],
    CreateTaskPushNotificationConfig: [
      'CreateTaskPushNotificationConfigRequest',
      'TaskPushNotificationConfig',
    ],
    GetTaskPushNotificationConfig: [
      'GetTaskPushNotificationConfigRequest',
      'TaskPushNotificationConfig',
    ],
    ListTaskPushNotificationConfig: [
      'ListTaskPushNotificationConfigRequest',
      'ListTaskPushNotificationConfigResponse',
    ],
    GetAgentCard: ['GetAgentCardRequest', 'AgentCard'],
    DeleteTaskPushNotificationConfig: ['DeleteTaskPushNotificationConfigRequest', 'Empty'],
  },
});
