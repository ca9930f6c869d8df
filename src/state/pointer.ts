// Owns how the text of a JSON pointer becomes tokens. RFC 6901; SPEC.md section 9 (#state).

const BAD_ESCAPE = /~(?![01])/;
const INDEX = /^(?:0|[1-9][0-9]*)$/;

/** The tokens from the root down, or `undefined` when the text is no JSON pointer. */
export function parsePointer(text: string): string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/') || BAD_ESCAPE.test(text)) return undefined;
  // `~1` goes first: `~01` stands for the two characters `~1`.
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The array index that a token stands for, or `undefined`: no sign, no leading zero, no `-`. */
export function parseIndex(token: string): number | undefined {
  return INDEX.test(token) ? Number(token) : undefined;
}
