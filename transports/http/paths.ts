// Owns the paths of the protocol over HTTP. SPEC.md section 11 (#transport-http).

export const MESSAGE_PATH = '/a2a';
export const DOCUMENT_PATH = '/.well-known/a2a-sdl.json';

/** What is ours inside the server of another: its probes and metrics are its own. */
export const MOUNTED_PATHS: readonly string[] = [MESSAGE_PATH, DOCUMENT_PATH];

/** The path without the query; empty for a target that is no path. */
export function pathOf(target: string | undefined): string {
  if (target?.startsWith('/') !== true) return '';
  const mark = target.indexOf('?');
  return mark < 0 ? target : target.slice(0, mark);
}

/** An address without this path at its end: what the paths of other faces follow. */
export function baseOf(url: string, path: string): string {
  const { origin, pathname } = new URL(url);
  return pathname.endsWith(path) ? `${origin}${pathname.slice(0, -path.length)}` : origin;
}

/**
 * The path of a request inside the server of another. A framework such as Express cuts the prefix of a mount off `url`
 * and keeps the whole in `originalUrl`: below `/bob` our paths follow the prefix, or the prefix ends with one of them.
 */
export function mountedPathOf(
  url: string | undefined,
  originalUrl: string | undefined,
  isOurs: (path: string) => boolean,
): string {
  const path = pathOf(url);
  if (path !== '/' || originalUrl === undefined) return path;
  const names = pathOf(originalUrl).split('/').slice(1);
  const ends = names.map((_name, at) => `/${names.slice(-at - 1).join('/')}`);
  return ends.find(isOurs) ?? path;
}

/** The path below a prefix, whose names may stand for any. */
export function belowPrefix(path: string, prefix: string): string {
  const depth = prefix.split('/').filter((name) => name !== '').length;
  return `/${path
    .split('/')
    .slice(1 + depth)
    .join('/')}`;
}
