// Owns callers of other dialects: who they are by what they show, and what they may do now.
// SPEC.md section 16 (#callers, #callers-answer).

import type {
  Authenticated,
  Callers,
  Ceiling,
  Principal,
  Shown,
  Standing,
} from '../../src/transport.ts';
import { SdlError } from '../../src/transport.ts';
import type { GuardedFetch } from '../../transports/fetch/index.ts';
import { createGuardedFetch } from '../../transports/fetch/index.ts';
import type { AttemptLimits } from './attempts.ts';
import { Attempts } from './attempts.ts';
import type { Credential } from './credential.ts';
import { credentialIn } from './credential.ts';
import type { Entries } from './entries.ts';
import { indexEntries } from './entries.ts';
import type { CallerEntry } from './entry.ts';
import { allowsName, isActive, isOf, principalId } from './entry.ts';
import type { LoadJose } from './jose.ts';
import type { KeySetLimits } from './key-set.ts';
import { Proofs } from './proofs.ts';
import { schemesOf } from './schemes.ts';

/** Something about a caller that its operator has to mend. It holds no secret. */
export interface CallerProblem {
  readonly caller: string;
  readonly cause: unknown;
}

export interface CallersOptions {
  /** Who is known. A function is asked at every use; it gives the same list for as long as nothing has changed. */
  readonly entries: readonly CallerEntry[] | (() => readonly CallerEntry[]);
  /** Names of faces that let in who shows nothing, as one owner a face. @default none */
  readonly anonymous?: readonly string[];
  /** What a peer may do now: of a caller that is a peer, both count. @default the entry of the caller alone decides */
  readonly peer?: (agentId: string) => Standing | undefined;
  readonly attempts?: AttemptLimits;
  /** How long the keys of an issuer are kept. */
  readonly keys?: KeySetLimits;
  /** For the keys of issuers. @default createGuardedFetch() */
  readonly fetch?: GuardedFetch;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** Told of files that cannot be read and issuers that do not answer. @default nobody is told */
  readonly onProblem?: (problem: CallerProblem) => void;
  /** @default import('jose') */
  readonly loadJose?: LoadJose;
}

/** Who an entry was proven by, and for how long. */
export interface Proof {
  readonly entry: CallerEntry;
  /** The subject of a token, or the hash of a certificate. */
  readonly shown?: string;
  readonly expiresAt?: number;
  readonly ceiling?: Ceiling;
}

const OPERATOR: Principal = Object.freeze({
  id: '~local:operator',
  tenant: '',
  scheme: 'local',
});
const OPERATOR_STANDING: Standing = Object.freeze({
  share: 'operator',
  isAdmin: true,
  allows: () => true,
});
const STRANGER_STANDING: Standing = Object.freeze({
  share: 'stranger',
  isAdmin: false,
  allows: () => true,
});

export function createCallers(options: CallersOptions): Callers {
  const { now = Date.now, fetch = createGuardedFetch(), peer, onProblem } = options;
  const entriesNow = followEntries(options.entries);
  /** Who shows nothing, by the face that lets it in. */
  const strangers = new Map(options.anonymous?.map((face) => [face, strangerOf(face)]));
  const strangerIds = new Set([...strangers.values()].map(({ id }) => id));
  const attempts = new Attempts(options.attempts ?? {}, now);
  const proofs = new Proofs({
    fetch,
    now,
    limits: options.keys ?? {},
    load: options.loadJose,
    onProblem: (caller, cause) => onProblem?.({ caller, cause }),
  });

  function of(principal: Principal): Standing | undefined {
    const { id, scheme, caller, expiresAt = Infinity } = principal;
    if (expiresAt <= now()) return undefined;
    if (scheme === OPERATOR.scheme) return id === OPERATOR.id ? OPERATOR_STANDING : undefined;
    if (scheme === 'none') return strangerIds.has(id) ? STRANGER_STANDING : undefined;
    const entry = caller === undefined ? undefined : entriesNow().byName.get(caller);
    if (entry === undefined || !isActive(entry, now()) || !isOf(entry, principal)) return undefined;
    const asPeer = entry.peer === undefined ? undefined : peer?.(entry.peer);
    const isNarrowed = entry.peer !== undefined && peer !== undefined;
    if (isNarrowed && asPeer === undefined) return undefined;
    return {
      share: 'known',
      isAdmin: false,
      allows: (wish) =>
        ('ct' in wish
          ? allowsName(entry.contentTypes, wish.ct)
          : allowsName(entry.tools, wish.tool)) &&
        (asPeer === undefined || asPeer.allows(wish)),
    };
  }

  async function attempt(credential: Credential, address: string): Promise<Authenticated> {
    attempts.assertMay(address);
    const proof = await proofs.of(credential, entriesNow());
    const found = proof === undefined ? undefined : authenticated(proof);
    // The entry may have been taken away while the proof was looked at.
    if (found !== undefined && of(found.principal) !== undefined) return found;
    attempts.failed(address);
    throw unauthenticated();
  }

  return {
    of,
    schemes: (face) => ({
      schemes: schemesOf([...entriesNow().byName.values()], now()),
      isOptional: strangers.has(face),
    }),
    async authenticate(shown: Shown): Promise<Authenticated> {
      const credential = credentialIn(shown);
      const { face, address } = shown;
      if (credential.kind === 'local') return { principal: OPERATOR };
      if (credential.kind === 'nothing') {
        const stranger = strangers.get(face);
        if (stranger !== undefined) return { principal: stranger };
        throw unauthenticated();
      }
      const run = (): Promise<Authenticated> => attempt(credential, address);
      // Passwords can be guessed, and each costs work.
      return credential.kind === 'basic' ? attempts.inLine(address, run) : run();
    },
  };
}

function strangerOf(face: string): Principal {
  return Object.freeze({ id: `~none:${face}`, tenant: '', scheme: 'none' });
}

function authenticated({ entry, shown, expiresAt = Infinity, ceiling }: Proof): Authenticated {
  const until = Math.min(expiresAt, entry.expiresAt ?? Infinity);
  const principal: Principal = Object.freeze({
    id: principalId(entry, shown),
    tenant: entry.tenant ?? '',
    scheme: entry.proof.scheme,
    caller: entry.name,
    ...(until !== Infinity && { expiresAt: until }),
  });
  return { principal, ...(ceiling !== undefined && { ceiling }) };
}

/** The same words whatever was wrong. */
function unauthenticated(): SdlError {
  return new SdlError('UNAUTHENTICATED', 'the caller has not shown who it is');
}

/** The list is read anew only where it is another one. */
function followEntries(entries: CallersOptions['entries']): () => Entries {
  const listNow = typeof entries === 'function' ? entries : () => entries;
  let list = listNow();
  let index = indexEntries(list);
  return () => {
    const next = listNow();
    if (next !== list) [list, index] = [next, indexEntries(next)];
    return index;
  };
}
