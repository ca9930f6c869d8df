// Owns which versions of peers and content types are accepted, and until when. SPEC.md sections 8 and 9 (#cap-x, #ct-unknown).

import type { JsonObject, JsonValue, MutableJsonObject } from '../../codec/value.ts';
import { isJsonObject, newJsonObject } from '../../codec/value.ts';
import { parseTimestamp } from '../../envelope/timestamp.ts';
import type { Envelope } from '../../envelope/types.ts';
import { SdlError } from '../../errors.ts';
import { checkInteger } from '../../stores/operation.ts';
import { parseContentType } from './content-version.ts';
import type { PackageVersion } from './package-version.ts';
import { comparePackageVersions, parsePackageVersion } from './package-version.ts';

/** Versions up to this one: peers are warned from `after` on, and refused from `sunset` on. */
interface Deprecation {
  readonly version: number;
  /** A timestamp. */
  readonly after: string;
  /** A timestamp. */
  readonly sunset: string;
}

interface ContentTypePolicy {
  /** The oldest version that is accepted. @default 0 */
  readonly min?: number;
  /** The newest version that is accepted. @default any */
  readonly max?: number;
  readonly deprecated?: Deprecation;
}

export interface VersionPolicyOptions {
  /** Whose versions `minPeerVersion` and `maxPeerVersion` are about: `cap.a2a_sdl.impl.name`. @default 'a2a-sdl' */
  readonly peerName?: string;
  /** Such as `0.2.0`. Peers that announce no version pass, as v1 peers announce none. @default any */
  readonly minPeerVersion?: string;
  /** @default any */
  readonly maxPeerVersion?: string;
  /** By family: the name of a content type without its `.vN`. @default all versions */
  readonly contentTypes?: Readonly<Record<string, ContentTypePolicy>>;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}

/** A content type that is still accepted, but not for long. */
interface VersionWarning {
  readonly ct: string;
  /** A timestamp: from then on it is refused. */
  readonly sunset: string;
}

export interface VersionPolicy {
  /**
   * Throws VERSION_UNSUPPORTED for a peer, and CT_UNSUPPORTED for a content type, that is too old or too new. What it
   * returns is for the log.
   */
  readonly check: (envelope: Pick<Envelope, 'cap' | 'ct'>) => readonly VersionWarning[];
  /** The versions of these content types by family, for `have.versions` of `negotiation.v1`. */
  readonly describe: (contentTypes: readonly string[]) => JsonObject;
}

/** {@link ContentTypePolicy}, checked. */
interface Family {
  readonly min: number;
  readonly max: number;
  readonly deprecated?: Deprecation;
  readonly afterMs: number;
  readonly sunsetMs: number;
}

const PROTOCOL_VERSION = 1;

