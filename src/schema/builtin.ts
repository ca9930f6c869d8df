// Owns the nine built-in content types and the schemas of record behind them. SPEC.md section 9 (#content-types).

import artifact from '../../schemas/artifact.v1.json' with { type: 'json' };
import error from '../../schemas/error.v1.json' with { type: 'json' };
import negotiation from '../../schemas/negotiation.v1.json' with { type: 'json' };
import session from '../../schemas/session.v1.json' with { type: 'json' };
import state from '../../schemas/state.v1.json' with { type: 'json' };
import task from '../../schemas/task.v1.json' with { type: 'json' };
import toolcall from '../../schemas/toolcall.v1.json' with { type: 'json' };
import toolresult from '../../schemas/toolresult.v1.json' with { type: 'json' };
import trustsync from '../../schemas/trustsync.v1.json' with { type: 'json' };
import type { Schema } from './descriptor.ts';

export const BUILTIN_SCHEMAS: Readonly<Record<string, Schema>> = {
  'artifact.v1': artifact,
  'error.v1': error,
  'negotiation.v1': negotiation,
  'session.v1': session,
  'state.v1': state,
  'task.v1': task,
  'toolcall.v1': toolcall,
  'toolresult.v1': toolresult,
  'trustsync.v1': trustsync,
};
