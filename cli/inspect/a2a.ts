// Owns what `inspect` says of a message, a task or an event of official A2A: what of it is sealed, by whom, what whoever
// passed it on could read, and what of it holds for this home. SPEC.md section 22 (#sealed-recognised, #sealed-visible).

import type { FoundMessage } from '../../profiles/a2a/sealed/carrier.ts';
import { carrierOf } from '../../profiles/a2a/sealed/carrier.ts';
import { envelopeBeside, envelopeInPart } from '../../profiles/a2a/sealed/locate.ts';
import { rawPartsOf } from '../../profiles/a2a/sealed/shapes/read.ts';
import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonObject, readJson } from '../../src/codec/index.ts';
import type { Role } from '../home/home.ts';
import type { CommandContext } from '../kit/command.ts';
import type { ExitCode } from '../kit/exit.ts';
import { EXIT } from '../kit/exit.ts';
import { a2aEventsIn } from './a2a-events.ts';
import { openedAtHome } from './a2a-opened.ts';

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

/** One thing of A2A, or the events of a saved stream; `undefined` for what is neither, such as an envelope. */
export function a2aIn(bytes: Uint8Array): readonly JsonObject[] | undefined {
  const one = objectIn(bytes);
  return one === undefined ? a2aEventsIn(bytes) : [one];
}

function objectIn(bytes: Uint8Array): JsonObject | undefined {
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

/** @param roles whose keys may open it; none where there is no home. */
export async function inspectA2a(
  given: readonly JsonObject[],
  roles: readonly Role[],
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const said = given.flatMap((one, at) => saidIn(one, given.length === 1 ? '' : `events[${at}].`));
  const opened = roles.length === 0 ? undefined : await openedAtHome(given, roles, context);
  const verdict = opened === undefined ? {} : { opened };
  terminal.result({ said: said.map((one): JsonObject => ({ ...one })), ...verdict }, () => {
    terminal.table([
      ['WHERE', 'PROTECTION', 'FROM', 'COULD BE READ ON THE WAY'],
      ...said.map((one) => [one.where, one.protection, one.from ?? '-', one.readable]),
    ]);
    if (opened === undefined) return;
    terminal.print();
    const { by, protection } = opened as { readonly by: Role; readonly protection: string };
    terminal.print(`for the ${by} of this home it is: ${protection}`);
    for (const problem of opened['problems'] as readonly { code: string; where: string }[]) {
      terminal.print(`  ${problem.code} at ${problem.where}`);
    }
  });
  const problems = (opened?.['problems'] ?? []) as readonly JsonValue[];
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}

function saidIn(given: JsonObject, place: string): readonly Said[] {
  const { messages, artifacts, asked } = carrierOf(given);
  return [
    ...asked.map((one, at) => saidOf(`${place}asked[${at}]`, one)),
    ...messages.map((one) => saidOf(`${place}${one.where}`, one.given)),
    ...artifacts.map((one) => saidOf(`${place}${one.where}`, one.given)),
  ];
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
