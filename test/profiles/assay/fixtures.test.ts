// The public fixtures in both modes, the golden digests, and the three whole examples.

import { createHash } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { convert } from '../../../profiles/assay/index.ts';
import { dataOf, errorOf, eventOf } from '../../support/assay/packets.ts';
import { hasVectors, vectorBytes, vectorFiles } from '../../support/repository/vectors.ts';

const DISCOVERY = {
  default: '26b4d9c0105f4cc26d4b413e7b6b27effe5829f9f319a60b91ca490fd7776a13',
  card: '93f5c26d149e7400d38104c4479f332df4df23df0d1f4d25aef252aac87b9769',
  both: '9d0f24e430e00ee3ec1bc595cb59e6e7d7d5b12c0c90e102ea4d26ad3890e665',
  extended: '13e23c6783de838b52ca92d787569bccd3cadc0f8900f1bf76b42262959f77ba',
} as const;
const HANDOFF = {
  default: '60e992b4881c03d816cd94929856d8c8cade113f62273d42a8a75412533a294a',
  positive: 'e478af7359a254678c90b5eb2737d63f79c6d667a2b5c4bc323442f07d09d33b',
  partial: '0be260743587b9594018a4ab7809560157be088be0372a8ae7c7faa6a744effe',
} as const;

interface Wanted {
  /** `none`, or the kind of the error. */
  readonly strict: string;
  readonly lenient: string;
  readonly subject?: string;
  readonly type?: string;
  readonly count?: number;
  readonly discovery?: keyof typeof DISCOVERY;
  readonly handoff?: keyof typeof HANDOFF;
  /** The first 16 digits of the hash of the file. */
  readonly raw: string;
  /** Of `data`, with the adapter version 3.4.0. */
  readonly data?: string;
}

const BOTH = { strict: 'none', lenient: 'none' } as const;
const WANTED: Readonly<Record<string, Wanted>> = {
  happy_agent_capabilities: {
    ...BOTH,
    subject: 'agent://planner',
    type: 'agent.capabilities',
    raw: 'aa6a946c712b8460',
  },
  happy_agent_capabilities_g4_agent_card: {
    ...BOTH,
    discovery: 'card',
    raw: '4c7f2c7957cab5ea',
  },
  happy_agent_capabilities_g4_extended: {
    ...BOTH,
    discovery: 'extended',
    raw: '6c94283179e8051b',
  },
  happy_agent_capabilities_g4_both_visible: {
    ...BOTH,
    discovery: 'both',
    raw: '435d56f554547a31',
  },
  happy_task_requested: {
    ...BOTH,
    subject: 'task-123',
    type: 'task.requested',
    handoff: 'positive',
    raw: 'c43b7dc113152137',
    data: 'ef0434aab2e442364e21c69bb0c9f04bdbf67365325add3e2abff63335867ad3',
  },
  happy_artifact_shared: {
    ...BOTH,
    subject: 'artifact-7',
    type: 'artifact.shared',
    raw: 'ebcdce586bfa8bbc',
    data: 'ac8c87b6749b57a8feab13097f8c7ca7362a691a961fbcae4cf3ae677c307eb9',
  },
  negative_missing_task_id: {
    strict: 'measurement',
    lenient: 'none',
    subject: 'unknown-task',
    count: 1,
    handoff: 'partial',
    raw: '892558c4e7bc0adf',
    data: '3bfefeec0c50f6043bc131822674def35714ca5d198bceb19335c09672bf5495',
  },
  negative_invalid_event_type: {
    strict: 'strict_lossiness_violation',
    lenient: 'none',
    subject: 'msg-unknown',
    type: 'message',
    count: 1,
    raw: '18fec158ed5952c1',
  },
  negative_malformed: {
    strict: 'measurement',
    lenient: 'measurement',
    raw: '23c47ddd80e5b7c5',
  },
};

describe.skipIf(!hasVectors)('the public fixtures (#assay, #assay-event)', () => {
  test('are all there', () => {
    const names = Object.keys(WANTED).map((name) => `a2a_${name}.json`);
    expect(vectorFiles('assay')).toEqual(names.toSorted());
  });

  const cases = Object.keys(WANTED).flatMap((name) =>
    (['strict', 'lenient'] as const).map((mode) => [name, mode] as const),
  );

  test.each(cases)('%s, %s', (name, mode) => {
    const wanted = WANTED[name]!;
    const bytes = vectorBytes(`assay/a2a_${name}.json`);
    expect(createHash('sha256').update(bytes).digest('hex')).toMatch(new RegExp(`^${wanted.raw}`));
    const run = (): ReturnType<typeof convert> => convert(bytes, { mode, adapterVersion: '3.4.0' });
    if (wanted[mode] !== 'none') {
      expect(errorOf(run)?.kind).toBe(wanted[mode]);
      return;
    }
    const converted = run();
    const { digests, batch } = converted;
    const event = eventOf(converted);
    expect(digests.discovery).toBe(DISCOVERY[wanted.discovery ?? 'default']);
    expect(digests.handoff).toBe(HANDOFF[wanted.handoff ?? 'default']);
    if (wanted.data !== undefined) expect(digests.data).toBe(wanted.data);
    if (wanted.subject !== undefined) expect(event['subject']).toBe(wanted.subject);
    if (wanted.type !== undefined) expect(event['type']).toBe(`assay.adapter.a2a.${wanted.type}`);
    const count = wanted.count ?? 0;
    const { lossiness } = batch;
    expect([lossiness.unmapped_fields_count, lossiness.notes.length]).toEqual([count, count]);
    expect(dataOf(converted)['unmapped_fields_count']).toBe(count);
    expect(lossiness.lossiness_level).toBe(count === 0 ? 'none' : 'low');
    expect(lossiness.raw_payload_ref.sha256).toMatch(new RegExp(`^${wanted.raw}`));
    expect(lossiness.raw_payload_ref.size_bytes).toBe(bytes.length);
    // Again, and the same.
    expect(run().text).toBe(converted.text);
    expect(run().contentHash).toBe(converted.contentHash);
  });

  test('a text that is read says what the objects say', () => {
    const bytes = vectorBytes('assay/a2a_happy_task_requested.json');
    const { text, batch, digests, contentHash } = convert(bytes);
    expect(text).toMatch(/^\{"batch":\{"events":\[\{"assaycontenthash":null,"assaygit":"unknown",/);
    expect(JSON.parse(text)).toEqual({ ok: true, batch, digests, content_hash: contentHash });
    expect(eventOf({ batch } as never)).toMatchObject({
      specversion: '1.0',
      source: 'urn:assay:adapter:a2a',
      id: 'a2a:task-123:0',
      time: '2026-02-27T10:05:00Z',
      datacontenttype: 'application/json',
      assayrunid: 'a2a:task-123',
      assayseq: 0,
      assayproducer: 'assay',
      assayproducerversion: '0.2.0',
      assaypii: false,
      assaysecrets: false,
    });
  });
});
