// Drives clients of Python packages, each in a process of its own that is started when it is first needed. To be made in
// the body of a `describe`: the process ends with its tests.

import { afterAll } from 'vitest';

import type { Json } from '../../../support/a2a/ask.ts';
import type { JsonObject } from '../client.ts';
import { DRAFT_WORDS } from '../words/draft.ts';
import { V03_WORDS } from '../words/v03.ts';
import { V1_WORDS } from '../words/v1.ts';
import type { Binding, Connection, Driver, Line, Reason } from './driver.ts';
import { PythonProcess } from './python-process.ts';
import { GRPC_STATUSES, V03_CANNOT } from './v03.ts';

export function pythonV1(python: string, binding: Binding): Driver {
  return {
    name: `a2a-sdk 1.3.0 of Python over ${binding}`,
    words: V1_WORDS,
    cannot: {},
    loses: [],
    tells: (reason) => {
      if (reason !== 'UNAUTHENTICATED') return reason;
      return binding === 'GRPC' ? 'gRPC UNAUTHENTICATED' : 'HTTP 401';
    },
    connect: connecting(python, 'sdk_v1.py', binding),
  };
}

export function pythonV03(python: string, binding: Binding): Driver {
  return {
    name: `a2a-sdk 0.3.26 of Python over ${binding}`,
    words: V03_WORDS,
    cannot: { ...V03_CANNOT, 43: 'it neither lists nor drops web hooks' },
    loses: binding === 'JSONRPC' ? [] : ['file names', 'a history of none', 'times', 'bytes'],
    tells: (reason, operation) => {
      if (binding === 'JSONRPC') {
        if (reason === 'UNAUTHENTICATED') return 'HTTP 401';
        // To a message with a stream it reads no answer but a stream.
        return operation === 'stream' ? 'HTTP 400' : reason;
      }
      if (binding === 'GRPC') return `gRPC ${GRPC_STATUSES[reason]}`;
      // It does not look at the status of a subscription, only at the type.
      return `HTTP ${operation === 'subscribe' ? 400 : STATUSES[reason]}`;
    },
    connect: connecting(python, 'sdk_v03.py', binding),
  };
}

/** Of 0.3 and of the draft. */
const STATUSES: Readonly<Record<Reason, number>> = {
  TASK_NOT_FOUND: 404,
  TASK_NOT_CANCELABLE: 409,
  UNSUPPORTED_OPERATION: 400,
  PUSH_NOTIFICATION_NOT_SUPPORTED: 400,
  CONTENT_TYPE_NOT_SUPPORTED: 415,
  EXTENSION_SUPPORT_REQUIRED: 400,
  VERSION_NOT_SUPPORTED: 400,
  INVALID_PARAMS: 400,
  UNAUTHENTICATED: 401,
};

export function penguiflow(python: string): Driver {
  return {
    name: 'penguiflow 3.11.2',
    words: DRAFT_WORDS,
    cannot: {
      9: 'it skips messages in streams',
      12: 'its lists know no moment',
      17: 'it leaves a task that waits',
      22: 'data is an object in the draft',
      23: 'it sends no files',
      24: 'it sends no files',
      28: 'it asks for no history with a message',
      29: 'it knows no extended card',
      30: 'it verifies no signatures',
      31: 'it names no tenant',
      40: 'it sends no files',
      45: 'it brings no web hook with a message',
    },
    loses: [],
    tells: (reason) => `HTTP ${STATUSES[reason]}`,
    connect: connecting(python, 'penguiflow_client.py', 'HTTP+JSON'),
  };
}

function connecting(python: string, script: string, binding: Binding): Driver['connect'] {
  let started: PythonProcess | undefined;
  afterAll(() => started?.stop());
  return async (address, connection) => {
    started ??= new PythonProcess(python, script);
    const asked = { ...connection, address, binding } as JsonObject & Connection;
    const { client, card } = (await started.ask('connect', asked)) as {
      client: number;
      card: Json;
    };
    return lineTo(started, client, card);
  };
}

function lineTo(process: PythonProcess, client: number, card: Json): Line {
  return {
    card,
    call: (operation, params) => process.ask('call', { client, operation, params }),
    follow: async function* follow(operation, params, signal) {
      const asked = { client, operation, params };
      const { stream } = (await process.ask('follow', asked)) as { stream: number };
      const leave = (): void => void process.ask('leave', { stream });
      signal?.addEventListener('abort', leave);
      try {
        for (;;) {
          const { step } = (await process.ask('next', { stream })) as { step?: Json };
          if (step === undefined) return;
          yield step;
        }
      } finally {
        signal?.removeEventListener('abort', leave);
      }
    },
    close: async () => void (await process.ask('close', { client })),
  };
}
