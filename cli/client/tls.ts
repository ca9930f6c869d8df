// Owns the certificates that the command line speaks TLS with: which files, and what is in them.

import { readFile } from 'node:fs/promises';

import type { TlsOptions } from '../../transports/http/index.ts';
import type { CommandContext, CommandOption } from '../kit/command.ts';
import { failure, usageError } from '../kit/exit.ts';

/** Options of every command that may speak TLS to a server. */
export const TLS_OPTIONS: Readonly<Record<string, CommandOption>> = {
  'tls-ca': {
    type: 'string',
    value: 'FILE',
    description: 'authorities that may vouch for the server (PEM), instead of those of the system',
  },
  'tls-cert': { type: 'string', value: 'FILE', description: 'our client certificate (PEM)' },
  'tls-key': { type: 'string', value: 'FILE', description: 'its private key (PEM)' },
};

export async function readTls({ options }: CommandContext): Promise<TlsOptions> {
  if (options.flag('tls-cert') !== options.flag('tls-key')) {
    throw usageError('--tls-cert and --tls-key go together', 'give both of them, or none');
  }
  const tls: { ca?: string; cert?: string; key?: string } = {};
  for (const name of ['ca', 'cert', 'key'] as const) {
    const path = options.text(`tls-${name}`);
    if (path === undefined) continue;
    const pem = await readFile(path, 'utf8');
    if (!pem.includes('-----BEGIN ')) {
      throw failure(`${path} is not PEM`, { next: `give --tls-${name} a file in PEM` });
    }
    tls[name] = pem;
  }
  return tls;
}
