// Owns how versions of a package compare: three numbers, and a pre-release before its release. SPEC.md section 8 (#cap-x).

export interface PackageVersion {
  readonly numbers: readonly [number, number, number];
  /** Empty for a release. */
  readonly preRelease: readonly string[];
}

const NUMBER = '(0|[1-9][0-9]{0,8})';
const NAMES = '[0-9A-Za-z-]{1,64}(?:\\.[0-9A-Za-z-]{1,64}){0,7}';
const FORM = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${NAMES}))?(?:\\+${NAMES})?$`);

/** Undefined for text that is no version such as `1.2.3` or `1.2.3-rc.1`. */
export function parsePackageVersion(text: string): PackageVersion | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  return {
    numbers: [Number(match[1]), Number(match[2]), Number(match[3])],
    preRelease: match[4]?.split('.') ?? [],
  };
}

/** Negative, zero or positive, as `a` comes before, with or after `b`. */
export function comparePackageVersions(a: PackageVersion, b: PackageVersion): number {
  for (const [index, number] of a.numbers.entries()) {
    if (number !== b.numbers[index]) return number - b.numbers[index]!;
  }
  if (a.preRelease.length === 0 || b.preRelease.length === 0) {
    return b.preRelease.length - a.preRelease.length;
  }
  for (const [index, name] of a.preRelease.entries()) {
    const other = b.preRelease[index];
    if (other === undefined) return 1;
    const order = compareNames(name, other);
    if (order !== 0) return order;
  }
  return a.preRelease.length - b.preRelease.length;
}

/** Numbers by value and before words, words by their characters. */
function compareNames(a: string, b: string): number {
  const isNumberA = /^[0-9]+$/.test(a);
  const isNumberB = /^[0-9]+$/.test(b);
  if (isNumberA && isNumberB) return Number(a) - Number(b);
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
