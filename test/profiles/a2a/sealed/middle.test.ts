// What somebody in the middle may do to a task that it only passes on, and how it is noticed: by name where protection is
// required, and never as something protected.

import { beforeAll, describe, expect, test } from 'vitest';

import type { OpenOptions, Opened, SealedCode } from '../../../../profiles/a2a/sealed/index.ts';
import { openTask, sealMessage } from '../../../../profiles/a2a/sealed/index.ts';
import type { LocalIdentity } from '../../../../src/security/identity/identity.ts';
import { createIdentity } from '../../../../src/security/identity/identity.ts';
import type { Full } from '../../../support/a2a/sealed-middle.ts';
import {
  PLAIN,
  artifact,
  envelopeOf,
  fullExchange,
  message,
  parts,
  status,
  stripped,
  taskOf,
  withEnvelope,
} from '../../../support/a2a/sealed-middle.ts';
import type { Ends, Shape, StoredTask } from '../../../support/a2a/sealed.ts';
import { ASKED, DONE, newEnds } from '../../../support/a2a/sealed.ts';

let ends: Ends;
let other: LocalIdentity;
/** The exchange that is attacked: two words, two artifacts of two pieces, the end. */
let said: Full;
/** Another one of the same user with the same agent. */
let earlier: Full;
/** The one of somebody else. */
let others: Full;

beforeAll(async () => {
  ends = await newEnds();
  other = await createIdentity();
  said = await fullExchange(ends);
  earlier = await fullExchange(ends);
  others = await fullExchange({ user: other, agent: ends.agent });
});

function open(task: object, more: Partial<OpenOptions> = {}): Promise<Opened> {
  const { request } = said;
  return openTask(task, { identity: ends.user, peers: [ends.agent], request, ...more });
}

/** What is wrong with it, however it is told. */
async function codesOf(task: object, policy: 'require' | 'prefer'): Promise<SealedCode[]> {
  try {
    return (await open(task, { policy })).problems.map(({ code }) => code);
  } catch (thrown) {
    return [(thrown as { code: SealedCode }).code];
  }
}

interface Attack {
  readonly does: string;
  readonly to: (task: StoredTask) => object;
  readonly code: SealedCode;
  /** It leaves something plain, or nothing: then it is told under `prefer`, and the rest counts. */
  readonly isTold?: true;
}

