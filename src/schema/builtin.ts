// Owns the content types that are built in and the schemas of record behind them: nine of the SDL wire, and four that
// only other dialects carry. SPEC.md sections 9 and 22 (#content-types, #sealed-content).

import a2aArtifact from '../../schemas/a2a.artifact.v1.json' with { type: 'json' };
import a2aDigest from '../../schemas/a2a.digest.v1.json' with { type: 'json' };
import a2aMessage from '../../schemas/a2a.message.v1.json' with { type: 'json' };
import a2aStatus from '../../schemas/a2a.status.v1.json' with { type: 'json' };
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
  'a2a.artifact.v1': a2aArtifact,
  'a2a.digest.v1': a2aDigest,
  'a2a.message.v1': a2aMessage,
  'a2a.status.v1': a2aStatus,
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
