// Owns what is asked through every relay, and what has to come back: a client of the relay's own generation, which only
// sends and receives, with the two calls of the library around it.

import { randomUUID } from 'node:crypto';

import { expect } from 'vitest';

import type { OpenedEvent, Opened, Strength } from '../../../../profiles/a2a/sealed/index.ts';
import { openStream, openTask, sealMessage } from '../../../../profiles/a2a/sealed/index.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import type { Ends, Family, Shape } from '../../../support/a2a/sealed.ts';
import type { JsonObject } from '../client.ts';
import type { Line } from '../drivers/driver.ts';
import { FULL_PARTS, OPEN_PARTS } from './agent.ts';
import { IN_CLEAR, SECRETS } from './secrets.ts';

interface Setting {
  readonly ends: Ends;
  readonly line: Line;
  /** The JSON of the relay's generation. */
  readonly family: Family;
  readonly isV1: boolean;
}

interface Case {
  readonly title: string;
  readonly run: (setting: Setting) => Promise<void>;
}

/** A goal as the user says it, with a name of a tool and a file. */
const asked = (verb: string, more: Shape = {}): Shape => ({
  messageId: randomUUID(),
  role: 'ROLE_USER',
  parts: [
    { text: `${verb} ${SECRETS.goal}` },
    { data: { tool: SECRETS.tool } },
    { raw: 'AAEC', filename: SECRETS.file },
  ],
  ...more,
});

function seal({ ends, family }: Setting, wire: Shape, mode: Strength = 'enc+sig'): Promise<Shape> {
  return sealMessage(family.message(wire), { identity: ends.user, to: ends.agent, mode });
}

/** What the client of either generation takes. */
function params({ isV1 }: Setting, message: Shape): JsonObject {
  const configuration = isV1 ? {} : { blocking: true };
  return { message: message as Json, configuration };
}

function open(
  { ends }: Setting,
  given: unknown,
  request: Shape | readonly Shape[],
): Promise<Opened<unknown, Shape>> {
  return openTask(given as Shape, {
    identity: ends.user,
    peers: [ends.agent],
    request,
    policy: 'require',
  }) as Promise<Opened<unknown, Shape>>;
}

/** The task in an answer, of whatever generation. */
function taskIn(answer: Json): { readonly id: string; readonly contextId: string } {
  const { task = answer } = answer as { task?: Json };
  return task as never;
}

const textsOf = (messages: readonly unknown[]): string[] =>
  messages.map((one) => (one as { parts: { text: string }[] }).parts[0]!.text);

const WHOLE_LIST: Shape = {
  artifactId: 'list',
  name: SECRETS.name,
  parts: [{ text: 'one ' }, { text: 'two ' }, ...FULL_PARTS],
};

