// Owns how an operation is asked for over gRPC: its call, and its one message. SPEC.md section 20 (#a2a-client-wires).

import type { JsonObject } from '../../../../src/door/index.ts';
import type { Rpc } from '../../grpc/rpcs.ts';
import { RPCS } from '../../grpc/rpcs.ts';
import type { OperationName } from '../../operations/inputs.ts';
import { writeProtobuf } from '../../protobuf/write.ts';
import type { Shape } from '../../wires/shape.ts';
import type { Asked } from './asked.ts';
import { paramsOf } from './params.ts';

export interface GrpcRequest {
  readonly rpc: Rpc;
  readonly message: Buffer;
}

/** Throws NUMBER_INEXACT for a number that protobuf cannot say. */
export function grpcRequestOf<Name extends OperationName>(
  operation: Name,
  asked: Asked[Name],
  shape: Shape,
  tenant: string | undefined,
): GrpcRequest {
  const rpc = RPCS.find((one) => one.table === shape.table && one.operation === operation);
  if (rpc === undefined) throw new TypeError(`gRPC has no call for "${operation}"`);
  const params = paramsOf(operation, asked, shape, tenant);
  const value = shape.name === 'v1' ? params : withName(params);
  return { rpc, message: writeProtobuf(shape.table, rpc.request, value) };
}

/** 0.3 names a task as a resource. */
function withName({ id, ...rest }: JsonObject): JsonObject {
  return id === undefined ? rest : { ...rest, name: `tasks/${id as string}` };
}
