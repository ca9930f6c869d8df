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
export function versionOf({ headers, query }: Pick<HttpCall, 'headers' | 'query'>): AskedVersion {
  const text = [headers[NAME], inQuery(query)].map((said) => said?.trim() ?? '').find(isSaid);
  if (text === undefined) return undefined;
  const [, short = text] = WITH_PATCH.exec(text) ?? [];
  return SUPPORTED.find((version) => version === short) ?? 'other';
}

export function versionRefusal(): A2aError {
  return refusal(
    'VERSION_NOT_SUPPORTED',
    'VERSION_UNSUPPORTED',
    `this version of A2A is not supported; these are: ${SUPPORTED.join(', ')}`,
    { metadata: { supportedVersions: SUPPORTED.join(',') }, supportedVersions: SUPPORTED },
  );
}

function isSaid(text: string): boolean {
  return text !== '';
}

function inQuery(query: URLSearchParams): string | undefined {
  for (const [name, value] of query) if (name.toLowerCase() === NAME) return value;
  return undefined;
}
