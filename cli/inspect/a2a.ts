// Owns what `inspect` says of a message, a task or an event of official A2A: what of it is sealed, by whom, what whoever
// passed it on could read, and what of it holds for this home. SPEC.md section 22 (#sealed-recognised, #sealed-visible).

import type { FoundMessage } from '../../profiles/a2a/sealed/carrier.ts';
import { carrierOf } from '../../profiles/a2a/sealed/carrier.ts';
import { openTask } from '../../profiles/a2a/sealed/index.ts';
import { envelopeBeside, envelopeInPart } from '../../profiles/a2a/sealed/locate.ts';
import { rawPartsOf } from '../../profiles/a2a/sealed/shapes/read.ts';
import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonObject, readJson } from '../../src/codec/index.ts';
import { openIdentity, peersOf } from '../home/identities.ts';
import type { Role } from '../home/home.ts';
import type { CommandContext } from '../kit/command.ts';
import type { ExitCode } from '../kit/exit.ts';
import { EXIT } from '../kit/exit.ts';

type Bag = FoundMessage['given'];

/** One thing that was said, and how. */
interface Said {
  readonly where: string;
  readonly protection: 'sealed' | 'signed' | 'detached' | 'none';
  /** As the envelope says; whether it holds is another question. */
  readonly from?: string;
  readonly to?: string;
  /** What whoever passed it on could read of it. */
  readonly readable: string;
}

/** `undefined` for what is none, such as an envelope. */
export function a2aIn(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value = readJson(bytes);
    if (!isJsonObject(value) || value['sec'] !== undefined || value['ct'] !== undefined) {
      return undefined;
    }
    const { params } = value;
    const given = params !== undefined && isJsonObject(params) ? params : value;
    carrierOf(given);
    return given;
  } catch {
    return undefined;
  }
}

/** @param role whose keys open it; `undefined` where there is no home. */
export async function inspectA2a(
  given: JsonObject,
  role: Role | undefined,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { messages, artifacts, asked } = carrierOf(given);
  const said = [
    ...asked.map((one, at) => saidOf(`asked[${at}]`, one)),
    ...messages.map((one) => saidOf(one.where, one.given)),
    ...artifacts.map((one) => saidOf(one.where, one.given)),
  ];
  const opened = role === undefined ? undefined : await openedBy(given, role, context);
  const verdict = opened === undefined ? {} : { opened };
  terminal.result({ said: said.map((one): JsonObject => ({ ...one })), ...verdict }, () => {
    terminal.table([
      ['WHERE', 'PROTECTION', 'FROM', 'COULD BE READ ON THE WAY'],
      ...said.map((one) => [one.where, one.protection, one.from ?? '-', one.readable]),
    ]);
    if (opened === undefined) return;
    terminal.print();
    terminal.print(`for this home it is: ${opened['protection'] as string}`);
    for (const problem of opened['problems'] as readonly { code: string; where: string }[]) {
      terminal.print(`  ${problem.code} at ${problem.where}`);
    }
  });
  const problems = (opened?.['problems'] ?? []) as readonly JsonValue[];
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}

const METADATA = 'who speaks with whom, when and how much';

function saidOf(where: string, given: Bag): Said {
  const parts = rawPartsOf(given);
  const inside = parts.map(envelopeInPart).find((one) => one !== undefined);
  const envelope = inside ?? envelopeBeside(given);
  if (envelope === undefined) return { where, protection: 'none', readable: 'all of it' };
  const ends = { ...endOf('from', envelope), ...endOf('to', envelope) };
  if (inside === undefined)
    return { where, protection: 'detached', ...ends, readable: 'all of it' };
  const isSealed = inside['payload'] === null;
  const plain = parts.length > 1 ? ', and the parts beside it' : '';
  return isSealed
    ? { where, protection: 'sealed', ...ends, readable: `${METADATA}${plain}` }
    : { where, protection: 'signed', ...ends, readable: 'all of it' };
}

function endOf(name: 'from' | 'to', envelope: Bag): Partial<Record<'from' | 'to', string>> {
  const end = envelope[name] as { readonly agent_id?: unknown } | undefined;
  return typeof end?.agent_id === 'string' ? { [name]: end.agent_id } : {};
}

/** Nothing is recorded: what was seen before is not asked, and the message can still be delivered. */
async function openedBy(
  given: JsonObject,
  role: Role,
  context: CommandContext,
): Promise<JsonObject> {
  const { home, crypto, now } = context;
  const identity = await openIdentity(context, role);
  const peers = await peersOf(home, role);
  const opened = await openTask(given, { identity, peers, crypto, now, policy: 'report' });
  const { protection, from, state, claimedState, isFinal, messages, artifacts, problems } = opened;
  return {
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
