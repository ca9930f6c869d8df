// Owns writing numbers and octets: each number in its shortest form, all of a frame in one piece of memory.
// SPEC.md section 19 (#swp-envelope).

const SHIFT = 128;

export function uvarintLength(value: number | bigint): number {
  let length = 1;
  if (typeof value === 'bigint') {
    for (let rest = value >> 7n; rest > 0n; rest >>= 7n) length += 1;
    return length;
  }
  for (let rest = value; rest >= SHIFT; rest = Math.floor(rest / SHIFT)) length += 1;
  return length;
}

/** Octets behind their length. */
export function octetsLength(length: number): number {
  return uvarintLength(length) + length;
}

export class ByteWriter {
  readonly bytes: Buffer;
  #at = 0;

  constructor(length: number) {
    this.bytes = Buffer.allocUnsafe(length);
  }

  uint32(value: number): void {
    this.#at = this.bytes.writeUInt32BE(value, this.#at);
  }

  uvarint(value: number | bigint): void {
    if (typeof value === 'bigint' && value > BigInt(Number.MAX_SAFE_INTEGER)) {
      this.#long(value);
      return;
    }
    let rest = Number(value);
    for (; rest >= SHIFT; rest = Math.floor(rest / SHIFT)) this.#octet((rest % SHIFT) | SHIFT);
    this.#octet(rest);
  }

  octets(value: Uint8Array): void {
    this.uvarint(value.length);
    this.bytes.set(value, this.#at);
    this.#at += value.length;
  }

  text(value: string, length: number): void {
    this.uvarint(length);
    this.#at += this.bytes.write(value, this.#at, length, 'utf8');
  }

  #long(value: bigint): void {
    let rest = value;
    for (; rest >= 128n; rest >>= 7n) this.#octet(Number(rest & 0x7fn) | SHIFT);
    this.#octet(Number(rest));
  }

  #octet(value: number): void {
    this.bytes[this.#at] = value;
    this.#at += 1;
  }
}
