// Owns what the user says about official A2A: on the command line, or under `a2a` in the file of `--config`.

import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import type { A2aOptions } from '../../profiles/a2a/index.ts';
import { usageError } from '../kit/exit.ts';
import type { OptionValues } from '../kit/option-values.ts';
import type { HostPort } from './host-port.ts';
import { readHostPort } from './host-port.ts';

export interface A2aSettings extends Required<
  Pick<
    A2aOptions,
    'profile' | 'card' | 'pushNotifications' | 'allowLoopbackHooks' | 'signHooks' | 'sealed'
  >
> {
  /** Where gRPC is spoken; certificates are those of the daemon. */
  readonly grpc?: HostPort & { readonly publicUrl?: string };
}

/** What the command line can say of it. */
const OPTIONS = [
  'a2a-profile',
  'a2a-card',
  'grpc',
  'grpc-public-url',
  'allow-loopback-hooks',
  'sign-hooks',
  'a2a-sealed',
] as const;

/** `undefined` when it is not spoken. */
export function a2aSettings(options: OptionValues, file: JsonObject): A2aSettings | undefined {
  const isOff = options.flag('no-a2a');
  const profile = options.oneOf('a2a-profile', ['1.0.0', '1.0.1'] as const);
  const card = options.oneOf('a2a-card', ['strict', 'superset'] as const);
  const sealed = options.oneOf('a2a-sealed', ['none', 'prefer', 'require'] as const);
  const given = OPTIONS.filter((name) => options.flag(name));
  if (isOff && given.length > 0) {
    throw usageError(`--no-a2a leaves nothing for --${given.join(' and --')} to say`);
  }
  if (isOff || (file['a2a'] === false && given.length === 0)) return undefined;
  const said = isJsonObject(file['a2a']) ? file['a2a'] : {};
  const grpc = grpcIn(options, said);
  return {
    profile: profile ?? (said['profile'] as A2aSettings['profile'] | undefined) ?? '1.0.1',
    card: card ?? (said['card'] as A2aSettings['card'] | undefined) ?? 'superset',
    pushNotifications: said['push_notifications'] !== false,
    allowLoopbackHooks:
      options.flag('allow-loopback-hooks') || said['allow_loopback_hooks'] === true,
    signHooks: options.flag('sign-hooks') || said['sign_hooks'] === true,
    sealed: sealed ?? (said['sealed'] as A2aSettings['sealed'] | undefined) ?? 'prefer',
    ...(grpc !== undefined && { grpc }),
  };
}

function grpcIn(options: OptionValues, said: JsonObject): A2aSettings['grpc'] {
  const own = options.text('grpc');
  const listen = own ?? (said['grpc'] as string | undefined);
  const publicUrl =
    options.text('grpc-public-url') ?? (said['grpc_public_url'] as string | undefined);
  if (listen === undefined) {
    if (publicUrl === undefined) return undefined;
    throw usageError('--grpc-public-url needs --grpc', 'say where to listen with --grpc HOST:PORT');
  }
  const place = readHostPort(
    own === undefined ? '"a2a.grpc" in the file of --config' : '--grpc',
    listen,
  );
  return { ...place, ...(publicUrl !== undefined && { publicUrl }) };
}
