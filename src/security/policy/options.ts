// Owns the options of a policy: checked, completed and copied once. SPEC.md sections 6, 7 and 13.

import { RESERVED_ID, isReservedId } from '../../envelope/agent-id.ts';
import { isText } from '../../envelope/fields.ts';
import type { SecurityMode } from '../../envelope/types.ts';
import { SECURITY_MODES } from '../message/mode.ts';
import type { CompatSwitch, SecurityProfile } from './switches.ts';
import { COMPAT_SWITCHES, switchesOf } from './switches.ts';

export interface PolicyOptions {
  /** The agents that this receiver is. */
  readonly agentIds: readonly string[];
  /** Other ids under which it is written to. @default none */
  readonly aliases?: readonly string[];
  /** @default 'hardened' */
  readonly profile?: SecurityProfile;
  /** Switches that are on for every peer, beside those of the profile. @default none */
  readonly switches?: readonly CompatSwitch[];
  /** The weakest mode that is accepted from a peer whose entry names none. @default 'sig' */
  readonly minMode?: SecurityMode;
  /** By content type, a mode that is needed whatever the peer. @default none */
  readonly minModeByContentType?: Readonly<Record<string, SecurityMode>>;
  /** Accept strangers that prove a did:key. @default false */
  readonly open?: boolean;
  /** What strangers may send. @default task.v1, toolcall.v1, artifact.v1, negotiation.v1, session.v1, state.v1 */
  readonly strangerContentTypes?: readonly string[];
  /** How far `ts` may lie from now. @default 120000 */
  readonly skewMs?: number;
  /** How far `sec.replay.exp` may lie ahead. @default 3600000 */
  readonly maxWindowMs?: number;
}

export interface ResolvedPolicyOptions {
  readonly addresses: ReadonlySet<string>;
  readonly switches: ReadonlySet<CompatSwitch>;
  readonly minMode: SecurityMode;
  readonly minModes: ReadonlyMap<string, SecurityMode>;
  readonly open: boolean;
  readonly strangerContentTypes: readonly string[];
  readonly skewMs: number;
  readonly maxWindowMs: number;
}

const DEFAULTS = {
  aliases: [],
  profile: 'hardened',
  switches: [],
  minMode: 'sig',
  minModeByContentType: {},
  open: false,
  strangerContentTypes: [
    'artifact.v1',
    'negotiation.v1',
    'session.v1',
    'state.v1',
    'task.v1',
    'toolcall.v1',
  ],
  skewMs: 120_000,
  maxWindowMs: 3_600_000,
} as const satisfies Partial<PolicyOptions>;

type Complete = Required<PolicyOptions>;

const NAMES: ReadonlySet<string> = new Set(['agentIds', ...Object.keys(DEFAULTS)]);

export function resolvePolicyOptions(options: PolicyOptions): ResolvedPolicyOptions {
  // A misspelt option would leave open what its writer thinks is closed.
  const unknown = Object.keys(options).find((name) => !NAMES.has(name));
  if (unknown !== undefined) throw new TypeError(`"${unknown}" is not an option of a policy`);
  const { agentIds, aliases, profile, switches, minMode, minModeByContentType, ...rest }: Complete =
    { ...DEFAULTS, ...options };
  if (profile !== 'hardened' && profile !== 'compat') {
    throw new TypeError('"profile" expected hardened or compat');
  }
  if (typeof rest.open !== 'boolean') throw new TypeError('"open" expected true or false');
  if (requireIds('agentIds', agentIds).length === 0) {
    throw new RangeError('"agentIds" expected at least one id');
  }
  if (agentIds.some(isReservedId)) throw new RangeError(`an id of "agentIds" ${RESERVED_ID}`);
  return {
    addresses: new Set([...agentIds, ...requireIds('aliases', aliases)]),
    switches: new Set([...switchesOf(profile), ...requireSwitches(switches)]),
    minMode: requireMode('minMode', minMode),
    minModes: new Map(
      Object.entries(minModeByContentType).map(([ct, mode]) => [
        ct,
        requireMode(`minModeByContentType.${ct}`, mode),
      ]),
    ),
    open: rest.open,
    strangerContentTypes: Object.freeze([
      ...requireIds('strangerContentTypes', rest.strangerContentTypes),
    ]),
    skewMs: requireSpan('skewMs', rest.skewMs),
    maxWindowMs: requireSpan('maxWindowMs', rest.maxWindowMs),
  };
}

function requireIds(option: string, ids: readonly string[]): readonly string[] {
  if (Array.isArray(ids) && ids.every((id) => isText(id as string, 512))) return ids;
  throw new TypeError(`"${option}" expected a list of texts of 1 to 512 characters`);
}

function requireSwitches(names: readonly CompatSwitch[]): readonly CompatSwitch[] {
  if (Array.isArray(names) && names.every((name) => COMPAT_SWITCHES.includes(name as never))) {
    return names;
  }
  throw new TypeError(`"switches" expected a list out of ${COMPAT_SWITCHES.join(', ')}`);
}

function requireMode(option: string, mode: SecurityMode): SecurityMode {
  if (SECURITY_MODES.includes(mode)) return mode;
  throw new TypeError(`"${option}" expected ${SECURITY_MODES.join(', ')}`);
}

function requireSpan(option: string, spanMs: number): number {
  if (Number.isSafeInteger(spanMs) && spanMs >= 0) return spanMs;
  throw new RangeError(`"${option}" expected an integer of at least 0`);
}
