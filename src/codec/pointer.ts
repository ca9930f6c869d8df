// Owns JSON pointers, by which errors name a place in a value. RFC 6901; SPEC.md section 4.1 (#values).

/** Member names and array indexes from the root down. */
export type Path = (string | number)[];

export function toPointer(path: Readonly<Path>): string {
  return path
    .map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
