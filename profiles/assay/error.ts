// Owns why a packet gives no evidence: one kind out of five, and words. SPEC.md section 17 (#assay-errors).

export type ConvertErrorKind =
  | 'config'
  | 'measurement'
  | 'infrastructure'
  | 'unsupported_protocol_version'
  | 'strict_lossiness_violation';

const KINDS: ReadonlySet<unknown> = new Set<ConvertErrorKind>([
  'config',
  'measurement',
  'infrastructure',
  'unsupported_protocol_version',
  'strict_lossiness_violation',
]);

export class ConvertError extends Error {
  override readonly name = 'ConvertError';
  readonly kind: ConvertErrorKind;

  constructor(kind: ConvertErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

/** What the host's own writer threw: its kind is kept where it has one. */
export function fromWriter(thrown: unknown): ConvertError {
  if (thrown instanceof ConvertError) return thrown;
  const kind = (thrown as { readonly kind?: unknown } | null | undefined)?.kind;
  const words = thrown instanceof Error ? thrown.message : String(thrown);
  const known = KINDS.has(kind) ? (kind as ConvertErrorKind) : 'infrastructure';
  return new ConvertError(known, words, thrown);
}
