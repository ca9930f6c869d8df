// What sealing costs the two ends of official A2A: a question and its answer, sealed minus plain, against the parts of it
// that cannot be left out: JCS, hash, sign, verify, encrypt, decrypt. In CPU time, interleaved in one process.

import { openTask, sealMessage } from '../../profiles/a2a/sealed/index.ts';
import { writeJcs } from '../../src/codec/index.ts';
import type { JsonValue } from '../../src/codec/index.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { decryptPayload, encryptPayload } from '../../src/security/message/encrypt-payload.ts';
import { createIdentity } from '../../src/security/identity/identity.ts';
import { printTable } from './table.ts';

const SIZES = [200, 4_096, 65_536] as const;
const ROUNDS = 21;
const WARM_UP_ROUNDS = 16;
/** Exchanges in a round. */
const BATCH = 20;
/** CPU of the ends above plain, against the bare parts. */
const BOUND = 2;

type Shape = Record<string, unknown>;

interface Subject {
  readonly run: () => Promise<unknown>;
  readonly micros: number[];
}

const words = (role: string, text: string): Shape => ({
  messageId: 'm-1',
  role,
  parts: [{ text }],
});
/** The wire between the two ends. */
const across = (message: Shape): Shape => JSON.parse(JSON.stringify(message)) as Shape;

/** Both ends of one exchange. */
async function subjectsFor(bytes: number): Promise<Record<'sealed' | 'plain' | 'bare', Subject>> {
  const [user, agent] = [await createIdentity(), await createIdentity()];
  const asked = words('ROLE_USER', 'x'.repeat(bytes));
  const answered = words('ROLE_AGENT', 'y'.repeat(bytes));
  const atUser = { identity: user, peers: [agent.bundle] };
  const atAgent = { identity: agent, peers: [user.bundle] };
  const exchange = async (): Promise<readonly [Shape, Shape]> => {
    const request = await sealMessage(asked, { ...atUser, to: agent.agentId });
    const opened = await openTask(across(request), { ...atAgent, policy: 'require' });
    const answer = across(await sealMessage(answered, { ...atAgent, request: opened }));
    await openTask(answer, { ...atUser, request, policy: 'require' });
    return [request, answer];
  };
  const [request, answer] = await exchange();
  const bare = [bareParts(request, asked, agent), bareParts(answer, answered, user)];
  return {
    sealed: { run: exchange, micros: [] },
    plain: { run: async () => [across(asked), across(answered)], micros: [] },
    bare: {
      run: async () => {
        for (const parts of bare) await parts();
      },
      micros: [],
    },
  };
}

/** What one envelope cannot do without, at the end that makes it and at the end that opens it. */
function bareParts(
  carrier: Shape,
  content: Shape,
  receiver: Awaited<ReturnType<typeof createIdentity>>,
): () => Promise<void> {
  const crypto = chooseProvider();
  const secret = crypto.randomBytes(32);
  const publicKey = crypto.ed25519PublicKey(secret);
  const [part] = carrier['parts'] as [{ data: { a2aSdl: JsonValue } }];
  const envelope = part.data.a2aSdl;
  const key = receiver.keys.find(({ use }) => use === 'enc')!;
  const recipient = { kid: key.kid, publicKey: key.key.publicKey };
  return async () => {
    // The end that makes it.
    const plaintext = writeJcs(content as JsonValue);
    const { enc } = encryptPayload(plaintext, [recipient], crypto);
    const input = writeJcs(envelope);
    crypto.sha256(input);
    const signature = await crypto.sign(input, secret);
    // The end that opens it.
    const again = writeJcs(envelope);
    crypto.sha256(again);
    await crypto.verify(signature, again, publicKey);
    decryptPayload(enc, () => key.key.reveal(), crypto);
  };
}

async function runRound({ run, micros }: Subject, counts: boolean): Promise<void> {
  const before = process.cpuUsage();
  for (let at = 0; at < BATCH; at += 1) await run();
  const { user, system } = process.cpuUsage(before);
  if (counts) micros.push((user + system) / BATCH);
}

/** False when a bound is broken. */
export async function benchSealed(): Promise<boolean> {
  const rows: { bytes: number; subjects: Awaited<ReturnType<typeof subjectsFor>> }[] = [];
  for (const bytes of SIZES) rows.push({ bytes, subjects: await subjectsFor(bytes) });
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    for (const { subjects } of rows) {
      for (const subject of Object.values(subjects)) await runRound(subject, round >= 0);
    }
  }
  const ratios = rows.map(({ subjects: { sealed, plain, bare } }) =>
    sealed.micros.map((micros, at) => (micros - plain.micros[at]!) / bare.micros[at]!),
  );
  printTable(
    `a question and its answer, sealed: CPU of both ends above plain, against the bare parts (at most ${BOUND})`,
    ['bytes of each', 'ratio', 'of it half in', 'sealed µs', 'plain µs', 'bare µs'],
    rows.map(({ bytes, subjects: { sealed, plain, bare } }, at) => [
      String(bytes),
      quantile(ratios[at]!, 0.5).toFixed(2),
      `${quantile(ratios[at]!, 0.25).toFixed(2)} … ${quantile(ratios[at]!, 0.75).toFixed(2)}`,
      quantile(sealed.micros, 0.5).toFixed(0),
      quantile(plain.micros, 0.5).toFixed(0),
      quantile(bare.micros, 0.5).toFixed(0),
    ]),
  );
  return ratios.every((one) => quantile(one, 0.5) <= BOUND);
}

function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)]!;
}
