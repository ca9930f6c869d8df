// Owns the receiving end of web hooks: who may tell something is checked before it is read, and nothing is told twice.
// SPEC.md section 20 (#a2a-hook-receiver).

import { createHash } from 'node:crypto';

import { A2A_TYPE, JSON_TYPE } from '../bindings/media.ts';
import type { HookReceiverOptions, ResolvedReceiver, ShownByHook } from './options.ts';
import { resolveReceiver } from './options.ts';
import { isProven, schemesOf } from './proof.ts';
import type { ToldEvent } from './read-event.ts';
import { UnreadableHook, readHookEvent, taskIdOf } from './read-event.ts';
import type { HookRequest, HookResponse, NodeHookRequest, NodeHookResponse } from './request.ts';
import { fromNode, readBody } from './request.ts';
import type { Told } from './told-once.ts';
import { ToldOnce } from './told-once.ts';

export interface HookReceiver {
  /** For node:http, Express and whatever else has its requests. Before anything that reads bodies. */
  readonly handler: (request: NodeHookRequest, response: NodeHookResponse) => void;
  /** For servers with the Request of the web: the answer is for `new Response(body, { status, headers })`. */
  receive(request: HookRequest): Promise<HookResponse>;
}

const ANSWERS: Readonly<Record<Told, readonly [status: number, words: string]>> = {
  told: [204, ''],
  gone: [410, 'nobody waits for this any more'],
  failed: [500, 'it could not be taken in: try again later'],
};
const LATER_S = '5';
/** In the same words whatever was wrong. */
const REFUSED = 'this notification is not proven';

/** Takes in what other agents tell of tasks that they were asked to tell of. */
export function createHookReceiver(options: HookReceiverOptions): HookReceiver {
  const resolved = resolveReceiver(options);
  const once = new ToldOnce(resolved.remembers);
  let atOnce = 0;
  const receive = async (request: HookRequest): Promise<HookResponse> => {
    const refusal = await refusalOf(request, resolved, atOnce);
    if (refusal !== undefined) return refusal;
    atOnce += 1;
    try {
      return await take(request, resolved, once);
    } finally {
      atOnce -= 1;
    }
  };
  return {
    receive,
    handler: (request, response) => {
      const answering = request.readableDidRead
        ? Promise.resolve(
            answer(500, 'the body was read before: mount the receiver before parsers'),
          )
        : receive(fromNode(request));
      void answering.then(({ status, headers, body }) => {
        // What was not read is not waited for.
        const closing = status === 204 ? {} : { connection: 'close' };
        response.writeHead(status, { ...headers, ...closing });
        response.end(body);
      });
    },
  };
}

/** What is wrong with it before its body is read. */
async function refusalOf(
  { method, headers }: HookRequest,
  options: ResolvedReceiver,
  atOnce: number,
): Promise<HookResponse | undefined> {
  if (method !== 'POST') return answer(405, 'notifications are POSTs', { allow: 'POST' });
  if (!(await judged(shownBy(headers), options))) {
    const schemes = schemesOf(options);
    const challenge = schemes.length === 0 ? {} : { 'www-authenticate': schemes.join(', ') };
    return answer(401, REFUSED, challenge);
  }
  const type = typeOf(headers);
  if (type !== JSON_TYPE && type !== A2A_TYPE) {
    return answer(415, `expected ${A2A_TYPE} or ${JSON_TYPE}`);
  }
  if (Number(headers.get('content-length') ?? 0) > options.maxBytes) return tooLarge(options);
  if (atOnce < options.maxAtOnce) return undefined;
  return answer(503, 'too many notifications at once', { 'retry-after': LATER_S });
}

/** A judge that fails has not agreed. */
async function judged(shown: ShownByHook, options: ResolvedReceiver): Promise<boolean> {
  try {
    return await isProven(shown, options);
  } catch {
    return false;
  }
}

async function take(
  { headers, body }: HookRequest,
  options: ResolvedReceiver,
  once: ToldOnce,
): Promise<HookResponse> {
  const { maxBytes, timeoutMs } = options;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), timeoutMs);
  });
  try {
    const bytes = await Promise.race([readBody(body, maxBytes), late]);
    if (bytes === 'late') return answer(408, 'the body did not arrive in time');
    if (bytes === undefined) return tooLarge(options);
    const version = headers.get('a2a-version') ?? '';
    const told = readHookEvent(bytes, { version, type: typeOf(headers), maxBytes });
    const [status, words] = ANSWERS[await tell(told, bytes, headers, options, once)];
    return answer(status, words);
  } catch (thrown) {
    return answer(400, thrown instanceof UnreadableHook ? thrown.message : 'the body broke off');
  } finally {
    clearTimeout(timer);
  }
}

async function tell(
  { event, version }: ToldEvent,
  bytes: Uint8Array,
  headers: HookRequest['headers'],
  { onEvent }: ResolvedReceiver,
  once: ToldOnce,
): Promise<Told> {
  const shown = shownBy(headers);
  const id = headers.get('a2a-sdl-delivery') ?? undefined;
  const taskId = taskIdOf(event);
  const lane = taskId ?? '';
  const key = keyOf([shown.token, shown.authorization, id === undefined ? bytes : `${lane} ${id}`]);
  // Two pieces of output may be alike, and the second one must not be lost.
  const isPiece = id === undefined && event.type === 'artifact' && event.append;
  const mayBeRepeat = isPiece && once.has(key);
  const run = async (): Promise<Told> => {
    try {
      const delivery = {
        event,
        ...(taskId !== undefined && { taskId }),
        version,
        ...(id !== undefined && { id }),
        ...(shown.token !== undefined && { token: shown.token }),
        mayBeRepeat,
      };
      return (await onEvent(delivery)) === 'gone' ? 'gone' : 'told';
    } catch {
      return 'failed';
    }
  };
  if (!mayBeRepeat) return once.tell(key, lane, run);
  return once.inOrder(lane, run);
}

/** Of who told it, and what it is known by. */
function keyOf(members: readonly (string | Uint8Array | undefined)[]): string {
  const hash = createHash('sha256');
  for (const member of members) {
    hash.update(
      createHash('sha256')
        .update(member ?? '')
        .digest(),
    );
  }
  return hash.digest('base64url');
}

function shownBy(headers: HookRequest['headers']): ShownByHook {
  const [token, authorization] = [
    headers.get('x-a2a-notification-token'),
    headers.get('authorization'),
  ];
  return { ...(token !== null && { token }), ...(authorization !== null && { authorization }) };
}

function typeOf(headers: HookRequest['headers']): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

function tooLarge({ maxBytes }: ResolvedReceiver): HookResponse {
  return answer(413, `the body is larger than ${maxBytes} bytes`);
}

function answer(
  status: number,
  words: string,
  headers: Readonly<Record<string, string>> = {},
): HookResponse {
  if (words === '') return { status, headers, body: '' };
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ error: words }),
  };
}
