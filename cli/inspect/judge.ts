// Owns how a message in a file is judged: by itself with the keys at hand, or as the agent of a home would judge it.
// Nothing is recorded and nothing is handled. SPEC.md section 13 (#checks).

import type { Envelope } from '../../src/envelope/index.ts';
import { checkShape, decodeMessage } from '../../src/envelope/index.ts';
import { SdlError } from '../../src/errors.ts';
import type {
  CheckReport,
  StagesReport,
  OpenRequest,
  Passage,
  SkippedStages,
  StageName,
} from '../../src/internal.ts';
import { reportStages, createPassage } from '../../src/internal.ts';
import { SchemaRegistry } from '../../src/schema/index.ts';
import type { OwnKey } from '../../src/security/index.ts';
import type { Store } from '../../src/stores/index.ts';
import type { CommandContext } from '../kit/command.ts';
import type { Role } from '../home/home.ts';
import { openIdentity, peersOf } from '../home/identities.ts';
import type { GivenMessage } from './options.ts';
import type { FoundSender } from './sender.ts';

export interface Judgement {
  readonly report: StagesReport;
  readonly passage: Passage;
}

/** What there is to judge a message by itself with. */
export interface Evidence {
  /** The checks that are made; the others are skipped. */
  readonly stages: ReadonlySet<StageName>;
  readonly findSender: (envelope: Envelope) => Promise<FoundSender>;
  readonly ownKeys: readonly OwnKey[];
  /** A signature for which there is no key is skipped, not failed. @default false */
  readonly mayBeUnverified?: boolean;
}

const ALONE = 'left to the receiver';
const LOOKING = 'this is only a look';

/** Why a check is not made of a message by itself. */
const SKIPPED_ALONE: SkippedStages = {
  admit: `${ALONE}: whether it has room`,
  version: `${ALONE}: which versions it takes`,
  address: `${ALONE}: whether the message is for it`,
  policy: `${ALONE}: whom it knows and which mode it wants`,
  freshness: `${ALONE} and its clock`,
  replay: `${ALONE}: what it has seen before`,
  contact: `${ALONE}: how fast the sender may send, and what to remember of it`,
  session: `${ALONE}: which sessions it has open`,
  decrypt: 'it was not asked for',
  bind: 'it was not asked for',
  schema: 'it was not asked for',
  sender_schema: `${ALONE}: whether it runs the schemas of others`,
  authorize: `${ALONE}: what the sender may do`,
  audit: `${LOOKING}: nothing is written`,
};

const SKIPPED_AT_HOME: SkippedStages = {
  admit: `${LOOKING}: nothing is admitted`,
  replay: `${LOOKING}: the nonce is not recorded, and whether it was seen before is not asked`,
  contact: `${LOOKING}: the message is not counted, and nothing is remembered of its sender`,
  audit: `${LOOKING}: nothing is written`,
};

const SKIPPED_FOR_ANSWERS: SkippedStages = {
  ...SKIPPED_AT_HOME,
  freshness: 'an answer may come for as long as its request is open',
  replay: 'the request that it answers is not at hand',
  session: 'an answer needs none',
  authorize: 'an answer needs no leave: it was asked for',
};

/** Nobody's: a message that is judged by itself is for nobody in particular. */
const READER = 'did:key:reader';

/** Judges a message by itself. */
export async function judgeAlone(
  message: GivenMessage,
  evidence: Evidence,
  context: CommandContext,
): Promise<Judgement> {
  const { crypto, now } = context;
  const { stages, ownKeys } = evidence;
  const identity = { agentId: READER, keys: ownKeys };
  // A binding is judged where there is one.
  const policy = { switches: ['unbound-enc'] } as const;
  const passage = await createPassage({ identity, crypto, now, policy }, message);
  const { envelope, isOtherVersion } = preview(message);
  const found = envelope && (await evidence.findSender(envelope));
  if (found !== undefined) passage.sender = found.sender;
  const isUnverified = found?.isMissing === true && evidence.mayBeUnverified === true;
  const skipped = {
    ...without(SKIPPED_ALONE, isOtherVersion ? new Set([...stages, 'version']) : stages),
    ...(isUnverified && { verify: 'no key is at hand' }),
    ...(envelope && withoutSubject(envelope, stages)),
  };
  return told(passage, await reportStages(passage, skipped), ownKeys);
}

