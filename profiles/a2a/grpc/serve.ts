// Owns how one call is served: admitted, who asks, which version, its message, and what comes of it. SPEC.md section 20
// (#a2a-grpc).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import { SdlError } from '../../../src/door/index.ts';
import type { FaceTicket } from '../../../src/transport.ts';
import type { Service } from '../bindings/exchange.ts';
import { Exchange } from '../bindings/exchange.ts';
import { versionNamed, versionRefusal } from '../bindings/version.ts';
import type { Cards } from '../card/cards.ts';
import { legacyProtoForm } from '../card/legacy-proto.ts';
import { A2aError, refusal, toA2aError } from '../errors/a2a-error.ts';
import type { Performed } from '../operations/perform.ts';
import { FACE } from '../operations/send.ts';
import { readProtobuf } from '../protobuf/read.ts';
import { writeProtobuf } from '../protobuf/write.ts';
import type { GrpcCall } from './call.ts';
import type { Rpc } from './rpcs.ts';

export interface GrpcService extends Service {
  readonly cards: Pick<Cards, 'document' | 'extended'>;
}

const MEDIA_TYPE = 'application/grpc+proto';

/** Never rejects. */
export async function serveCall(call: GrpcCall, rpc: Rpc, service: GrpcService): Promise<void> {
  if (call.isGone) return;
  let ticket: FaceTicket;
  try {
    ticket = service.context.admit(FACE, call.peer);
  } catch (thrown) {
    call.refuse(toA2aError(thrown));
    return;
  }
  const exchange = new Exchange(call, service, ticket);
  call.onRefused = (error) => void exchange.told(error);
  try {
    if (isLegacyCard(rpc)) await answerCard(call, rpc, exchange, service.cards);
    else await tell(call, rpc, exchange, await begin(call, rpc, exchange));
  } catch (thrown) {
    // Who has gone is told nothing, and what ended with it is no fault.
    if (!call.isGone) call.refuse(exchange.told(thrown));
  } finally {
    ticket.release();
  }
}

/** Nothing of the request is held while it is told what came of it. `undefined` when the client has gone. */
async function begin(call: GrpcCall, rpc: Rpc, exchange: Exchange): Promise<Performed | undefined> {
  await exchange.identify();
  const bytes = await bytesOf(call, rpc);
  if (bytes === undefined) return undefined;
  const { wire, operation } = rpc;
  return exchange.perform({
    wire,
    operation,
    value: rpc.valueOf(requestIn(bytes, rpc, exchange)),
    carrier: { binding: 'GRPC', bytes, mediaType: MEDIA_TYPE },
  });
}

async function bytesOf(call: GrpcCall, { version }: Rpc): Promise<Uint8Array | undefined> {
  const asked = versionNamed(call.headers['a2a-version']);
  if (asked !== undefined && asked !== version) throw versionRefusal([version]);
  return call.read();
}

function requestIn(bytes: Uint8Array, { table, request }: Rpc, { service }: Exchange): JsonObject {
  try {
    return readProtobuf(table, request, bytes, service.context.limits);
  } catch (thrown) {
    throw toA2aError(thrown);
  }
}

async function tell(
  call: GrpcCall,
  rpc: Rpc,
  exchange: Exchange,
  performed: Performed | undefined,
): Promise<void> {
  if (performed === undefined) return;
  if ('frames' in performed) await stream(call, rpc, exchange, performed.frames);
  else await call.answer(messageOf(rpc, performed.body), exchange.echoed);
}

type Frames = Extract<Performed, { readonly frames: unknown }>['frames'];

/** Frames have no ids: where the stream begins in the log is said before them, where it ends behind them. */
async function stream(call: GrpcCall, rpc: Rpc, exchange: Exchange, frames: Frames): Promise<void> {
  let hasBegun = false;
  let last: number | undefined;
  try {
    for await (const { data, generation } of frames) {
      if (!hasBegun) {
        const at = data === undefined ? call.headers['last-event-id'] : generation;
        call.begin({ ...exchange.echoed, ...(at !== undefined && { 'event-id': `${at}` }) });
        hasBegun = true;
      }
      if (data !== undefined) await call.write(messageOf(rpc, data));
      if (call.isGone) return;
      last = generation ?? last;
    }
    call.end(placeOf(last));
  } catch (thrown) {
    if (!call.isGone) call.refuse(exchange.told(thrown), placeOf(last));
  }
}

function placeOf(last: number | undefined): Readonly<Record<string, string>> {
  return last === undefined ? {} : { 'last-event-id': String(last) };
}

function isLegacyCard({ version, operation }: Rpc): boolean {
  return version === '0.3' && operation === 'extendedCard';
}

/** 0.3 has one card over gRPC: the extended one for who may have it, and that of everybody for all others. */
async function answerCard(
  call: GrpcCall,
  rpc: Rpc,
  exchange: Exchange,
  cards: GrpcService['cards'],
): Promise<void> {
  const caller = await exchange.identify().catch((thrown: unknown) => {
    if (thrown instanceof A2aError && thrown.kind === 'UNAUTHENTICATED') return undefined;
    throw thrown;
  });
  const bytes = await bytesOf(call, rpc);
  if (bytes === undefined) return;
  requestIn(bytes, rpc, exchange);
  const extended = await cards.extended(caller, 'superset');
  const card = extended.kind === 'card' ? extended.card : await cards.document('superset');
  await call.answer(messageOf(rpc, legacyProtoForm(card)), exchange.echoed);
}

function messageOf({ table, response }: Rpc, body: JsonValue): Buffer {
  try {
    // The wires of gRPC answer with nothing but messages.
    return writeProtobuf(table, response, body as JsonObject);
  } catch (thrown) {
    if (!(thrown instanceof SdlError) || thrown.code !== 'NUMBER_INEXACT') throw thrown;
    throw refusal(
      'UNSUPPORTED_OPERATION',
      'NUMBER_INEXACT',
      'the answer holds a number that gRPC cannot say exactly: ask over JSON-RPC or REST',
    );
  }
}
