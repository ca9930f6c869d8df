// Owns getting to know an agent: its card fetched, proven and read, and the address that is used of it chosen.
// SPEC.md section 20 (#a2a-client-connect, #a2a-client-card, #a2a-client-choice).

import { SdlError } from '../../../../src/door/index.ts';
import type { LoadGrpc } from '../../grpc/package.ts';
import { loadGrpc } from '../../grpc/package.ts';
import type { GrpcPort } from '../bindings/grpc-port.ts';
import { createGrpcPort } from '../bindings/grpc-port.ts';
import type { HttpPort } from '../bindings/http-port.ts';
import { createHttpPort } from '../bindings/http-port.ts';
import { createProofs } from '../credentials/proofs.ts';
import { createGuardedFetch } from '../../../../transports/fetch/index.ts';
import type { ResolvedClientOptions } from '../options.ts';
import type { ChosenInterface, InterfaceWish } from './choose.ts';
import { chooseInterface, isGrpc } from './choose.ts';
import { fetchCard } from './fetch-card.ts';
import type { KnownCard } from './known-card.ts';
import { readCard } from './known-card.ts';
import type { CardPin, CardProof } from './proof.ts';
import { proveCard } from './proof.ts';

export interface DiscoveredAgent {
  readonly cardUrl: string;
  readonly card: KnownCard;
  readonly proof: CardProof;
  readonly chosen: ChosenInterface;
  /** What all that is asked of it goes through. */
  readonly ports: Ports;
}

interface Ports {
  readonly http: HttpPort;
  readonly grpc: GrpcPort;
}

export interface CardReading {
  readonly cardUrl: string;
  readonly card: KnownCard;
  readonly proof: CardProof;
  readonly ports: Ports;
}

const HTTP = /^https?:\/\//i;

/** The card alone: also that of an agent which cannot be spoken to. @param typed what the operator typed. */
export async function readRemoteCard(
  typed: string,
  options: ResolvedClientOptions,
  signal: AbortSignal,
): Promise<CardReading> {
  if (!HTTP.test(typed) || !URL.canParse(typed)) {
    throw new TypeError('"url" expected an http or https address');
  }
  const { limits, timeoutMs, fetch, now, credentials } = options;
  const made = {
    typedUrls: [typed, ...options.typedUrls],
    proofs: createProofs(credentials, createGuardedFetch(fetch), now),
    maxBytes: limits.maxBytes,
    fetch,
  };
  const port = createHttpPort(made);
  const asking = { port, limits, timeoutMs, signal };
  // Some agents show to who asks in one version only what is of that version.
  const version = (options.prefer.version ?? '1.0') === '1.0' ? '1.0' : '0.3';
  const fetched = await fetchCard(typed, { ...asking, version });
  const pin = options.pin(fetched.url);
  const { url, document, proof } = await proveCard(fetched, { ...asking, pin });
  return {
    cardUrl: url,
    card: readCard(document),
    proof,
    ports: { http: port, grpc: createGrpcPort(made) },
  };
}

/** @param load replaced in tests. */
export async function discover(
  typed: string,
  options: ResolvedClientOptions,
  signal: AbortSignal,
  load?: LoadGrpc,
): Promise<DiscoveredAgent> {
  const reading = await readRemoteCard(typed, options, signal);
  const chosen = await chooseUsable(reading, options.prefer, load);
  assertAgreed(chosen, reading.cardUrl, options.pin(reading.cardUrl));
  return { ...reading, chosen };
}

/** gRPC is usable where its package is installed, which is looked for only when a card offers it. */
async function chooseUsable(
  { card, cardUrl }: Pick<CardReading, 'card' | 'cardUrl'>,
  wish?: InterfaceWish,
  load?: LoadGrpc,
): Promise<ChosenInterface> {
  const offersGrpc = card.interfaces.some(isGrpc);
  const noGrpc = offersGrpc ? await loadGrpc(load).then(() => undefined, wordsOf) : undefined;
  return chooseInterface(card, wish, { cardUrl, ...(noGrpc !== undefined && { noGrpc }) });
}

function wordsOf(thrown: unknown): string {
  return (thrown as Error).message;
}

/** Where requests go to is part of what was agreed to. */
function assertAgreed({ url }: ChosenInterface, cardUrl: string, pin: CardPin | undefined): void {
  const { origin } = new URL(url);
  if (pin?.origins === undefined || origin === new URL(cardUrl).origin) return;
  if (pin.origins.includes(origin)) return;
  throw new SdlError(
    'SENDER_REFUSED',
    `the card at ${cardUrl} now sends its callers to ${origin}, which was not agreed to`,
  );
}
