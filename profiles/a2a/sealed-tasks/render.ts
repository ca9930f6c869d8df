// Owns what is shown of a sealed task: tasks and steps as any other, with envelopes in the place of all content. SPEC.md
// section 22 (#sealed-tasks, #sealed-message, #sealed-artifacts, #sealed-end).

import type {
  Artifact,
  JsonObject,
  Message,
  MessageContent,
  Part,
  Task,
  TaskStatus,
  TaskStep,
} from '../../../src/door/index.ts';
import { SdlError, createArtifact, createMessage } from '../../../src/door/index.ts';
import { SEALED_EXTENSION } from '../sealed/extension.ts';
import { ENVELOPE_MEMBER } from '../sealed/locate.ts';
import type { Saying, SealedExchange, Update } from './exchange.ts';
import { messageOf, neutralMessage, partOf } from './neutral.ts';
import type { SealedAnswer, Sealer } from './sealer.ts';
import type { SealedSource } from './source.ts';
import type { Rest, Spoken, Told, Transcript } from './transcript.ts';

/** All of it, as it is after the last step that was taken. @param known the requests that its reader may know of. */
export async function renderTask(
  transcript: Transcript,
  sealer: Sealer,
  known?: ReadonlySet<SealedExchange>,
): Promise<Task> {
  const { task, history, artifacts, standing } = transcript;
  const shown = new Map<Told, Message>();
  const messages: Message[] = [];
  for (const told of history) {
    const message = await messageIn(told, sealer, known);
    shown.set(told, message);
    messages.push(message);
  }
  const said = standing && (shown.get(standing) ?? (await messageIn(standing, sealer, known)));
  const made: Artifact[] = [];
  for (const [artifactId, updates] of artifacts) {
    made.push(await artifactOf(artifactId, updates, sealer));
  }
  const shell = shellOf(task);
  return {
    ...shell,
    status: { ...shell.status, ...(said !== undefined && { message: said }) },
    history: messages,
    artifacts: made,
  };
}

/** What one step is told as, in order. */
export async function renderSteps(
  task: Task,
  spoken: readonly Spoken[],
  sealer: Sealer,
  known?: ReadonlySet<SealedExchange>,
): Promise<readonly TaskStep[]> {
  const shell = shellOf(task);
  const { generation } = task;
  const steps: TaskStep[] = [];
  for (const one of spoken) {
    if ('update' in one) {
      const { update, artifactId } = one;
      const artifact = await artifactOf(artifactId, [update], sealer);
      const flags = {
        ...(update.append && { append: true as const }),
        ...(update.last && { last: true as const }),
      };
      const { at } = task.status;
      steps.push({ task: shell, event: { type: 'artifact', artifact, ...flags, generation, at } });
      continue;
    }
    const status = 'rest' in one ? one.rest.status : one.status;
    const message =
      'rest' in one || 'said' in one ? await messageIn(one, sealer, known) : undefined;
    const shown = { ...bare(status), ...(message !== undefined && { message }) };
    const event = { type: 'status', status: shown, generation, at: status.at } as const;
    steps.push({ task: shell, event });
  }
  return steps;
}

/** The message that is all of the answer. */
export async function renderAnswer({ standing }: Transcript, sealer: Sealer): Promise<Message> {
  const rest = standing !== undefined && 'rest' in standing ? standing.rest : undefined;
  if (rest?.words === undefined) throw new SdlError('INTERNAL', 'there is no answer in words');
  const saying = rest.exchanges[0]!.answer(neutralMessage(rest.words));
  return sayingMessage([saying], sealer);
}

/** Nothing of it is content. */
function shellOf(task: Task): Task {
  return { ...task, status: bare(task.status), history: [], artifacts: [], children: [] };
}

function bare({ state, at }: TaskStatus): TaskStatus {
  return { state, at };
}

async function messageIn(
  told: Told | { readonly said: Saying },
  sealer: Sealer,
  known: ReadonlySet<SealedExchange> | undefined,
): Promise<Message> {
  if ('asked' in told) return askedMessage(told.asked, told.message);
  if ('said' in told) return sayingMessage([told.said], sealer);
  return sayingMessage(endsOf(told.rest, known), sealer);
}

/** As it was received. */
function askedMessage(source: SealedSource, message: Message): Message {
  const { strength, envelope, messageId } = source;
  if (strength === 'detached') {
    return createMessage(inClear({ ...message, id: messageId }, envelope));
  }
  return createMessage(sealed('user', messageId, [{ envelope, mode: strength }]));
}

/** The last answer to each request that was open; only those whose request the reader knows. */
function endsOf(
  { exchanges, status, words }: Rest,
  known: ReadonlySet<SealedExchange> | undefined,
): readonly Saying[] {
  const neutral = words && neutralMessage(words);
  const asked = exchanges.filter((exchange) => known === undefined || known.has(exchange));
  const told = asked.length === 0 ? exchanges : asked;
  return told.map((exchange, at) =>
    exchange.end(status.state, at === 0 ? neutral : undefined, told.length === 1),
  );
}

async function sayingMessage(sayings: readonly Saying[], sealer: Sealer): Promise<Message> {
  const answers = await Promise.all(sayings.map((saying) => sealer.seal(saying)));
  const [first] = sayings;
  const clear = first?.clear;
  if (clear !== undefined) {
    return createMessage(inClear(messageOf(clear, clear.messageId), answers[0]!.envelope));
  }
  return createMessage(sealed('agent', answers[0]!.envelope['id'] as string, answers));
}

async function artifactOf(
  artifactId: string,
  updates: readonly Update[],
  sealer: Sealer,
): Promise<Artifact> {
  const last = updates.at(-1)!;
  if (last.clear !== undefined) {
    const { envelope } = await sealer.seal(last);
    const parts = updates.flatMap(({ clear = [] }) => clear.map(partOf));
    return createArtifact({ id: artifactId, parts, ...besides(envelope) }, last.last);
  }
  const answers = await Promise.all(updates.map((update) => sealer.seal(update)));
  const parts = answers.map(partFor);
  return createArtifact({ id: artifactId, parts, ...marks(answers.at(-1)!.mode) }, last.last);
}

function sealed(
  role: 'user' | 'agent',
  id: string,
  answers: readonly SealedAnswer[],
): MessageContent {
  return { id, role, parts: answers.map(partFor), ...marks(answers[0]!.mode) };
}

function inClear(message: MessageContent, envelope: JsonObject): MessageContent {
  const { id, role, parts, references } = message;
  return { id, role, parts, ...(references && { references }), ...besides(envelope) };
}

function partFor({ envelope }: SealedAnswer): Part {
  return { data: { [ENVELOPE_MEMBER]: envelope }, mediaType: 'application/json' };
}

type Marks = Required<Pick<MessageContent, 'extensions' | 'metadata'>>;

/** Hints for people and for programs that look for the extension; nobody believes them. */
function marks(mode: string): Marks {
  return {
    extensions: [SEALED_EXTENSION],
    metadata: { [SEALED_EXTENSION]: { v: 1, profile: 'sealed', mode } },
  };
}

function besides(envelope: JsonObject): Marks {
  return {
    extensions: [SEALED_EXTENSION],
    metadata: { [SEALED_EXTENSION]: { v: 1, profile: 'detached', envelope } },
  };
}
