// Owns how a step of a task is told to a web hook: one POST, in the words of the wire that the hook was asked for in.
// SPEC.md section 20 (#a2a-push-delivery).

import type { HookAnswer, HookNotice, HookTeller, TaskStep } from '../../../src/door/index.ts';
import { TransportError, writeJson } from '../../../src/transport.ts';
import type { GuardedOpen, GuardedStream } from '../../../transports/fetch/index.ts';
import { A2A_TYPE, JSON_TYPE } from '../bindings/media.ts';
import type { Wire } from '../wires/wire.ts';
import { WIRES } from '../wires/wires.ts';
import type { HookTarget, HookWire } from './config.ts';
import { targetOf } from './config.ts';
import { retryAfterMs } from './retry-after.ts';
import type { SignedNotice } from './signature.ts';
import { SIGNATURE_HEADER } from './signature.ts';

interface HookForm {
  readonly wire: Wire;
  readonly type: string;
  readonly version: string;
}

const FORMS: Readonly<Record<HookWire, HookForm>> = {
  v1: { wire: WIRES.v1, type: A2A_TYPE, version: '1.0' },
  v03: { wire: WIRES['v03-jsonrpc'], type: JSON_TYPE, version: '0.3' },
  draft: { wire: WIRES.draft, type: A2A_TYPE, version: '0.3' },
};

const GONE = 410;
/** How long what a receiver says beside its status is waited for: who is cut off while it writes may not like that. */
const LAST_WORDS_MS = 1_000;

/** Signs a notice. `undefined` while the agent has no key. */
export type SignNotice = (
  notice: Omit<SignedNotice, 'agentId' | 'bundle' | 'nowMs'>,
) => Promise<string | undefined>;

/**
 * @param shown what of a step may be told; `undefined` for nothing.
 * @param sign nothing goes out without it. @default notices are not signed
 */
export function createHookTeller(
  open: GuardedOpen,
  now: () => number,
  shown: (notice: HookNotice) => TaskStep | Promise<TaskStep | undefined>,
  sign?: SignNotice,
): HookTeller {
  return {
    tell: async (notice, signal) => {
      const { hook, isLast, deliveryId } = notice;
      const target = targetOf(hook);
      const form = FORMS[target.wire];
      const step = await shown(notice);
      const told = step && form.wire.writeStep(step, isLast);
      if (told === undefined) return 'told';
      const { url } = target;
      const { version } = form;
      const body = writeJson(told);
      const signature = await sign?.({ url, deliveryId, version, isLast, body });
      if (sign !== undefined && signature === undefined) return 'later';
      const headers = {
        ...headersOf(target, form, deliveryId),
        ...(signature !== undefined && { [SIGNATURE_HEADER]: signature }),
      };
      const stream = await post(open, url, headers, body, signal);
      return stream === undefined ? 'later' : answerIn(stream, now());
    },
  };
}

/** `undefined` where it could not be told: not reached, not in time, not allowed, or sent elsewhere. */
async function post(
  open: GuardedOpen,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  signal: AbortSignal,
): Promise<GuardedStream | undefined> {
  try {
    return await open(url, { method: 'POST', headers, body, signal });
  } catch (thrown) {
    if (thrown instanceof TransportError) return undefined;
    throw thrown;
  }
}

async function answerIn(stream: GuardedStream, nowMs: number): Promise<HookAnswer> {
  const { status, headers } = stream;
  await lastWords(stream);
  if (status >= 200 && status < 300) return 'told';
  if (status === GONE) return 'gone';
  return { later: retryAfterMs(headers['retry-after'], nowMs) };
}

async function lastWords(stream: GuardedStream): Promise<void> {
  const timer = setTimeout(() => stream.close(), LAST_WORDS_MS);
  await stream.whole().catch(() => undefined);
  clearTimeout(timer);
}

function headersOf(
  { token, schemes = [], credentials }: HookTarget,
  { type, version }: HookForm,
  deliveryId: string,
): Readonly<Record<string, string>> {
  const [scheme] = schemes;
  const isProven = scheme !== undefined && credentials !== undefined;
  return {
    'Content-Type': type,
    'A2A-Version': version,
    'A2A-Sdl-Delivery': deliveryId,
    ...(isProven && { Authorization: `${scheme} ${credentials}` }),
    ...(token !== undefined && { 'X-A2A-Notification-Token': token }),
  };
}
