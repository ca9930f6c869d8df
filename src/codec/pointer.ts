// Owns JSON pointers, by which errors, references and patches name a place in a value. RFC 6901; SPEC.md section 4.1 (#values).

/** Member names and array indexes from the root down. */
export type Path = (string | number)[];

export function toPointer(path: Readonly<Path>): string {
  return path
    .map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** The tokens of a pointer, which is empty or starts with a slash. A wrong escape stays as it is. */
export function pointerTokens(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer.slice(1).split('/').map(unescapeToken);
}

function unescapeToken(token: string): string {
  if (!token.includes('~')) return token;
  // `~1` goes first: `~01` stands for the two characters `~1`. Not replaceAll: it is slow where there are many.
  return token.split('~1').join('/').split('~0').join('~');
}

const MAX_LOG_TEXT = 256;

/** Text that a sender may have chosen, for a line of a log: quoted, escaped and of bounded length. */
export function quoteForLog(text: string): string {
  const shown = text.length > MAX_LOG_TEXT ? `${text.slice(0, MAX_LOG_TEXT)}…` : text;
  return JSON.stringify(shown);
}
