// Owns what of a message, a task or the events of a stream holds for an identity of this home: the one of its two that can
// open it. SPEC.md section 22 (#sealed-verdict).

import type { OpenOptions, Opened, OpenedEvent } from '../../profiles/a2a/sealed/index.ts';
import { openStream } from '../../profiles/a2a/sealed/index.ts';
import { lookAtTask } from '../../profiles/a2a/sealed/open-task.ts';
import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { openDirectory, openIdentity, peersOf } from '../home/identities.ts';
import type { Role } from '../home/home.ts';
import type { CommandContext } from '../kit/command.ts';

/** Nothing is recorded: what was seen before is not asked, and the message can still be delivered. */
export async function openedAtHome(
  given: readonly JsonObject[],
  roles: readonly Role[],
  context: CommandContext,
): Promise<JsonObject> {
  const names = await openDirectory(context).list();
  let best: JsonObject | undefined;
  for (const role of roles.filter((one) => names.includes(one) || roles.length === 1)) {
    const opened = await openedBy(given, role, context);
    if (best === undefined || rankOf(opened) > rankOf(best)) best = opened;
  }
  return best!;
}

/** What is said of something that is for another one. */
const NOT_FOR_IT: ReadonlySet<JsonValue | undefined> = new Set([
  'REQUEST_UNKNOWN',
  'ADDRESS_WRONG',
]);

/** Everything holds, something does, it is at least for this one, or nothing. */
function rankOf({ problems, protection }: JsonObject): number {
  const found = problems as readonly JsonObject[];
  if (found.length === 0) return 3;
  if (protection !== 'none') return 2;
  return found.some(({ code }) => NOT_FOR_IT.has(code)) ? 0 : 1;
}

async function openedBy(
  given: readonly JsonObject[],
  role: Role,
  context: CommandContext,
): Promise<JsonObject> {
  const { home, crypto, now } = context;
  const identity = await openIdentity(context, role);
  const peers = await peersOf(home, role);
  const options: OpenOptions = { identity, peers, crypto, now, policy: 'report' };
  const [only, ...more] = given;
  if (more.length === 0) return verdictOf(role, await lookAtTask(only!, options));
  const events: OpenedEvent[] = [];
  const stream = openStream(eachOf(given), { ...options, isResumed: true });
  for await (const event of stream) events.push(event);
  return verdictOf(role, summaryOf(events));
}

async function* eachOf(events: readonly JsonObject[]): AsyncGenerator<object> {
  yield* events;
}

type Shown = Pick<
  Opened<unknown, unknown>,
  'protection' | 'from' | 'state' | 'claimedState' | 'isFinal' | 'messages' | 'artifacts'
> & { readonly problems: readonly { readonly code: string; readonly where: string }[] };

const WEAKEST_FIRST = ['detached', 'signed', 'sealed'] as const;

/** Of all of them; an artifact as it was last. */
function summaryOf(events: readonly OpenedEvent[]): Shown {
  const last = events.findLast(({ isFinal }) => isFinal);
  const seen = events.map(({ protection }) => protection);
  // An event that says nothing, such as a state alone, has nothing to protect.
  const isMixed = seen.includes('partial') || events.some(({ problems }) => problems.length > 0);
  const weakest = WEAKEST_FIRST.find((one) => seen.includes(one)) ?? 'none';
  const claimed = events.findLast(({ claimedState }) => claimedState !== undefined);
  const artifacts = new Map<unknown, object>();
  for (const one of events.flatMap((event) => event.artifacts)) {
    artifacts.set((one as { readonly artifactId?: unknown }).artifactId, one);
  }
  return {
    protection: weakest !== 'none' && isMixed ? 'partial' : weakest,
    ...(last?.state !== undefined && { state: last.state }),
    ...(claimed?.claimedState !== undefined && { claimedState: claimed.claimedState }),
    isFinal: last !== undefined,
    messages: events.flatMap(({ messages }) => messages),
    artifacts: [...artifacts.values()],
    problems: events.flatMap(({ problems }, at) =>
      problems.map(({ code, where }) => ({ code, where: `events[${at}].${where}` })),
    ),
  };
}

function verdictOf(role: Role, opened: Shown): JsonObject {
  const { protection, from, state, claimedState, isFinal, messages, artifacts, problems } = opened;
  return {
    by: role,
    protection,
    ...(from !== undefined && { from }),
    ...(state !== undefined && { state }),
    ...(claimedState !== undefined && { claimed_state: claimedState }),
    end_signed: isFinal,
    messages: messages as readonly JsonValue[],
    artifacts: artifacts as readonly JsonValue[],
    problems: problems.map(({ code, where }) => ({ code, where })),
  };
}
