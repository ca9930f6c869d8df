// The whole pass over an unsecured message: decode, limits, shape, our schema, the sender's schema.

import type { Encoding } from '../../src/envelope/decode.ts';
import { decodeMessage } from '../../src/envelope/decode.ts';
import { checkShape } from '../../src/envelope/shape.ts';
import type { Envelope } from '../../src/envelope/types.ts';
import type { SchemaRegistry } from '../../src/schema/registry.ts';

export function receive(bytes: Uint8Array, encoding: Encoding, registry: SchemaRegistry): Envelope {
  const envelope = checkShape(decodeMessage(bytes, encoding), registry);
  const { ct, payload, schema } = envelope;
  const check = { ct, payload, descriptor: schema };
  registry.checkOwn(check);
  registry.checkSenders(check);
  return envelope;
}
