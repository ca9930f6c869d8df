// Owns which version of the protocol a request asks for. SPEC.md section 20 (#a2a-versions).

import type { HttpCall } from '../../../transports/http/index.ts';
import type { A2aError } from '../errors/a2a-error.ts';
import { refusal } from '../errors/a2a-error.ts';

/** `undefined`: it was not said. */
export type AskedVersion = '1.0' | '0.3' | 'other' | undefined;

const SUPPORTED = ['1.0', '0.3'] as const;
const NAME = 'a2a-version';
const WITH_PATCH = /^(\d+\.\d+)\.\d+$/;

/** The header counts before the query, and what is empty is not there. Of a version only the first two numbers count. */
export function versionOf(http: Pick<HttpCall, 'headers' | 'query'>): AskedVersion {
  return versionNamed(http.headers[NAME]) ?? versionNamed(inQuery(http.query));
}

/** The one that a text names, if it names one. */
export function versionNamed(said = ''): AskedVersion {
  const text = said.trim();
  if (text === '') return undefined;
  const [, short = text] = WITH_PATCH.exec(text) ?? [];
  return SUPPORTED.find((version) => version === short) ?? 'other';
}

/** @param supportedVersions by what was spoken to. */
export function versionRefusal(supportedVersions: readonly string[] = SUPPORTED): A2aError {
  return refusal(
    'VERSION_NOT_SUPPORTED',
    'VERSION_UNSUPPORTED',
    `this version of A2A is not supported; these are: ${supportedVersions.join(', ')}`,
    { metadata: { supportedVersions: supportedVersions.join(',') }, supportedVersions },
  );
}

function inQuery(query: URLSearchParams): string | undefined {
  for (const [name, value] of query) if (name.toLowerCase() === NAME) return value;
  return undefined;
}
