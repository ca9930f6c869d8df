// Owns whether another agent understands parts: what it has announced so far, or announces when it is asked.
// SPEC.md section 8 (#cap-x, #parts).

import { SdlError } from '../errors.ts';
import type { ClientServices, ExchangeOptions } from './exchange.ts';

export interface Understanding {
  /** As far as is known without asking. */
  knowsParts(): Promise<boolean>;
  /** Throws CT_UNSUPPORTED, before anything is sent that would not be understood. */
  assertParts(options: ExchangeOptions): Promise<void>;
}

export function understandingOf(
  agentId: string,
  services: () => Promise<Pick<ClientServices, 'contacts'>>,
  negotiate: (options: ExchangeOptions) => Promise<unknown>,
): Understanding {
  const knowsParts = async (): Promise<boolean> => {
    const { contacts } = await services();
    return (await contacts.get(agentId))?.additions.has('parts') === true;
  };
  return {
    knowsParts,
    async assertParts({ mode, encoding, signal, timeoutMs }) {
      if (await knowsParts()) return;
      await negotiate({
        ...(mode !== undefined && { mode }),
        ...(encoding !== undefined && { encoding }),
        ...(signal !== undefined && { signal }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
      if (await knowsParts()) return;
      throw new SdlError(
        'CT_UNSUPPORTED',
        'the agent does not understand parts, so it was not sent what only parts can say: send it text and one JSON object',
      );
    },
  };
}
