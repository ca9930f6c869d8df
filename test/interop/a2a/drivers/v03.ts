// Owns what is the same for all packages of 0.3: the cases that they have no words for, and how gRPC refuses.

import type { Reason } from './driver.ts';

export const V03_CANNOT: Readonly<Record<number, string>> = {
  11: '0.3 has no lists',
  12: '0.3 has no lists',
  13: '0.3 has no lists',
  14: '0.3 has no lists',
  22: 'data is an object in 0.3',
  31: '0.3 has no tenants',
};

export const GRPC_STATUSES: Readonly<Record<Reason, string>> = {
  TASK_NOT_FOUND: 'NOT_FOUND',
  TASK_NOT_CANCELABLE: 'FAILED_PRECONDITION',
  UNSUPPORTED_OPERATION: 'UNIMPLEMENTED',
  PUSH_NOTIFICATION_NOT_SUPPORTED: 'UNIMPLEMENTED',
  CONTENT_TYPE_NOT_SUPPORTED: 'INVALID_ARGUMENT',
  EXTENSION_SUPPORT_REQUIRED: 'FAILED_PRECONDITION',
  VERSION_NOT_SUPPORTED: 'FAILED_PRECONDITION',
  INVALID_PARAMS: 'INVALID_ARGUMENT',
  UNAUTHENTICATED: 'UNAUTHENTICATED',
};