export function createVersionPolicy(options: VersionPolicyOptions = {}): VersionPolicy {
  const { peerName = 'a2a-sdl', now = Date.now } = options;
  const min = requireVersion('minPeerVersion', options.minPeerVersion);
  const max = requireVersion('maxPeerVersion', options.maxPeerVersion);
  if (min !== undefined && max !== undefined && comparePackageVersions(min, max) > 0) {
    throw new RangeError('"minPeerVersion" is after "maxPeerVersion"');
  }
  const families = new Map<string, Family>();
  for (const [family, policy] of Object.entries(options.contentTypes ?? {})) {
    families.set(family, requireFamily(`contentTypes.${family}`, policy));
  }

  function checkPeer(cap: JsonObject): void {
    const announced = member(cap, 'a2a_sdl');
    const protocol = member(announced, 'v');
    if (protocol !== undefined && protocol !== PROTOCOL_VERSION) {
      throw unsupported('the peer announces another version of the protocol');
    }
    const impl = member(announced, 'impl');
    if (member(impl, 'name') !== peerName || (min ?? max) === undefined) return;
    const text = member(impl, 'version');
    const version = typeof text === 'string' ? parsePackageVersion(text) : undefined;
    if (version === undefined) throw unsupported('the peer announces a version that is none');
    if (min !== undefined && comparePackageVersions(version, min) < 0) {
      throw unsupported('the peer is too old', { min_version: options.minPeerVersion! });
    }
    if (max !== undefined && comparePackageVersions(version, max) > 0) {
      throw unsupported('the peer is too new', { max_version: options.maxPeerVersion! });
    }
  }

  function checkContentType(ct: string): readonly VersionWarning[] {
    const parsed = parseContentType(ct);
    const family = parsed && families.get(parsed.family);
    if (parsed === undefined || family === undefined) return [];
    const { min: oldest, max: newest, deprecated, afterMs, sunsetMs } = family;
    if (parsed.version < oldest || parsed.version > newest) {
      throw new SdlError('CT_UNSUPPORTED', 'this version of the content type is not accepted', {
        details: { min: oldest, ...(Number.isFinite(newest) && { max: newest }) },
      });
    }
    if (deprecated === undefined || parsed.version > deprecated.version) return [];
    if (now() >= sunsetMs) {
      throw new SdlError(
        'CT_UNSUPPORTED',
        'this version of the content type is no longer accepted',
        {
          details: { sunset: deprecated.sunset },
        },
      );
    }
    return now() >= afterMs ? [{ ct, sunset: deprecated.sunset }] : [];
  }

  return Object.freeze<VersionPolicy>({
    check({ cap, ct }) {
      checkPeer(cap);
      return checkContentType(ct);
    },
    describe: (contentTypes) => describeFamilies(contentTypes, families, now()),
  });
}

function describeFamilies(
  contentTypes: readonly string[],
  families: ReadonlyMap<string, Family>,
  nowMs: number,
): JsonObject {
  const described = newJsonObject() as Record<string, MutableJsonObject>;
  for (const ct of contentTypes) {
    const parsed = parseContentType(ct);
    if (parsed === undefined) continue;
    const { family, version } = parsed;
    const policy = families.get(family);
    if (policy !== undefined && !isAccepted(version, policy, nowMs)) continue;
    const known = (described[family] ??= { min: version, max: version });
    known['min'] = Math.min(known['min'] as number, version);
    known['max'] = Math.max(known['max'] as number, version);
    if (policy?.deprecated === undefined) continue;
    const { version: upTo, after, sunset } = policy.deprecated;
    known['deprecated'] = { version: upTo, after, sunset };
  }
  return described;
}

function isAccepted(
  version: number,
  { min, max, deprecated, sunsetMs }: Family,
  nowMs: number,
): boolean {
  if (version < min || version > max) return false;
  return deprecated === undefined || version > deprecated.version || nowMs < sunsetMs;
}

function requireVersion(option: string, text: string | undefined): PackageVersion | undefined {
  if (text === undefined) return undefined;
  const version = parsePackageVersion(text);
  if (version === undefined) throw new TypeError(`"${option}" expected a version such as 1.2.3`);
  return version;
}

function requireFamily(option: string, policy: ContentTypePolicy): Family {
  const { min = 0, max = Infinity, deprecated } = policy;
  checkInteger(`${option}.min`, min);
  if (max !== Infinity) checkInteger(`${option}.max`, max, min);
  if (deprecated === undefined) return { min, max, afterMs: Infinity, sunsetMs: Infinity };
  checkInteger(`${option}.deprecated.version`, deprecated.version);
  const afterMs = parseTimestamp(deprecated.after);
  const sunsetMs = parseTimestamp(deprecated.sunset);
  if (afterMs === undefined || sunsetMs === undefined || afterMs > sunsetMs) {
    throw new RangeError(
      `"${option}.deprecated" expected timestamps "after" and "sunset" in order`,
    );
  }
  return { min, max, deprecated, afterMs, sunsetMs };
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function unsupported(reason: string, details: Readonly<Record<string, string>> = {}): SdlError {
  return new SdlError('VERSION_UNSUPPORTED', reason, { details });
}