const ATTACKS: readonly Attack[] = [
  {
    does: 'drops an artifact',
    to: (task) => ({ ...task, artifacts: task.artifacts.slice(1) }),
    code: 'ARTIFACT_INCOMPLETE',
  },
  {
    does: 'cuts off the end of an artifact',
    to: (task) => artifact(task, 0, parts(task.artifacts[0]!).slice(0, 1)),
    code: 'ARTIFACT_INCOMPLETE',
  },
  {
    does: 'cuts off the beginning of an artifact',
    to: (task) => artifact(task, 0, parts(task.artifacts[0]!).slice(1)),
    code: 'ARTIFACT_INCOMPLETE',
  },
  {
    does: 'drops something that was said',
    to: (task) => ({ ...task, history: task.history.filter((_, index) => index !== 1) }),
    code: 'EVENT_MISSING',
    isTold: true,
  },
  {
    does: 'doubles a piece',
    to: (task) => artifact(task, 0, [...parts(task.artifacts[0]!), parts(task.artifacts[0]!)[1]!]),
    code: 'EVENT_ORDER',
  },
  {
    does: 'doubles something that was said',
    to: (task) => ({ ...task, history: [...task.history.slice(0, 2), ...task.history.slice(1)] }),
    code: 'EVENT_REPEATED',
  },
  {
    does: 'reorders what was said',
    to: ({ history: [asked, one, two, end], ...task }) => ({
      ...task,
      history: [asked, two, one, end],
    }),
    code: 'EVENT_ORDER',
  },
  {
    does: 'reorders pieces',
    to: (task) => artifact(task, 0, parts(task.artifacts[0]!).toReversed()),
    code: 'ARTIFACT_INCOMPLETE',
  },
  {
    does: 'mixes pieces of two artifacts',
    to: (task) => artifact(task, 0, [parts(said.one)[0]!, parts(said.fourth)[0]!]),
    code: 'ARTIFACT_MIXED',
  },
  {
    does: 'gives an artifact the name of another',
    to: (task) => ({
      ...task,
      artifacts: [{ ...task.artifacts[0]!, artifactId: 'sum' }, task.artifacts[1]!],
    }),
    code: 'ARTIFACT_MIXED',
  },
  {
    does: 'shows the answer to an earlier request',
    to: () => taskOf(earlier),
    code: 'ADDRESS_WRONG',
  },
  { does: 'swaps the answers of two callers', to: () => taskOf(others), code: 'ADDRESS_WRONG' },
  {
    does: 'splices in an event of another exchange',
    to: (task) => ({ ...task, history: [...task.history.slice(0, 2), message(earlier.more)] }),
    code: 'ADDRESS_WRONG',
  },
  {
    does: 'splices in a piece of another exchange',
    to: (task) => artifact(task, 0, [parts(said.one)[0]!, parts(earlier.two)[0]!]),
    code: 'ADDRESS_WRONG',
  },
  {
    does: 'answers by itself',
    to: ({ history, ...task }) => ({
      ...task,
      status: { state: 'TASK_STATE_COMPLETED', message: PLAIN },
      history: [history[0], PLAIN],
      artifacts: [],
    }),
    code: 'NOT_PROTECTED',
    isTold: true,
  },
  {
    does: 'puts its own words in the place of the end',
    to: (task) => status({ ...task, history: task.history.slice(0, 3) }, { message: PLAIN }),
    code: 'NOT_PROTECTED',
    isTold: true,
  },
  {
    does: 'adds an artifact of its own',
    to: (task) => ({
      ...task,
      artifacts: [...task.artifacts, { artifactId: 'own', parts: PLAIN['parts'] }],
    }),
    code: 'NOT_PROTECTED',
    isTold: true,
  },
  {
    does: 'adds a part of its own',
    to: (task) => artifact(task, 0, [...parts(task.artifacts[0]!), { text: 'and mine' }]),
    code: 'NOT_PROTECTED',
    isTold: true,
  },
  {
    does: 'downgrades an artifact to plain',
    to: (task) => artifact(task, 0, [{ text: 'onetwo' }]),
    code: 'NOT_PROTECTED',
  },
  {
    does: 'claims the end early',
    to: (task) => ({
      ...task,
      status: { state: 'TASK_STATE_COMPLETED', message: message(said.busy) },
      history: task.history.slice(0, 2),
      artifacts: [],
    }),
    code: 'END_UNPROVEN',
    isTold: true,
  },
  {
    does: 'claims an end without a word',
    to: (task) => ({
      ...task,
      status: { state: 'TASK_STATE_CANCELED' },
      history: [],
      artifacts: [],
    }),
    code: 'END_UNPROVEN',
    isTold: true,
  },
  {
    does: 'empties the message of the end',
    to: (task) => ({
      ...task,
      status: { ...task.status, message: { messageId: '', role: 'ROLE_AGENT', parts: [] } },
      history: task.history.slice(0, 3),
    }),
    code: 'END_UNPROVEN',
    isTold: true,
  },
  {
    does: 'hides the end',
    to: (task) => status(task, { state: 'TASK_STATE_WORKING' }),
    code: 'STATE_CHANGED',
    isTold: true,
  },
  {
    does: 'calls success a failure',
    to: (task) => status(task, { state: 'TASK_STATE_FAILED' }),
    code: 'STATE_CHANGED',
    isTold: true,
  },
  {
    does: 'shows two ends',
    to: (task) => ({ ...task, history: [...task.history, message(said.failed)] }),
    code: 'END_REPEATED',
  },
  {
    does: 'changes a ciphertext',
    to: (task) => {
      const envelope = envelopeOf(message(said.done));
      const sec = envelope['sec'] as Shape;
      const enc = { ...(sec['enc'] as Shape), ciphertext: 'AAAA' };
      const changed = { ...envelope, sec: { ...sec, enc } };
      return status({ ...task, history: [] }, { message: withEnvelope(PLAIN, changed) });
    },
    code: 'SIGNATURE_INVALID',
  },
  {
    does: 'gives an event another number',
    to: (task) => {
      const envelope = envelopeOf(message(said.busy));
      const sec = envelope['sec'] as Shape;
      const changed = { ...envelope, sec: { ...sec, x: { ...(sec['x'] as Shape), n: 2 } } };
      return { ...task, history: [withEnvelope(message(said.busy), changed)] };
    },
    code: 'SIGNATURE_INVALID',
  },
  {
    does: 'writes a word where a piece should be',
    to: (task) => artifact(task, 0, parts(message(said.busy))),
    code: 'PAYLOAD_INVALID',
  },
  {
    does: 'writes a piece where a word should be',
    to: (task) => ({ ...task, history: [{ ...PLAIN, parts: parts(said.one) }] }),
    code: 'PAYLOAD_INVALID',
  },
];

