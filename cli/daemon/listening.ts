// Owns where the daemon listens: its transports by its settings, and what the user is told of a place that cannot be had,
// by the name of the option that gave it.

import { dirname } from 'node:path';

import type { Transport } from '../../src/transport.ts';
import { http } from '../../transports/http/index.ts';
import { ipc } from '../../transports/ipc/index.ts';
import { ws } from '../../transports/ws/index.ts';
import type { SteerqaOptions } from '../../profiles/steerqa/index.ts';
import type { DaemonConfig } from '../serve/config.ts';
import type { ReadTls } from '../serve/tls-files.ts';
import { usageError } from '../kit/exit.ts';

/** Options of a transport that have another name on the command line. */
const OPTION_NAMES: Readonly<Record<string, string>> = {
  '"allowedHosts"': '--allow-host',
  '"allowedOrigins"': '"allowed_origins" in the file of --config',
  '"grpc.publicUrl"': '--grpc-public-url',
  '"publicUrl"': '--public-url',
  '"adminToken"': '--admin-token',
};

export async function transportsOf(
  config: DaemonConfig,
  tls: ReadTls | undefined,
  now: () => number,
): Promise<Transport[]> {
  const { host, port } = config.http;
  const { adminToken, publicUrl, ipcTcp, allowedHosts, allowedOrigins, steerqa, a2a } = config;
  const web = (): Transport =>
    http({
      host,
      port,
      allowedHosts,
      allowedOrigins,
      ...(publicUrl !== undefined && { publicUrl }),
      ...(adminToken !== undefined && { adminToken }),
      ...(tls !== undefined && { tls: tls.texts }),
    });
  return [
    named('--http', web),
    ws(),
    atPath('--ipc', () => ipc({ path: config.ipc }), config.ipc),
    ...(ipcTcp === undefined ? [] : [named('--ipc-tcp', () => ipc({ ...ipcTcp }))]),
    ...(steerqa === undefined ? [] : [offers({ ...steerqa, now })]),
    ...(await swpFaces(config.swp, tls)),
    // Behind all others on the port: what may be the name of a tenant is theirs before.
    ...(a2a === undefined ? [] : [officialA2a(a2a, tls)]),
  ];
}

/** Loaded only where it is spoken. */
function offers(options: SteerqaOptions): Transport {
  return {
    name: 'steerqa',
    listen: async (context, earlier) => {
      const { steerqa } = await import('../../profiles/steerqa/index.ts');
      return steerqa(options).listen(context, earlier);
    },
  };
}

function officialA2a(
  { grpc, ...settings }: NonNullable<DaemonConfig['a2a']>,
  tls: ReadTls | undefined,
): Transport {
  const face: Transport = {
    name: 'a2a',
    listen: async (context, earlier) => {
      const { a2a } = await import('../../profiles/a2a/index.ts');
      // Else the package writes what strangers send into our log.
      process.env['GRPC_VERBOSITY'] ??= 'NONE';
      const secure = tls === undefined ? {} : { tls: tls.texts };
      const places = grpc === undefined ? {} : { grpc: { ...grpc, ...secure } };
      return a2a({ ...settings, ...places }).listen(context, earlier);
    },
  };
  return grpc === undefined ? face : named('--grpc', () => face);
}

async function swpFaces(
  { tcp, unix, policy }: DaemonConfig['swp'],
  tls: ReadTls | undefined,
): Promise<Transport[]> {
  if (tcp === undefined && unix === undefined) return [];
  const { swp } = await import('../../profiles/swp/index.ts');
  const secure = tls === undefined ? {} : { tls: tls.texts };
  return [
    ...(tcp === undefined ? [] : [named('--swp', () => swp({ ...policy, ...tcp, ...secure }))]),
    ...(unix === undefined
      ? []
      : [atPath('--swp-unix', () => swp({ ...policy, path: unix }), unix)]),
  ];
}

function atPath(option: string, make: () => Transport, path: string): Transport {
  const socket = named(option, make);
  return {
    name: socket.name,
    listen: async (context, earlier) => {
      try {
        return await socket.listen(context, earlier);
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
        throw usageError(`${option}: there is no folder ${dirname(path)}`, 'make it first');
      }
    },
  };
}

/** The transport, made and started; what it says of wrong options becomes a usage error that names `option`. */
function named(option: string, make: () => Transport): Transport {
  const transport = told(option, make);
  return {
    name: transport.name,
    listen: (context, earlier) =>
      transport.listen(context, earlier).catch((thrown: unknown) => {
        throw explained(option, thrown);
      }),
  };
}

function told<T>(option: string, make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    throw explained(option, thrown);
  }
}

function explained(option: string, thrown: unknown): unknown {
  // What has a code comes from the system, and is explained like any other error of it.
  if (!(thrown instanceof Error) || 'code' in thrown) return thrown;
  const [words, next] = thrown.message.split(': ', 2);
  const message = Object.entries(OPTION_NAMES).reduce(
    (text, [name, shown]) => text.replace(name, shown),
    words!,
  );
  const isNamed = message !== words;
  return usageError(
    isNamed ? message : `${option}: ${message.replace(/^"(path|host|port)" expected/, 'expected')}`,
    next ?? `see "a2a-sdl serve --help"`,
  );
}
