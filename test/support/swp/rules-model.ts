// Owns the rules for P1 payloads in their plainest words, written apart from the reader under test: slow, with copies and
// big integers. It names the first rule that a payload breaks.

interface Field {
  /** Octets of the key. */
  readonly keyLength: number;
  readonly number: bigint;
  readonly wireType: number;
  /** Of wire type 2. */
  readonly octets: Uint8Array;
  readonly value: bigint;
}

/** Of the fields of each member, by their numbers. */
const WIRE_TYPES = [[], [0, 2, 2], [0, 2, 2, 2], [0, 2, 2, 2], [0, 2, 0, 2, 2]];

class Broken extends Error {}

/** Rules of ours, which a protobuf runtime does not have. */
export const OWN_RULES: ReadonlySet<string> = new Set([
  'members',
  'member',
  'wire type',
  'group',
  'number',
  'overflow',
  'rest',
  'length',
  'utf-8',
  'required',
  'cap',
]);

/** `undefined` for a payload that is to be read. */
export function brokenRule(payload: Uint8Array, type: number): string | undefined {
  try {
    const members: { readonly number: bigint; readonly fields: readonly Field[] }[] = [];
    for (const { number, octets } of fieldsIn(payload, 'cut', [0, 2, 2, 2, 2])) {
      if (number > 4n) continue;
      // A runtime may read over the end of a member into what follows it.
      members.push({ number, fields: [...fieldsIn(octets, 'rest', WIRE_TYPES[Number(number)]!)] });
    }
    if (members.length !== 1) throw new Broken('members');
    if (members[0]!.number !== BigInt(type)) throw new Broken('member');
    checkMember(members[0]!.fields, type);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Broken) return thrown.message;
    throw thrown;
  }
}

/**
 * Of a payload that breaks no rule: does one of its keys take more octets than this runtime reads? Others read them, as
 * they read overlong lengths.
 */
export function hasLongKey(payload: Uint8Array): boolean {
  return [...fieldsIn(payload, 'cut', [])].some(
    ({ keyLength, number, octets }) =>
      keyLength > 5 ||
      (number <= 4n && [...fieldsIn(octets, 'rest', [])].some((field) => field.keyLength > 5)),
  );
}

function checkMember(fields: readonly Field[], type: number): void {
  const count = [0, 2, 3, 3, 4][type]!;
  const texts = [[], [1, 2], [2], [2], [4]][type]!;
  const last = (number: number): Uint8Array =>
    fields.findLast((field) => field.number === BigInt(number))?.octets ?? new Uint8Array(0);
  for (const { number, octets } of fields) {
    if (number > BigInt(count)) continue;
    if (texts.includes(Number(number)) && !isText(octets)) throw new Broken('utf-8');
  }
  const text = (number: number): string =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(last(number));
  const isBlank = (number: number): boolean => /^\p{White_Space}*$/u.test(text(number));
  if (type === 1) {
    const capabilities = fields.filter(({ number }) => number === 2n);
    const names = [last(1), ...capabilities.map(({ octets }) => octets)];
    if (capabilities.length > 1_024 || names.some(({ length }) => length > 1_024)) {
      throw new Broken('cap');
    }
    if (isBlank(1)) throw new Broken('required');
    return;
  }
  if (last(1).length > 256 || (type === 2 && last(2).length > 1_024)) throw new Broken('cap');
  const ok = fields.findLast(({ number }) => number === 2n)?.value ?? 0n;
  const isMissing =
    last(1).length === 0 ||
    (type === 2 && isBlank(2)) ||
    (type === 3 && isBlank(2) && last(3).length === 0) ||
    (type === 4 && ok === 0n && isBlank(4));
  if (isMissing) throw new Broken('required');
}

/** @param cut what it is called when a field is not all there. */
function* fieldsIn(bytes: Uint8Array, cut: string, wireTypes: readonly number[]): Generator<Field> {
  let rest = bytes;
  const number = (): bigint => {
    let value = 0n;
    for (let at = 0; at < 10; at += 1) {
      if (at >= rest.length) throw new Broken(cut);
      value += BigInt(rest[at]! & 127) << BigInt(7 * at);
      if (rest[at]! < 128) {
        rest = rest.slice(at + 1);
        if (value >= 2n ** 64n) throw new Broken('overflow');
        return value;
      }
    }
    throw new Broken('overflow');
  };
  const take = (length: bigint): Uint8Array => {
    if (length > BigInt(rest.length)) throw new Broken(cut);
    const taken = rest.slice(0, Number(length));
    rest = rest.slice(Number(length));
    return taken;
  };
  while (rest.length > 0) {
    const before = rest.length;
    const key = number();
    const keyLength = before - rest.length;
    const [field, wireType] = [key >> 3n, Number(key & 7n)];
    if (field === 0n || field >= 2n ** 29n) throw new Broken('number');
    if (![0, 1, 2, 5].includes(wireType)) throw new Broken('group');
    // A runtime may take what follows for what it expects.
    const expected = wireTypes[Number(field)] ?? wireType;
    if (expected !== wireType) throw new Broken('wire type');
    const value = wireType === 0 || wireType === 2 ? number() : 0n;
    const sizes = [0n, 8n, value, 0n, 0n, 4n];
    // A runtime may look at the last 32 bits of a length alone.
    if (wireType === 2 && value > BigInt(rest.length)) throw new Broken('length');
    yield { keyLength, number: field, wireType, value, octets: take(sizes[wireType]!) };
  }
}

function isText(octets: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(octets);
    return true;
  } catch {
    return false;
  }
}
