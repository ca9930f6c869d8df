// Owns what is remembered of a descriptor that was read off the wire: its bytes and the size of its message.
// Only the decoder writes it, so that nobody can claim a text for a descriptor. SPEC.md section 5.1 (#descriptor-hash).

export interface DescriptorOrigin {
  /** The bytes of the descriptor as text, where they could be cut out: equal text need not be hashed again. */
  readonly text: string | undefined;
  /** Bytes of the whole message: the work that its schema may take grows with them. */
  readonly messageBytes: number;
}

const origins = new WeakMap<object, DescriptorOrigin>();

export function rememberOrigin(descriptor: object, origin: DescriptorOrigin): void {
  origins.set(descriptor, origin);
}

export function originOf(descriptor: object): DescriptorOrigin | undefined {
  return origins.get(descriptor);
}
