// Owns how `$id` and `$ref` combine with a base: RFC 3986 section 5, on text alone. SPEC.md section 5.1 (#schema-no-fetch).

/** A reference in its two halves; the fragment unescaped, and `undefined` where that is impossible. */
export interface Reference {
  readonly uri: string;
  readonly fragment: string | undefined;
}

export function splitReference(reference: string): Reference {
  const hash = reference.indexOf('#');
  if (hash < 0) return { uri: reference, fragment: '' };
  return { uri: reference.slice(0, hash), fragment: unescapePercent(reference.slice(hash + 1)) };
}

function unescapePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

interface UriParts {
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  readonly path: string;
  readonly query: string | undefined;
}

/**
 * The target of a reference without fragment, seen from a base that may itself be relative or empty.
 * `URL` is no help here: it refuses relative bases and rewrites hosts, escapes and backslashes.
 */
export function resolveUri(reference: string, base: string): string {
  if (reference === '') return base;
  const target = splitUri(reference);
  if (target.scheme !== undefined) {
    return joinUri({ ...target, path: removeDotSegments(target.path) });
  }
  const { scheme, authority, path, query } = splitUri(base);
  if (target.authority !== undefined) {
    return joinUri({ ...target, scheme, path: removeDotSegments(target.path) });
  }
  if (target.path === '') {
    return joinUri({ scheme, authority, path, query: target.query ?? query });
  }
  const merged = target.path.startsWith('/')
    ? target.path
    : mergePaths(target.path, path, authority);
  return joinUri({ scheme, authority, path: removeDotSegments(merged), query: target.query });
}

const URI =
  /^(?:(?<scheme>[A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?<authority>[^/?]*))?(?<path>[^?]*)(?:\?(?<query>.*))?$/s;

function splitUri(text: string): UriParts {
  const groups = URI.exec(text)?.groups ?? {};
  return {
    scheme: groups['scheme'],
    authority: groups['authority'],
    path: groups['path'] ?? '',
    query: groups['query'],
  };
}

function joinUri({ scheme, authority, path, query }: UriParts): string {
  return (
    (scheme === undefined ? '' : `${scheme}:`) +
    (authority === undefined ? '' : `//${authority}`) +
    path +
    (query === undefined ? '' : `?${query}`)
  );
}

function mergePaths(path: string, basePath: string, authority: string | undefined): string {
  if (authority !== undefined && basePath === '') return `/${path}`;
  return basePath.slice(0, basePath.lastIndexOf('/') + 1) + path;
}

/** RFC 3986 section 5.2.4; leading `..` of a relative path have nothing to climb to and go. */
function removeDotSegments(path: string): string {
  if (!path.includes('.')) return path;
  const isRooted = path.startsWith('/');
  const segments = (isRooted ? path.slice(1) : path).split('/');
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  const last = segments.at(-1);
  if (last === '.' || last === '..') kept.push('');
  return (isRooted ? '/' : '') + kept.join('/');
}
