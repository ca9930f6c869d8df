// Owns the certificates that the command line speaks TLS with: which files, and what is in them.

import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import type { TlsOptions } from '../../transports/http/index.ts';
import type { CommandContext, CommandOption } from '../kit/command.ts';
import { failure, usageError } from '../kit/exit.ts';

/** Options of every command that may speak TLS to a server. */
export const TLS_OPTIONS: Readonly<Record<string, CommandOption>> = {
  'tls-ca': {
    type: 'string',
    value: 'FILE',
    description:
      'authorities that may vouch for the server (PEM), instead of those kept with the peer or of the system',
  },
  'tls-cert': { type: 'string', value: 'FILE', description: 'our client certificate (PEM)' },
  'tls-key': { type: 'string', value: 'FILE', description: 'its private key (PEM)' },
};

/** The option of `peers set` that takes the authorities of a peer back. */
export const NO_CA = 'no-tls-ca';

/** The SHA-256 of every certificate in PEM text, as 64 hex digits; `undefined` where one cannot be read. */
export function certificateFingerprints(pem: string): string[] | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  try {
    return blocks?.map((block) =>
      new X509Certificate(block).fingerprint256.replaceAll(':', '').toLowerCase(),
    );
  } catch {
    return undefined;
  }
}

/** The authorities that `--tls-ca` names, to be kept with a peer. */
export async function readAuthorities({
  options,
}: Pick<CommandContext, 'options'>): Promise<string | undefined> {
  const path = options.text('tls-ca');
  if (path === undefined) return undefined;
  const pem = await readPem(path, 'ca');
  if (certificateFingerprints(pem) !== undefined) return pem;
  throw failure(`${path} holds no certificate that can be read`, {
    next: 'give --tls-ca a file with certificates in PEM',
  });
}

export async function readTls({ options }: CommandContext): Promise<TlsOptions> {
  if (options.flag('tls-cert') !== options.flag('tls-key')) {
    throw usageError('--tls-cert and --tls-key go together', 'give both of them, or none');
  }
  const tls: { ca?: string; cert?: string; key?: string } = {};
  for (const name of ['ca', 'cert', 'key'] as const) {
    const path = options.text(`tls-${name}`);
    if (path === undefined) continue;
    tls[name] = await readPem(path, name);
  }
  return tls;
}

async function readPem(path: string, name: string): Promise<string> {
  const pem = await readFile(path, 'utf8');
  if (pem.includes('-----BEGIN ')) return pem;
  throw failure(`${path} is not PEM`, { next: `give --tls-${name} a file in PEM` });
}
