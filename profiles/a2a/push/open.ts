// Owns how web hooks are reached, and that the face tells them. SPEC.md section 20 (#a2a-push-guard,
// #a2a-push-signed).

import type { HookNotice, TaskStep } from '../../../src/door/index.ts';
import { chooseProvider } from '../../../src/security/index.ts';
import type { ListenContext } from '../../../src/transport.ts';
import type { FetchLimits, GuardedFetchOptions } from '../../../transports/fetch/index.ts';
import { createGuardedOpen, createUrlGuard } from '../../../transports/fetch/index.ts';
import { SealedNotices } from '../sealed-tasks/notices.ts';
import type { SealedTasks } from '../sealed-tasks/sealed-tasks.ts';
import type { UrlGuard } from './config.ts';
import { signDelivery } from './signature.ts';
import type { SignNotice } from './teller.ts';
import { createHookTeller } from './teller.ts';

/** What the embedder may say of how web hooks are reached. */
export type HookFetch = Pick<FetchLimits, 'timeoutMs' | 'lookup' | 'ca' | 'clientCertificate'>;

export interface PushSettings extends HookFetch {
  /** Also on this machine. */
  readonly allowLoopback: boolean;
  /** Each notice carries the agent's signature. */
  readonly isSigned: boolean;
}

/** For one notice: a receiver that takes longer is asked again later. */
const TIMEOUT_MS = 10_000;
/** What a receiver may say beside its status; nobody reads it. */
const MAX_BYTES = 65_536;

/** Which web hooks are taken; `undefined` where there are none. @param settings `undefined` where they are turned off. */
export function openPush(
  face: string,
  context: ListenContext,
  settings: PushSettings | undefined,
  sealed: SealedTasks | undefined,
): UrlGuard | undefined {
  const { tellHooks } = context;
  if (settings === undefined || tellHooks === undefined) return undefined;
  const { isSigned, ...reached } = settings;
  const options: GuardedFetchOptions = {
    timeoutMs: TIMEOUT_MS,
    ...reached,
    maxBytes: MAX_BYTES,
    allowHttp: true,
    ports: 'web',
  };
  const notices = sealed && new SealedNotices(sealed);
  const shown = (notice: HookNotice): TaskStep | Promise<TaskStep | undefined> =>
    notices === undefined ? notice.step : notices.of(notice);
  const sign = isSigned ? signFor(context) : undefined;
  tellHooks(face, createHookTeller(createGuardedOpen(options), Date.now, shown, sign));
  return createUrlGuard(options);
}

/** With the keys of now: a notice that is told again after a rotation has a new signature. */
function signFor({ signer, about, bundle }: ListenContext): SignNotice {
  const { sha256 } = chooseProvider();
  return async (notice) => {
    const keys = signer();
    if (keys === undefined) return undefined;
    const own = { agentId: about().agentId, bundle: bundle()?.document, nowMs: Date.now() };
    return signDelivery({ ...notice, ...own }, keys, sha256);
  };
}
