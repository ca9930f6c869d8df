// Owns how REST answers in each wire: media types, statuses, and the form of a refusal. SPEC.md section 20 (#a2a-rest,
// #a2a-media).

import type { JsonObject } from '../../../src/door/index.ts';
import type { HttpCall } from '../../../transports/http/index.ts';
import type { A2aError } from '../errors/a2a-error.ts';
import { jsonRpcError, problemBody, statusBody } from '../errors/forms.ts';
import type { Profile } from '../errors/kinds.ts';
import { httpStatusOf } from '../errors/kinds.ts';
import type { OperationName } from '../operations/inputs.ts';
import type { WireName } from '../wires/wire.ts';
import { A2A_TYPE, JSON_TYPE, PROBLEM_TYPE, answerType } from './media.ts';

export interface RestForm {
  /** Of answers. */
  readonly type: string;
  statusOf(operation: OperationName): number;
  refusal(error: A2aError): {
    readonly status: number;
    readonly type: string;
    readonly body: JsonObject;
  };
}

const OK = 200;
const CREATED = 201;
const NO_CONTENT = 204;

/** 0.3 and the draft have the statuses that 1.0.0 had. */
export const EARLIER: Profile = '1.0.0';

export function restFormFor(
  http: HttpCall,
  wire: Exclude<WireName, 'v03-jsonrpc'>,
  profile: Profile,
): RestForm {
  if (wire === 'v1') {
    const type = answerType(http, profile === '1.0.0' ? JSON_TYPE : A2A_TYPE);
    return {
      type,
      statusOf: () => OK,
      refusal: (error) => {
        const status = httpStatusOf(error.kind, profile);
        return { status, type, body: statusBody(error, status, profile) };
      },
    };
  }
  if (wire === 'draft') {
    return {
      type: answerType(http, A2A_TYPE),
      statusOf: (operation) => (operation === 'deletePush' ? NO_CONTENT : OK),
      refusal: (error) => {
        const status = httpStatusOf(error.kind, EARLIER);
        return { status, type: PROBLEM_TYPE, body: problemBody(error, status) };
      },
    };
  }
  return {
    type: JSON_TYPE,
    // Servers of 0.3 say so, and their clients take it.
    statusOf: (operation) => {
      if (operation === 'deletePush') return NO_CONTENT;
      return operation === 'send' || operation === 'createPush' ? CREATED : OK;
    },
    refusal: (error) => ({
      status: httpStatusOf(error.kind, EARLIER),
      type: JSON_TYPE,
      body: jsonRpcError(error),
    }),
  };
}
