// Owns by what the answering end knows a request: what openTask() gave, or the exchange in it, also as JSON. SPEC.md
// section 22 (#sealed-exchange).

import type { JsonObject } from '../../../src/codec/index.ts';
import { Exchange } from './exchange.ts';

/** What openTask() made of a request, its `exchange`, or that as JSON. */
export type RequestHandle = { readonly exchange?: Exchange | undefined } | Exchange | JsonObject;

export function exchangeOf(handle: RequestHandle): Exchange {
  if (handle instanceof Exchange) return handle;
  const { exchange } = handle as { readonly exchange?: unknown };
  if (exchange instanceof Exchange) return exchange;
  return Exchange.from((exchange ?? handle) as JsonObject);
}
