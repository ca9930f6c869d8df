// Owns the requests of one seed, sealed once: whatever is sent again is the same bytes.

import type { ReadyHome } from '../../../cli/home/init.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { Content } from '../../../src/envelope/build.ts';
import type { SealedEnvelope } from '../../../src/pipeline/seal-envelope.ts';
import { operatorMessage } from '../agents/daemon-peers.ts';
import type { Plan, PlannedRequest } from './plan.ts';
import { payloadWith } from '../agents/task-face.ts';

/** Longer than a seed takes. */
const LIFETIME_MS = 1_800_000;
const LONG_S = 600;

export interface KillRequest extends PlannedRequest {
  readonly name: string;
  readonly nonce: string;
  readonly message: SealedEnvelope;
  /** The task that it starts, if it gives it an id. */
  readonly startsId: string | undefined;
}

/** One list a round. */
export async function requestsOf(
  home: ReadyHome,
  { rounds }: Plan,
): Promise<readonly (readonly KillRequest[])[]> {
  const made: KillRequest[] = [];
  const all: KillRequest[][] = [];
  for (const { requests } of rounds) {
    const round: KillRequest[] = [];
    for (const planned of requests) {
      const request = await requestOf(home, planned, made);
      made.push(request);
      round.push(request);
    }
    all.push(round);
  }
  return all;
}

async function requestOf(
  home: ReadyHome,
  planned: PlannedRequest,
  earlier: readonly KillRequest[],
): Promise<KillRequest> {
  const name = `q${earlier.length}`;
  const nonce = backIn(earlier, planned.reuses)?.nonce ?? `nonce-${name}`;
  const ids = earlier.flatMap(({ startsId }) => startsId ?? []);
  const { kind } = planned;
  const content = contentOf(planned, name, backIn(ids, planned.target));
  const wantsStream = kind === 'follow' || kind === 'watch';
  const message = await sealed(home, content, { nonce, wantsStream });
  const startsId = kind === 'start' || kind === 'follow' || kind === 'ask' ? name : undefined;
  return { ...planned, name, nonce, message, startsId };
}

/** A signed and encrypted request of the operator. */
export function sealed(
  home: ReadyHome,
  content: Content,
  parts: { readonly nonce?: string; readonly wantsStream?: boolean } = {},
): Promise<SealedEnvelope> {
  return operatorMessage(home, {
    content,
    lifetimeMs: LIFETIME_MS,
    isEncrypted: true,
    ...parts,
  });
}

function contentOf(planned: PlannedRequest, name: string, target = 'nobody'): Content {
  const { kind, work, steps, pauseMs } = planned;
  switch (kind) {
    case 'run':
      return callOf('test.run', { key: name, pauseMs });
    case 'watch':
    case 'get':
    case 'cancel':
      return callOf(`task.${kind}`, { id: target });
    case 'reply':
      return callOf('task.reply', { id: target, reply: name });
    default:
      return taskOf(kind === 'unnamed' ? undefined : name, {
        goal: `${kind === 'ask' ? kind : work} ${steps} ${pauseMs} ${name}`,
        time_budget_s: kind === 'follow' ? LONG_S : 0,
      });
  }
}

function taskOf(
  id: string | undefined,
  { goal, time_budget_s }: { readonly goal: string; readonly time_budget_s: number },
): Content {
  const constraints = { time_budget_s, compute_budget: 'low', safety: {} };
  return { ct: 'task.v1', payload: payloadWith(id, { goal, constraints }) };
}

export function callOf(tool: string, args: JsonObject): Content {
  return { ct: 'toolcall.v1', payload: { tool, call_id: 'c', args, expect: {} } };
}

function backIn<T>(list: readonly T[], part: number | undefined): T | undefined {
  return part === undefined ? undefined : list[Math.floor(part * list.length)];
}
