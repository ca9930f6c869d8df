// Owns the versions of content types: `name.vN` is version N of the family `name`. SPEC.md section 9 (#ct-unknown).

interface ContentVersion {
  readonly family: string;
  readonly version: number;
}

const FORM = /^(.+)\.v(0|[1-9][0-9]{0,5})$/s;

/** Undefined for a content type that has no version. */
export function parseContentType(ct: string): ContentVersion | undefined {
  const match = FORM.exec(ct);
  return match === null ? undefined : { family: match[1]!, version: Number(match[2]) };
}

/**
 * The content type to send to a peer: the wanted one, else the newest older one of its family that the peer knows.
 * Trust the peer's list only if it came under a signature; the request is sealed as strongly as before (W19).
 */
export function chooseContentType(
  wanted: string,
  supportedByPeer: readonly string[],
): string | undefined {
  if (supportedByPeer.includes(wanted)) return wanted;
  const asked = parseContentType(wanted);
  if (asked === undefined) return undefined;
  let best: string | undefined;
  let bestVersion = -1;
  for (const ct of supportedByPeer) {
    const { family, version } = parseContentType(ct) ?? { family: '', version: -1 };
    if (family !== asked.family || version >= asked.version || version <= bestVersion) continue;
    best = ct;
    bestVersion = version;
  }
  return best;
}