/** Judges a message as the agent or the operator of the home would now. */
export async function judgeAtHome(
  message: GivenMessage,
  role: Role,
  store: Store,
  context: CommandContext,
): Promise<Judgement> {
  const { home, crypto, now } = context;
  const identity = await openIdentity(context, role);
  const { envelope } = preview(message);
  const answers = envelope && answeredBy(envelope);
  const peers = await peersOf(home, role);
  const options = { identity, peers, store, crypto, now };
  const passage = await createPassage(options, message, answers);
  const skipped = {
    ...(answers === undefined ? SKIPPED_AT_HOME : SKIPPED_FOR_ANSWERS),
    ...(envelope && withoutSubject(envelope, new Set(['verify', 'decrypt']))),
  };
  return told(passage, await reportStages(passage, skipped), identity.keys);
}

function without(skipped: SkippedStages, stages: ReadonlySet<string>): SkippedStages {
  return Object.fromEntries(Object.entries(skipped).filter(([name]) => !stages.has(name)));
}

/** What the message claims to be; the checks `decode` and `shape` then say whether it is. */
function preview({ bytes, encoding }: GivenMessage): {
  readonly envelope: Envelope | undefined;
  readonly isOtherVersion: boolean;
} {
  const { contentTypes } = new SchemaRegistry();
  try {
    const value = decodeMessage(bytes, encoding);
    const envelope = checkShape(value, { contentTypes, laxDates: () => true });
    return { envelope, isOtherVersion: false };
  } catch (thrown) {
    const isOtherVersion = thrown instanceof SdlError && thrown.code === 'VERSION_UNSUPPORTED';
    return { envelope: undefined, isOtherVersion };
  }
}

/** The request that the message says to answer, as its sender would have it: nothing else is known of that. */
function answeredBy({ type, re, trace, from }: Envelope): OpenRequest | undefined {
  if (type === 'req' || (type === 'evt' && re === undefined)) return undefined;
  return {
    id: re ?? '',
    spanId: trace?.parent_span_id ?? '',
    agentId: from.agent_id,
    mode: 'none',
  };
}

/** Checks of what the message does not have would pass and say nothing. */
function withoutSubject({ sec }: Envelope, stages: ReadonlySet<StageName>): SkippedStages {
  const isSigned = sec?.sig !== undefined;
  const isSealed = sec?.enc !== undefined;
  const isBound = sec?.x?.['bind'] !== undefined;
  return {
    ...(stages.has('verify') && !isSigned && { verify: 'the message is not signed' }),
    ...(stages.has('decrypt') && !isSealed && { decrypt: 'the payload is in clear' }),
    ...(stages.has('decrypt') && !isSealed && { bind: 'the payload is in clear' }),
    ...(stages.has('bind') &&
      isSealed &&
      !isBound && { bind: 'the message carries no sec.x.bind' }),
  };
}

/** A receiver tells nobody why a payload does not open; its owner may know which key it would take. */
function told(passage: Passage, report: StagesReport, ownKeys: readonly OwnKey[]): Judgement {
  const { error } = report;
  if (error?.code !== 'DECRYPT_FAILED') return { passage, report };
  const wanted = (passage.envelope.sec?.enc?.recipients ?? []).map(({ kid }) => kid);
  if (ownKeys.some(({ use, kid }) => use === 'enc' && wanted.includes(kid))) {
    return { passage, report };
  }
  const names = wanted.map((kid) => JSON.stringify(kid)).join(' or ');
  const reason = `${error.message}: it takes the key ${names}; give it with --decrypt-key KID=KEY`;
  const checks = report.checks.map((check): CheckReport =>
    check.status === 'fail' ? { ...check, reason } : check,
  );
  return { passage, report: { ...report, checks } };
}
