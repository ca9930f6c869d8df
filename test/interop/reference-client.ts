// Questions that the reference's client puts to a daemon of ours, and what is in the answers.

import type { JsonObject } from '../../src/index.ts';
import { parse } from '../support/wire/bytes.ts';
import type { LabelPeer, Mode } from './label-peer.ts';
import type { OurDaemon, OurHome, OurIdentity } from './our-agent.ts';
import type {
  Encoding,
  Judged,
  ReferenceForm,
  ReferencePeer,
  TransportName,
} from './reference-peer.ts';
import { jsonText } from './reference-peer.ts';

export const TASK = {
  kind: 'task.v1',
  goal: 'sum 1 2 3.5',
  inputs: {},
  constraints: { time_budget_s: 10, compute_budget: 'low', safety: {} },
  deliverables: [{ type: 'json', description: 'the sum' }],
  acceptance: ['it is right'],
  context: {},
};

/** Numbers and names that two languages write differently, as the reference writes them. */
export const AWKWARD_ARGS: string =
  '{"":null,"big":123456789012345678901234567890,"huge":1e+16,"minus":-0.0,"tiny":1e-07,' +
  '"whole":1.0,"é\\u0001":"\u{1d11e}","\uffee":0.1,"\u{1d11e}":[{}]}';

export interface Question {
  readonly transport?: TransportName;
  readonly encoding?: Encoding;
  readonly form?: ReferenceForm;
  readonly ct?: string;
  /** As text where its numbers matter. */
  readonly payload?: JsonObject | string;
  readonly session?: string;
}

/** The reference's client, and the daemon of ours that it asks. */
export class ReferenceClient {
  readonly reference: ReferencePeer;
  readonly home: OurHome;
  readonly agent: OurIdentity;
  readonly daemon: OurDaemon;

  constructor(reference: ReferencePeer, home: OurHome, agent: OurIdentity, daemon: OurDaemon) {
    this.reference = reference;
    this.home = home;
    this.agent = agent;
    this.daemon = daemon;
  }

  ask(peer: LabelPeer, mode: Mode, question: Question = {}): Promise<Judged> {
    return this.reference.ask<Judged>('request', this.asked(peer, mode, question));
  }

  /** What reference_peer.py needs to know of a request. */
  asked(peer: LabelPeer, mode: Mode, question: Question = {}): JsonObject {
    const { transport = 'http', encoding = 'json', form = 'cbor', ct = 'task.v1' } = question;
    const { payload = TASK, session } = question;
    return {
      transport,
      encoding,
      form,
      ct,
      address: this.daemon.addresses[transport],
      from: peer.agentId,
      to: this.agent.agentId,
      payload: typeof payload === 'string' ? payload : jsonText(payload),
      verify: { ...this.agent.sign },
      reader: { ...peer.enc },
      ...(session !== undefined && { session }),
      ...(mode !== 'none' && { signer: { ...peer.sign }, replay_s: 60 }),
      ...(mode === 'enc+sig' && { recipient: { ...this.agent.enc } }),
    };
  }
}

/** The document that a `state.v1` from its beginning describes. */
export function stateOf({ payload }: Judged): JsonObject {
  const { patch } = parse(payload) as { patch: { path: string; value: JsonObject }[] };
  return Object.fromEntries(patch.map(({ path, value }) => [path.slice(1), value]));
}
