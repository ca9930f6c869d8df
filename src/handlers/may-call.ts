// Owns the question whether a sender could call a tool itself, which lists of tools ask too. SPEC.md sections 10 and 13 (#grant, #checks).

import type { RequestContext } from '../content.ts';
import { SdlError } from '../errors.ts';
import { authorize } from '../security/authorize.ts';

export function mayCall(tool: string, { peer, granted }: RequestContext): boolean {
  try {
    authorize({ ct: 'toolcall.v1', payload: { tool } }, peer, granted);
    return true;
  } catch (thrown) {
    if (thrown instanceof SdlError) return false;
    throw thrown;
  }
}
