// Owns the settings of the SWP face: where it listens, and `swp` in the file of --config.

import { dirname, resolve } from 'node:path';

import type { JsonValue } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import type { SwpPolicy } from '../../profiles/swp/index.ts';
import { usageError } from '../kit/exit.ts';
import type { OptionValues } from '../kit/option-values.ts';
import type { HostPort } from './host-port.ts';
import { isLoopbackHost, readHostPort } from './host-port.ts';
import type { TlsFiles } from './tls-files.ts';

export interface SwpConfig {
  readonly tcp?: HostPort;
  /** The path of a Unix socket. */
  readonly unix?: string;
  readonly policy: SwpPolicy;
}

/** @param path of the file that `value` stands in. */
export function readSwpConfig(
  options: OptionValues,
  value: JsonValue | undefined,
  path: string | undefined,
  tls: TlsFiles | undefined,
): SwpConfig {
  const { listen, unix, ...policy } = isJsonObject(value) ? value : {};
  const given = options.text('swp') ?? (listen as string | undefined);
  const what = options.flag('swp') ? '--swp' : `"swp.listen" in ${path}`;
  const tcp = given === undefined ? undefined : readHostPort(what, given);
  if (tcp !== undefined) assertSecure(tcp, tls);
  const ownPath = options.text('swp-unix');
  const socket =
    ownPath === undefined
      ? unix === undefined
        ? undefined
        : resolve(dirname(path!), unix as string)
      : resolve(ownPath);
  return {
    ...(tcp !== undefined && { tcp }),
    ...(socket !== undefined && { unix: socket }),
    policy: policyOf(policy),
  };
}

/** Plain octets, and callers that cannot prove anything, are for this machine alone. */
function assertSecure({ host }: HostPort, tls: TlsFiles | undefined): void {
  if (isLoopbackHost(host) || tls?.ca !== undefined) return;
  throw usageError(
    tls === undefined
      ? '--swp without TLS listens on this machine only'
      : '--swp needs --tls-ca: its callers prove themselves by client certificates',
    'give --tls-cert, --tls-key and --tls-ca, or listen with --swp 127.0.0.1:PORT',
  );
}

/** Numbers of a file may be of any spelling; the schema has checked what they are. */
function policyOf(members: Readonly<Record<string, JsonValue>>): SwpPolicy {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(Number) : Number(value),
    ]),
  );
}
