// Owns the driver of the SteerQA face: what a caller asks, as offers. A work of the suite is asked for by the prompt, and
// what it says becomes the objective of a final.

import { randomUUID } from 'node:crypto';

import { steerqaOffer } from '../../../profiles/steerqa/index.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import type { Ask, Caller, View } from './caller.ts';
import { GONE, Refused } from './caller.ts';
import { onTask } from './works.ts';

export interface SteerqaWay {
  readonly url: string;
  readonly owner: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly now: () => number;
}

type Offer = Readonly<Record<string, unknown>>;

/** How long who does not say otherwise waits. */
const WAIT_MS = 30_000;

/** How a task ended, by the code of its error. Every other error refuses the offer. */
const ENDS: Readonly<Record<string, string>> = { INTERNAL: 'INTERNAL', TIMEOUT: 'DEADLINE' };

export function steerqaCaller({ url, owner, headers, now }: SteerqaWay): Caller {
  const open = new AbortController();
  const sent = new Map<string, Offer>();

  async function post(offer: Offer): Promise<View> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...offer, issued_at: new Date(now()).toISOString() }),
      signal: open.signal,
    }).catch((cause: unknown) => {
      throw open.signal.aborted ? cause : new Refused(GONE, true, '');
    });
    const text = await response.text();
    const body = JSON.parse(text) as Record<string, unknown>;
    if (!response.ok) throw new Refused(body['code'] as string, body['retryable'] === true, text);
    return viewOf(offer, body);
  }

  const offerFor = (given: Ask | string, waitMs: number): Offer => {
    const {
      text,
      id = randomUUID(),
      deadline,
    }: Ask = typeof given === 'string' ? { text: given } : given;
    const offer = {
      version: '1.0',
      message_type: 'task_offer',
      task_id: 'of the suite',
      trace_id: 'of the suite',
      ttl: deadline === undefined ? waitMs : Math.max(1, deadline - now()),
      idempotency_key: id,
      agent_version: 'suite@1',
      prompt: text,
    };
    if (!sent.has(id)) sent.set(id, offer);
    return offer;
  };

  const unsaid = (): never => {
    throw new Error('this wire cannot say it');
  };
  return {
    owner,
    start: (ask) => post(offerFor(ask, WAIT_MS)),
    run: async (ask, waitMs = WAIT_MS) => {
      const offer = offerFor(ask, waitMs);
      return post(offer).catch((thrown: unknown) => {
        const code = thrown instanceof Refused ? ENDS[thrown.code] : undefined;
        if (code === undefined) throw thrown;
        const failure = { code, message: (thrown as Refused).text };
        return { ...viewOf(offer, {}), state: 'failed', failure };
      });
    },
    // What has ended is told again to who offers it again.
    get: (id) => post(sent.get(id)!),
    say: unsaid,
    list: unsaid,
    follow: unsaid,
    cancel: unsaid,
    close: async () => open.abort(),
  };
}

function viewOf({ idempotency_key: key }: Offer, body: Record<string, unknown>): View {
  const { intent_packet: packet } = body as {
    readonly intent_packet?: { readonly objective: string };
  };
  const parts = packet === undefined ? [] : [{ text: packet.objective }];
  return {
    id: key as string,
    state: 'completed',
    generation: 0,
    words: '',
    history: [],
    artifacts: parts.length === 0 ? [] : [{ id: 'final', name: 'final', parts }],
  };
}

/** The works of the suite, for offers too. */
export const onOffer: OnTask = (task, context) => {
  if (steerqaOffer(task) === undefined) return onTask(task, context);
  return answered(async () => {
    const said = (await onTask(task, context)) as string;
    const packet = { objective: said, requirements: [], constraints: [] };
    const final = {
      intent_packet: packet,
      scoring_contract: { schema_version: '1' },
      confidence: 1,
    };
    await context.artifact({ name: 'steerqa.final', json: final });
  });
};

async function answered(work: () => Promise<void>): Promise<undefined> {
  await work();
  return undefined;
}