export const CASES: readonly Case[] = [
  {
    title: '#sealed-numbers a stream with an artifact in pieces, and the task as it is kept',
    run: async (setting) => {
      const { ends, line, family } = setting;
      const request = await seal(setting, asked('list'));
      const events: OpenedEvent[] = [];
      let id = '';
      const steps = line.follow('stream', params(setting, request));
      const noted = (async function* note() {
        for await (const step of steps) {
          const { task = step } = step as { task?: Json };
          id ||= (task as { id?: string }).id ?? '';
          yield step as object;
        }
      })();
      const opened = openStream(noted, {
        identity: ends.user,
        peers: [ends.agent],
        request,
        policy: 'require',
      });
      for await (const event of opened) events.push(event);
      expect(events.flatMap(({ problems }) => problems)).toEqual([]);
      expect(textsOf(events.flatMap(({ messages }) => messages))).toEqual([
        SECRETS.words,
        SECRETS.last,
      ]);
      const list = family.artifact(WHOLE_LIST);
      expect(events.findLast(({ artifacts }) => artifacts.length > 0)?.artifacts).toEqual([list]);
      expect(events.at(-1)).toMatchObject({
        isFinal: true,
        state: 'completed',
        receipt: { state: 'completed', events: 4, coversAll: true },
      });
      // Servers of 0.3 leave out the history unless they are asked for it.
      const kept = await open(setting, await line.call('get', { id, historyLength: 100 }), request);
      expect(kept).toMatchObject({
        protection: 'sealed',
        from: ends.agent.agentId,
        state: 'completed',
        problems: [],
        receipt: { events: 4, coversAll: true },
      });
      expect(textsOf(kept.messages)).toEqual([SECRETS.words, SECRETS.last]);
      expect(kept.artifacts).toEqual([list]);
    },
  },
  {
    title: '#sealed-exchange #sealed-artifacts a question, and the reply to it',
    run: async (setting) => {
      const { line } = setting;
      const first = await seal(setting, asked('ask'));
      const waiting = await line.call('send', params(setting, first));
      const question = await open(setting, waiting, first);
      expect(question).toMatchObject({ state: 'input-required', isFinal: true, problems: [] });
      expect(textsOf(question.messages)).toEqual([SECRETS.question]);
      const { id: taskId, contextId } = taskIn(waiting);
      const second = await seal(setting, asked('reply', { taskId, contextId }));
      const done = await line.call('send', params(setting, second));
      const both = await open(setting, done, [first, second]);
      expect(both).toMatchObject({ protection: 'sealed', state: 'completed', problems: [] });
      expect(textsOf(both.messages)).toEqual([SECRETS.question, SECRETS.words]);
      const [list] = both.artifacts;
      expect(list).toMatchObject({ artifactId: 'list', name: SECRETS.name });
      expect(
        textsOf([list]).concat(textsOf([{ parts: (list!['parts'] as Shape[]).slice(1) }])),
      ).toEqual(['one ', 'two']);
    },
  },
  {
    title: '#sealed-end a cancel, which the agent signs',
    run: async (setting) => {
      const { line } = setting;
      const request = await seal(setting, asked('hold'));
      const leave = new AbortController();
      let id = '';
      for await (const step of line.follow('stream', params(setting, request), leave.signal)) {
        const { task = step, statusUpdate } = step as { task?: Json; statusUpdate?: Json };
        id ||= (task as { id?: string }).id ?? '';
        const { status = {} } = (statusUpdate ?? task) as { status?: Shape };
        if (status['message'] !== undefined) break;
      }
      leave.abort();
      const canceled = await open(setting, await line.call('cancel', { id }), request);
      expect(canceled).toMatchObject({ state: 'canceled', isFinal: true, problems: [] });
      expect(textsOf(canceled.messages)).toEqual([SECRETS.words, SECRETS.last]);
    },
  },
  {
    title: '#sealed-end an answer without a task',
    run: async (setting) => {
      const request = await seal(setting, asked('answer'));
      const answer = await setting.line.call('send', params(setting, request));
      const opened = await open(setting, answer, request);
      expect(opened).toMatchObject({ protection: 'sealed', isFinal: true, problems: [] });
      expect(textsOf(opened.messages)).toEqual([SECRETS.words]);
    },
  },
  ...(['sig', 'detached'] as const).map((mode) => ({
    title: `#sealed-detached a question in mode ${mode}, which everybody can read`,
    run: async (setting: Setting) => {
      const { line } = setting;
      const parts = [
        { text: `${mode} ${IN_CLEAR}` },
        { data: { count: 1.5, deep: { a: [true] } } },
      ];
      const wire = { messageId: randomUUID(), role: 'ROLE_USER', parts };
      const request = await seal(setting, wire, mode);
      const answer = await line.call('send', params(setting, request));
      const opened = await open(setting, answer, request);
      expect(opened).toMatchObject({ state: 'completed', problems: [] });
      const texts = mode === 'detached' ? ['one ', 'one and a half '] : ['one '];
      const whole = {
        artifactId: 'open',
        parts: [...texts.map((text) => ({ text })), ...OPEN_PARTS],
      };
      expect(opened.artifacts).toEqual([setting.family.artifact(whole)]);
      const kept = await line.call('get', { id: taskIn(answer).id, historyLength: 100 });
      expect(await open(setting, kept, request)).toMatchObject({
        protection: mode === 'sig' ? 'signed' : 'detached',
        artifacts: [setting.family.artifact(whole)],
        problems: [],
      });
    },
  })),
];
