// SteerQA in signed envelopes: the same offers, partials and finals, and errors with their code.

import { expect, onTestFinished, test } from 'vitest';

import { STEERQA_SCHEMAS, steerqaContents } from '../../../profiles/steerqa/index.ts';
import { createClient } from '../../../src/client/client.ts';
import type { Runtime } from '../../../src/runtime/runtime.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import { createIdentity } from '../../../src/security/identity/identity.ts';
import { http } from '../../../transports/http/index.ts';
import { dimensionOffer, intentOffer, judge } from '../../support/steerqa/agent.ts';

test('#steerqa-carriage offers, results and events travel in envelopes', async () => {
  const [identity, root] = [await createIdentity(), await createIdentity()];
  const heard: unknown[] = [];
  const runtime: Runtime = createRuntime({
    identity,
    peers: [root.bundle],
    onTask: judge,
    contents: steerqaContents({
      tasks: () => runtime.tasks,
      agents: ['clarity@0.1.0'],
      onMessage: (message, { principal }) => heard.push([principal.id, message]),
    }),
  });
  const [listener] = await runtime.listen(http({ port: 0 }));
  const client = createClient({
    identity: root,
    peers: [identity.bundle],
    transports: [http()],
    schemas: STEERQA_SCHEMAS,
  });
  onTestFinished(async () => {
    await client.close();
    await runtime.close({ graceMs: 0 });
  });
  const peer = client.connect(listener!.urls[0]!, { agentId: identity.agentId });
  const ct = 'steerqa.offer.v1';
  const offer = dimensionOffer();
  const exchange = peer.request(
    { ct, payload: offer as never },
    { stream: true, keepsEvents: true },
  );
  const received = [];
  for await (const { type, ct: got, payload } of exchange) received.push([type, got, payload]);
  expect(received).toMatchObject([
    ['evt', 'steerqa.result.v1', { status: 'partial', early_result: { run_id: 'r1' } }],
    ['res', 'steerqa.result.v1', { status: 'final', verdict: { score: 58 } }],
  ]);
  // A repeated offer has an id and a nonce of its own; the key alone says that it is the same.
  const again = await peer.request({ ct, payload: { ...offer, trace_id: 'x' } }).result();
  expect(again.payload).toEqual(received[1]![2]);
  for (const [payload, wire, code] of [
    [{ ...offer, prompt: 'other' }, 'BAD_REQUEST', 'IDEMPOTENCY_CONFLICT'],
    [dimensionOffer({ agent_version: 'clarity@9' }), 'BAD_REQUEST', 'AGENT_VERSION_MISMATCH'],
    [dimensionOffer({ issued_at: '2020-01-01T00:00:00Z' }), 'BAD_REQUEST', 'TTL_EXPIRED'],
  ] as const) {
    await expect(peer.request({ ct, payload: payload as never }).result()).rejects.toMatchObject({
      wireCode: wire,
      details: { steerqa_code: code },
    });
  }
  const misfit = peer.request({ ct, payload: intentOffer({ prompt: 7 }) as never }).result();
  await expect(misfit).rejects.toMatchObject({ code: 'PAYLOAD_INVALID' });
  const event = {
    type: 'FINAL',
    evaluation_id: 'e',
    trace_id: 't',
    sequence_id: 1,
    ts: '2026-01-01T00:00:00Z',
    data: {},
  };
  await peer.notify({ ct: 'steerqa.event.v1', payload: event });
  await expect.poll(() => heard).toEqual([[root.agentId, event]]);
});
