// Owns an agent that is spoken to in SteerQA over a real socket, the offers that it is sent and what it says.

import { randomUUID } from 'node:crypto';

import { onTestFinished } from 'vitest';

import { createCallers, hashSecret } from '../../../profiles/auth/index.ts';
import type { SteerqaOptions } from '../../../profiles/steerqa/index.ts';
import { steerqa, steerqaOffer } from '../../../profiles/steerqa/index.ts';
import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import type { Runtime } from '../../../src/runtime/runtime.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import { createIdentity } from '../../../src/security/identity/identity.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import { http } from '../../../transports/http/index.ts';
import { aborted } from '../dialect/works.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as one object. */
  readonly body: Record<string, unknown>;
  /** The text as one object a line. */
  readonly lines: readonly Record<string, unknown>[];
}

export interface SteerqaAgent {
  readonly runtime: Runtime;
  readonly url: string;
  /** What the runtime told of: face, code. */
  readonly told: readonly string[];
  post(body: unknown, headers?: Record<string, string>): Promise<Answered>;
  send(init: RequestInit): Promise<Answered>;
  metrics(): Promise<string>;
  close(): Promise<void>;
}

const TOKEN = 'token-of-the-root-agent';
export const NARROW_TOKEN = 'token-of-who-may-only-ping';
export const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };

const sha256 = hashSecret(TOKEN);

export interface AgentSetting extends Partial<RuntimeOptions> {
  readonly face?: SteerqaOptions;
}

/** Closed after the test. */
export async function openAgent({
  face = {},
  ...options
}: AgentSetting = {}): Promise<SteerqaAgent> {
  const told: string[] = [];
  const runtime = createRuntime({
    identity: await createIdentity(),
    callers: createCallers({
      entries: [
        { name: 'root', proof: { scheme: 'bearer', secret: { sha256 } } },
        {
          name: 'narrow',
          proof: { scheme: 'bearer', secret: { sha256: hashSecret(NARROW_TOKEN) } },
          contentTypes: ['toolcall.v1'],
        },
      ],
    }),
    admission: { maxInFlightPerPeer: 1_000, ratePerSecond: 1_000_000, burst: 1_000_000 },
    onTask: judge,
    on: {
      outcome: ({ transport, refusal, error }) => {
        if (error !== undefined) told.push(`${transport} ${refusal ?? error.code}`);
      },
    },
    ...options,
  });
  const [, listener] = await runtime.listen(http({ port: 0 }), steerqa(face));
  const url = listener!.urls[0]!;
  const send = async (init: RequestInit): Promise<Answered> => answered(await fetch(url, init));
  const close = (): Promise<void> => runtime.close({ graceMs: 0 });
  onTestFinished(close);
  return {
    runtime,
    url,
    told,
    send,
    metrics: async () => (await runtime.listenContext()).metrics(),
    post: (body, headers = {}) =>
      send({
        method: 'POST',
        headers: { 'content-type': 'application/json', ...AUTHORIZED, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    close,
  };
}

async function answered(response: Response): Promise<Answered> {
  const text = await response.text();
  const objects = (): Record<string, unknown>[] =>
    text
      .split('\n')
      .map((line) => line.replace(/^data: ?/, ''))
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const { status, headers } = response;
  return {
    status,
    headers,
    text,
    get body() {
      return JSON.parse(text) as Record<string, unknown>;
    },
    get lines() {
      return objects();
    },
  };
}

type Members = Readonly<Record<string, unknown>>;

export function intentOffer(members: Members = {}): Record<string, unknown> {
  return {
    version: '1.0',
    message_type: 'task_offer',
    task_id: 'intent-7421',
    trace_id: randomUUID(),
    issued_at: new Date().toISOString(),
    ttl: 10_000,
    idempotency_key: randomUUID(),
    agent_version: 'intent@0.1.3',
    prompt: 'judge this',
    ...members,
  };
}

export function dimensionOffer(members: Members = {}): Record<string, unknown> {
  return {
    ...intentOffer(),
    task_id: 'clarity-9843',
    agent_version: 'clarity@0.1.0',
    scoring_contract: { schema_version: '1.0' },
    dimension: 'clarity',
    dimension_cap: 75,
    k_replicas: 3,
    run_id: 'r1',
    seed: 1,
    ...members,
  };
}

export const INTENT_FINAL = {
  intent_packet: { objective: 'to judge', requirements: [], constraints: [] },
  scoring_contract: { schema_version: '1.0' },
  confidence: 0.86,
  model: 'test',
};

export function verdictFor(
  offer: Members,
  score = 58,
): { readonly verdict: Members; readonly model: string } {
  const { dimension, run_id } = offer;
  const verdict = { dimension, run_id, score, annotations: [], confidence: 0.72 };
  return { verdict, model: 'test' };
}

/** Answers every offer at once: an early result and a verdict, or what the prompt intends. */
export const judge: OnTask = async function* (task, { artifact }) {
  const offer = steerqaOffer(task)!;
  if (offer.dimension === undefined) {
    yield artifact({ name: 'steerqa.final', json: INTENT_FINAL });
    return;
  }
  const { dimension, run_id } = offer as { dimension: string; run_id: string };
  const early = { dimension, run_id, score_stub: 55, top_issue_title: 'Open-Ended Role Scope' };
  yield artifact({ name: 'steerqa.partial', json: { early_result: early } });
  yield artifact({ name: 'steerqa.final', json: verdictFor(offer) as never });
};

/** Works until it is told to stop. */
export const forever: OnTask = async (_task, { signal }) => aborted(signal);