describe('#sealed-verdict #sealed-policy somebody in the middle', () => {
  test('passes it on as it is, and everything holds', async () => {
    const opened = await open(taskOf(said), { policy: 'require' });
    expect(opened).toMatchObject({ protection: 'sealed', state: 'completed', problems: [] });
    expect(opened.receipt).toMatchObject({ events: 6, coversAll: true });
  });

  test.each(ATTACKS)('$does: $code where protection is required', async ({ to, code }) => {
    await expect(open(to(taskOf(said)), { policy: 'require' })).rejects.toMatchObject({
      name: 'SealedError',
      code,
    });
  });

  test.each(ATTACKS)(
    '$does: refused or told where it is preferred',
    async ({ to, code, isTold }) => {
      const task = to(taskOf(said));
      if (isTold !== true) {
        await expect(open(task)).rejects.toMatchObject({ code: expect.any(String) as string });
        return;
      }
      const opened = await open(task);
      expect(opened.problems.map((problem) => problem.code)).toContain(code);
      expect(JSON.stringify([opened.messages, opened.artifacts])).not.toMatch(/42|mine/);
    },
  );

  test.each(ATTACKS)('$does: nothing of it is protected in a report', async ({ to, isTold }) => {
    const opened = await open(to(taskOf(said)), { policy: 'report' });
    expect(opened.problems).not.toEqual([]);
    if (isTold !== true) expect(['partial', 'none']).toContain(opened.protection);
    expect(JSON.stringify([opened.messages, opened.artifacts])).not.toMatch(/42|mine/);
  });

  test('strips every mark, and everything holds all the same (#sealed-recognised)', async () => {
    const bare = stripped(taskOf(said)) as object;
    expect(await open(bare, { policy: 'require' })).toMatchObject({ protection: 'sealed' });
  });

  test('answers plain to what was sealed: none of it is protected, and it is said so', async () => {
    const plain = { id: 't', status: { state: 'TASK_STATE_COMPLETED', message: PLAIN } };
    expect(await open(plain)).toMatchObject({ protection: 'none', messages: [], isFinal: false });
    expect(await open(PLAIN)).toMatchObject({ protection: 'none', messages: [] });
    await expect(open(PLAIN, { policy: 'require' })).rejects.toMatchObject({
      code: 'NOT_PROTECTED',
    });
  });

  test('is somebody else who signs: another agent, or one that takes its name', async () => {
    const forger = await createIdentity();
    const request = await sealMessage(ASKED, { identity: ends.user, to: forger });
    const opened = await openTask(request, { identity: forger, peers: [ends.user] });
    const forged = await sealMessage(DONE, { identity: forger, request: opened });
    expect(await codesOf(forged, 'require')).toEqual(['ADDRESS_WRONG']);
    const envelope = envelopeOf(forged);
    const named = {
      ...envelope,
      from: envelopeOf(message(said.done))['from'],
      re: envelopeOf(said.request)['id'],
    };
    expect(await codesOf(withEnvelope(forged, named), 'require')).toEqual(['SENDER_REFUSED']);
  });

  test('withholds the end: nobody can tell it from a task that runs, and nothing says that it ended', async () => {
    const task = taskOf(said);
    const running = {
      ...task,
      status: { state: 'TASK_STATE_WORKING', message: message(said.more) },
      history: task.history.slice(0, 3),
    };
    const opened = await open(running, { policy: 'require' });
    expect(opened).toMatchObject({ isFinal: false, protection: 'sealed' });
    expect(opened.state).toBeUndefined();
  });

  test('cuts the history where that was asked for: the result is whole', async () => {
    const task = { ...taskOf(said), history: [] };
    const opened = await open(task, { policy: 'require', historyLength: 0 });
    expect(opened).toMatchObject({ state: 'completed', missing: [1, 2] });
    expect(opened.receipt?.coversAll).toBe(false);
    expect(await codesOf(task, 'require')).toEqual(['EVENT_MISSING']);
  });

  test('shows another task of ours: only what was asked tells them apart', async () => {
    expect(await open(taskOf(earlier), { request: undefined })).toMatchObject({
      protection: 'sealed',
    });
    await expect(open(taskOf(earlier), { request: undefined, policy: 'require' })).rejects.toThrow(
      '"request" is needed',
    );
    const blind = { ...taskOf(said), history: [] };
    await expect(open(blind, { request: undefined })).rejects.toMatchObject({
      code: 'REQUEST_UNKNOWN',
    });
    await expect(open(taskOf(said), { request: others.request })).rejects.toMatchObject({
      code: 'ADDRESS_WRONG',
      where: 'request',
    });
  });
});
