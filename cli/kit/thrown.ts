// Owns what errors of other rooms look like to the user: words, a code, and what to do next.

import { SdlError } from '../../src/errors.ts';
import { StoreError } from '../../src/stores/index.ts';
import type { TransportFault } from '../../src/transport.ts';
import { TransportError } from '../../src/transport.ts';
import type { TlsError, TlsProblem } from '../../transports/http/index.ts';
import { CliError, failure } from './exit.ts';

const SYSTEM_ERRORS: Readonly<Record<string, readonly [words: string, next: string]>> = {
  ENOENT: ['there is no such file or folder', 'check the path'],
  EACCES: ['the system does not allow it', 'check who owns the file and its mode'],
  EPERM: ['the system does not allow it', 'check who owns the file and its mode'],
  EISDIR: ['it is a folder', 'name a file'],
  ENOTDIR: ['a part of its path is not a folder', 'check the path'],
  EEXIST: ['it is there already', 'choose another name, or move it away'],
  ENOSPC: ['the disk is full', 'make room and try again'],
  EROFS: ['the disk is read-only', 'choose another place'],
  EADDRINUSE: ['the address is in use', 'stop what listens there, or choose another port or path'],
  EADDRNOTAVAIL: ['the address is not one of this machine', 'choose another address'],
};

const TRANSPORT_NEXT: Readonly<Record<TransportFault, string>> = {
  unreachable: 'check the address, and that the agent runs',
  lost: 'try again; a request that arrived is not run twice',
  refused: 'check the address: what answers there is no a2a-sdl agent, or does not want to talk',
  forbidden: 'use an address on the public network',
  timeout: 'try again, or allow more time',
  protocol: 'check the address: what answers there does not speak a2a-sdl',
  aborted: 'start it again',
};

/** What is wrong with TLS, and what to do about it here. */
const TLS_WORDS: Readonly<Record<TlsProblem, readonly [words: string, next: string]>> = {
  untrusted: [
    'nobody that is trusted here vouches for its certificate',
    'if you trust it, name its certificate or its authority with --tls-ca FILE; "a2a-sdl peers add" and "a2a-sdl peers set" keep it with the peer',
  ],
  'wrong-name': [
    'its certificate is for another host',
    'use an address with a name that the certificate is for',
  ],
  'out-of-date': [
    'its certificate is out of date, or the clock here is wrong',
    'it needs a new certificate: tell its operator',
  ],
  'speaks-no-tls': ['it speaks no TLS', 'try http:// (or ws://)'],
  'speaks-tls': ['it speaks TLS', 'try https:// (or wss://)'],
  'client-certificate': [
    'it does not accept us without a certificate that it trusts',
    'give yours with --tls-cert FILE and --tls-key FILE',
  ],
};

/** Words and advice for a failure of TLS; `undefined` for any other. */
export function tlsWords(thrown: TransportError): readonly [string, string] | undefined {
  const { problem } = thrown as Partial<TlsError>;
  return problem === undefined ? undefined : TLS_WORDS[problem];
}

/** The single place where whatever was thrown becomes an error for the user. */
export function toCliError(thrown: unknown): CliError {
  if (thrown instanceof CliError) return thrown;
  if (thrown instanceof StoreError) {
    const isAway = thrown.code === 'UNAVAILABLE' && thrown.fault === 'failed';
    return failure(thrown.reason, {
      code: `STORE_${thrown.fault.toUpperCase()}`,
      ...(isAway && { next: 'check that the server runs, and the address that you gave for it' }),
      cause: thrown,
    });
  }
  if (thrown instanceof SdlError) {
    // Key files fail as INTERNAL with words that say what mends them; a code would only stand in the way.
    const code = thrown.code === 'INTERNAL' ? 'FAILED' : thrown.code;
    return failure(thrown.reason, { code, cause: thrown });
  }
  if (thrown instanceof TransportError) {
    const { fault, code, message } = thrown;
    const [words, next] = tlsWords(thrown) ?? [message, TRANSPORT_NEXT[fault]];
    return failure(words, { code, next, cause: thrown });
  }
  return fromSystem(thrown) ?? unexpected(thrown);
}

function fromSystem(thrown: unknown): CliError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code, path, address, port } = thrown as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
  };
  const row = code === undefined ? undefined : SYSTEM_ERRORS[code];
  if (row === undefined || code === undefined) return undefined;
  const place = path ?? (address === undefined ? undefined : `${address}:${port ?? ''}`);
  const message = place === undefined ? row[0] : `${place}: ${row[0]}`;
  return failure(message, { code, next: row[1], cause: thrown });
}

function unexpected(thrown: unknown): CliError {
  const words = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return failure(`unexpected failure: ${words}`, {
    code: 'INTERNAL',
    next: 'this is a fault of a2a-sdl; please report it with the text above',
    cause: thrown,
  });
}
