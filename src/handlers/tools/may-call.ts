// Owns the question whether a sender could call a tool itself, which lists of tools ask too. SPEC.md sections 10 and 13 (#grant, #checks).

import type { RequestContext } from '../../content.ts';
import { SdlError } from '../../errors.ts';
import { authorize } from '../../security/policy/authorize.ts';

/** Now: a task may outlive the grant that it came with. A grant whose end is not known has ended. */
export function mayCall(tool: string, { peer, granted, now }: RequestContext): boolean {
  const isInForce = granted !== undefined && now() <= granted.notAfterMs;
  try {
    authorize({ ct: 'toolcall.v1', payload: { tool } }, peer, isInForce ? granted : undefined);
    return true;
  } catch (thrown) {
    if (thrown instanceof SdlError) return false;
    throw thrown;
  }
}
