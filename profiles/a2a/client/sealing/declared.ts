// Owns what a card says of sealing, whether or not anybody vouches for the card. SPEC.md section 22 (#sealed-card).

import { isJsonArray, isJsonObject } from '../../../../src/codec/index.ts';
import type { JsonObject } from '../../../../src/door/index.ts';
import { SEALED_EXTENSION } from '../../sealed/extension.ts';

/** The id of the agent that a card says can be sealed to. */
export function declaredIn({ capabilities }: JsonObject): string | undefined {
  const list = isJsonObject(capabilities ?? null)
    ? (capabilities as JsonObject)['extensions']
    : undefined;
  if (list === undefined || !isJsonArray(list)) return undefined;
  const params = list.filter(isJsonObject).find(({ uri }) => uri === SEALED_EXTENSION)?.['params'];
  if (params === undefined || !isJsonObject(params)) return undefined;
  const { agentId } = params;
  return typeof agentId === 'string' ? agentId : undefined;
}
