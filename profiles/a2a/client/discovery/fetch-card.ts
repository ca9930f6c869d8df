// Owns how the card of an agent is fetched: from the places where it may be, without secrets unless the agent asks for
// them. SPEC.md section 20 (#a2a-client-connect).

import type { JsonObject } from '../../../../src/door/index.ts';
import type { Limits } from '../../../../src/transport.ts';
import { isJsonObject, TransportError } from '../../../../src/transport.ts';
import { jsonOf } from '../bindings/answer-body.ts';
import type { HttpPort } from '../bindings/http-port.ts';
import { noAnswer } from '../reading/protocol-fault.ts';
import { cardPlaces } from './card-places.ts';

export interface FetchedCard {
  /** Where it was found. */
  readonly url: string;
  readonly document: JsonObject;
}

export interface FetchCardOptions {
  readonly port: HttpPort;
  readonly limits: Limits;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The version that the card is asked in. */
  readonly version: string;
}

const UNAUTHENTICATED = 401;

/** Throws a TransportError: `refused` where there is no card. @param typed what the user typed. */
export async function fetchCard(typed: string, options: FetchCardOptions): Promise<FetchedCard> {
  const places = cardPlaces(typed);
  let last = 0;
  for (const url of places) {
    const { status, document } = await cardAt(url, options);
    if (document !== undefined) return { url, document };
    last = status;
    if (status !== 404 && status !== 405 && status !== 410) break;
  }
  const words = last === UNAUTHENTICATED ? 'it asks who you are' : `status ${last}`;
  throw new TransportError('refused', `there is no agent card at ${places[0]} (${words})`);
}

async function cardAt(
  url: string,
  options: FetchCardOptions,
): Promise<{ readonly status: number; readonly document?: JsonObject }> {
  let status = 0;
  // Who does not know the version may be one of before there were versions.
  for (const version of [{ 'a2a-version': options.version }, {}]) {
    const answer = await get(url, version, options);
    ({ status } = answer);
    if (status === 200) {
      const document = await jsonOf(answer, options.limits);
      if (document !== undefined && isJsonObject(document)) return { status, document };
      throw noAnswer('its card is no object');
    }
    answer.close();
    if (status !== 400 && status !== 406) break;
  }
  return { status };
}

async function get(
  url: string,
  version: Readonly<Record<string, string>>,
  { port, timeoutMs, signal }: FetchCardOptions,
): ReturnType<HttpPort['open']> {
  const headers = { accept: 'application/json, application/a2a+json', ...version };
  const request = { method: 'GET', url, headers, timeoutMs, signal };
  const answer = await port.open({ ...request, isProven: false });
  if (answer.status !== UNAUTHENTICATED) return answer;
  answer.close();
  return port.open(request);
}
