// Owns the wires by name. SPEC.md section 20 (#a2a-wires).

import { DRAFT_WIRE } from './draft/wire.ts';
import { V03_JSONRPC_WIRE } from './v03/jsonrpc-wire.ts';
import { V03_REST_WIRE } from './v03/rest-wire.ts';
import { V1_WIRE } from './v1/wire.ts';
import type { Wire, WireName } from './wire.ts';

export const WIRES: Readonly<Record<WireName, Wire>> = {
  v1: V1_WIRE,
  'v03-jsonrpc': V03_JSONRPC_WIRE,
  'v03-rest': V03_REST_WIRE,
  draft: DRAFT_WIRE,
};
