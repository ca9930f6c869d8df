// SteerQA: an agent that judges one dimension of a prompt, and the Root that asks it, three replicas at once, and tells
// its own client of it in numbered events. It asserts what it shows.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import { createCallers, hashSecret } from 'a2a-sdl/profiles/auth';
// #region agent
import { createIdentity, createRuntime } from 'a2a-sdl';
import { steerqa, steerqaOffer } from 'a2a-sdl/profiles/steerqa';
import { http } from 'a2a-sdl/transports/http';

const token = randomUUID();
const sha256 = hashSecret(token);
const agent = createRuntime({
  identity: await createIdentity(),
  callers: createCallers({
    entries: [{ name: 'root', proof: { scheme: 'bearer', secret: { sha256 } } }],
  }),
  onTask: async function* (task, { artifact }) {
    const { dimension = '', run_id = '', seed = 0, prompt } = steerqaOffer(task)!;
    const early = { dimension, run_id, score_stub: 50, top_issue_title: 'No audience named' };
    yield artifact({ name: 'steerqa.partial', json: { early_result: early } });
    const score = Math.min(100, prompt.length + 10 * seed); // a model would be asked here
    const verdict = { dimension, run_id, score, annotations: [], confidence: 0.7 };
    yield artifact({ name: 'steerqa.final', json: { verdict, model: 'none' } });
  },
});
const [, face] = await agent.listen(http({ port: 0 }), steerqa({ agents: ['clarity@0.1.0'] }));
// #endregion

// #region root
import { connectSteerqa, createEvaluation } from 'a2a-sdl/profiles/steerqa';

const root = connectSteerqa(face!.urls[0]!, { headers: { authorization: `Bearer ${token}` } });
const evaluation = createEvaluation();
const events = [evaluation.emit('STATIC_CHECK_COMPLETE')];
const finals = await Promise.all(
  [1, 2, 3].map((seed) =>
    root
      .offer({
        agent_version: 'clarity@0.1.0',
        ttl: 10_000,
        prompt: 'Explain how rain comes to be, in three sentences, to a child.',
        scoring_contract: { schema_version: '1.0' },
        dimension: 'clarity',
        dimension_cap: 75,
        k_replicas: 3,
        run_id: `r${seed}`,
        seed,
      })
      .final(),
  ),
);
for (const { verdict } of finals) {
  events.push(
    evaluation.emit('REPLICA_COMPLETE', { dimension: 'clarity', data: { verdict: verdict! } }),
  );
}
events.push(evaluation.emit('DIMENSION_COMPLETE', { dimension: 'clarity' }));
events.push(evaluation.emit('FINAL'));
// #endregion

const scores = finals.map(({ verdict }) => Number(verdict!['score']));
console.log(`scores: ${scores.join(', ')}`); // the cap of 75 holds, whatever the agent says
console.log(events.map(({ sequence_id, type }) => `${sequence_id} ${type}`).join('\n'));
const other = root.offer({ agent_version: 'clarity@9.9.9', ttl: 1_000, prompt: 'x' });
const refused = await other.final().then(
  () => 'taken',
  (cause: Error) => cause.message,
);
console.log(refused);
await agent.close();

assert.deepEqual(scores, [71, 75, 75]);
assert.equal(finals[2]!.verdict!['unclamped_score'], 91);
assert.deepEqual(
  events.map(({ sequence_id, dimension_seq }) => [sequence_id, dimension_seq]),
  [
    [1, undefined],
    [2, 1],
    [3, 2],
    [4, 3],
    [5, 4],
    [6, undefined],
  ],
);
assert.match(refused, /AGENT_VERSION_MISMATCH/);
