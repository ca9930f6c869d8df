// Owns the settings of the daemon: the file `--config`, checked by schemas/config.json, and the options before it.

import { dirname, resolve } from 'node:path';

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import type { SecurityMode } from '../../src/envelope/index.ts';
import type { AdmissionOptions, RuntimeOptions } from '../../src/internal.ts';
import type { Limits } from '../../src/limits.ts';
import type { CompatSwitch, SecurityProfile } from '../../src/security/index.ts';
import { COMPAT_SWITCHES, SECURITY_MODES, decodeBase64url } from '../../src/security/index.ts';
import { failure, usageError } from '../kit/exit.ts';
import type { Home } from '../home/home.ts';
import { readFileBytes } from '../kit/input.ts';
import type { OptionValues } from '../kit/option-values.ts';
import { requireOneOf } from '../kit/option-values.ts';
import { readReplayAddress, readStoreAddress } from '../store/address.ts';
import type { A2aSettings } from './a2a-settings.ts';
import { a2aSettings } from './a2a-settings.ts';
import { readConfigFile } from './config-file.ts';
import { anonymousOf, steerqaOf } from './faces.ts';
import type { HostPort } from './host-port.ts';
import { readHostPort } from './host-port.ts';
import type { TlsFiles } from './tls-files.ts';
import type { CallerEntry } from '../../profiles/auth/index.ts';
import type { SwpConfig } from './swp-config.ts';
import { readSwpConfig } from './swp-config.ts';
import type { UpstreamConfig } from './upstreams.ts';
import { upstreamsOf } from './upstreams.ts';
import { readCallers } from '../../profiles/auth/index.ts';
import type { SteerqaOptions } from '../../profiles/steerqa/index.ts';
import { assertRunnable } from '../daemon/exec/program.ts';

/** All that the daemon needs to know; every path is absolute. */
export interface DaemonConfig {
  readonly name: string;
  readonly http: HostPort;
  readonly publicUrl?: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly ipc: string;
  readonly ipcTcp?: HostPort;
  readonly swp: SwpConfig;
  readonly profile: SecurityProfile;
  readonly switches: readonly CompatSwitch[];
  readonly minMode?: SecurityMode;
  readonly minModeByContentType: Readonly<Record<string, SecurityMode>>;
  readonly aliases: readonly string[];
  readonly open: boolean;
  readonly store: string;
  readonly replay?: string;
  readonly handler?: string;
  readonly exec?: string;
  /** Agents that do the tasks. */
  readonly upstream?: UpstreamConfig;
  readonly tls?: TlsFiles;
  readonly adminToken?: string;
  readonly audit: boolean;
  readonly receipts?: RuntimeOptions['receipts'];
  readonly skewMs?: number;
  readonly maxWindowMs?: number;
  readonly handlerTimeoutMs?: number;
  readonly drainMs: number;
  readonly approvers: ReadonlyMap<string, Uint8Array>;
  readonly quorum: number;
  readonly limits: Partial<Limits>;
  readonly admission: AdmissionOptions;
  readonly tasks: NonNullable<RuntimeOptions['tasks']>;
  readonly versions: JsonObject;
  readonly callers: readonly CallerEntry[];
  readonly evidence?: EvidenceConfig;
  /** The face that takes offers, where there is one. */
  readonly steerqa?: SteerqaOptions;
  /** Faces that let in who proves nothing. */
  readonly anonymous: readonly string[];
  /** `undefined` when official A2A is not spoken. */
  readonly a2a?: A2aSettings;
}

/** Where records of tasks go, in the form of Assay. */
export interface EvidenceConfig {
  readonly directory: string;
  readonly rawDirectory?: string;
  readonly required: boolean;
  readonly maxQueued?: number;
}

const DEFAULT_HTTP = '127.0.0.1:8787';
const DEFAULT_DRAIN_S = 10;
const MIN_TOKEN_LENGTH = 16;

const LIMIT_NAMES: Readonly<Record<string, keyof Limits>> = {
  max_bytes: 'maxBytes',
  max_depth: 'maxDepth',
  max_array_len: 'maxArrayLength',
  max_members: 'maxMembers',
  max_values: 'maxValues',
  max_string_bytes: 'maxStringBytes',
  max_number_len: 'maxNumberLength',
  max_hops: 'maxHops',
};

const ADMISSION_NAMES: Readonly<Record<string, keyof AdmissionOptions>> = {
  max_in_flight: 'maxInFlight',
  max_in_flight_per_peer: 'maxInFlightPerPeer',
  max_streams: 'maxStreams',
  max_streams_per_peer: 'maxStreamsPerPeer',
  rate_per_second: 'ratePerSecond',
  burst: 'burst',
};

const TASK_NUMBERS = {
  max_tasks: 'maxTasks',
  max_tasks_per_owner: 'maxTasksPerOwner',
  max_held_bytes: 'maxHeldBytes',
  max_concurrent: 'maxConcurrent',
  max_concurrent_per_owner: 'maxConcurrentPerOwner',
  max_attempts: 'maxAttempts',
} as const;

const TASK_SECONDS = {
  retention_s: 'retentionMs',
  max_run_s: 'maxRunMs',
  max_wait_s: 'maxWaitMs',
  lease_s: 'leaseMs',
  recover_every_s: 'recoverEveryMs',
} as const;

export async function readDaemonConfig(options: OptionValues, home: Home): Promise<DaemonConfig> {
  const path = options.text('config');
  const file = path === undefined ? {} : await readConfigFile(path);
  // A path in the file is meant from where the file stands, one on the command line from where the user stands.
  const fromFile = (name: string): string | undefined => {
    const value = textIn(file, name);
    return value === undefined ? undefined : resolve(dirname(path!), value);
  };
  const pathOf = (option: string, member: string): string | undefined => {
    const given = options.text(option);
    return given === undefined ? fromFile(member) : resolve(given);
  };
  /** How the user gave it. */
  const nameOf = (option: string, member: string): string =>
    options.flag(option) || file[member] === undefined ? `--${option}` : `"${member}" in ${path}`;
  const http = readHostPort(
    nameOf('http', 'http'),
    options.text('http') ?? textIn(file, 'http') ?? DEFAULT_HTTP,
  );
  const ipcTcp = options.text('ipc-tcp') ?? textIn(file, 'ipc_tcp');
  const handler = pathOf('handler', 'handler');
  const exec = options.text('exec') ?? textIn(file, 'exec');
  if (exec !== undefined && exec.trim() === '') throw usageError('--exec needs a command');
  const upstream = upstreamsOf(options, file);
  const doers = [
    ...(handler === undefined ? [] : ['--handler']),
    ...(exec === undefined ? [] : ['--exec']),
    ...(upstream === undefined ? [] : ['--upstream']),
  ];
  if (doers.length > 1) {
    throw usageError(`${doers.join(' and ')} both do the tasks`, 'give one of them');
  }
  if (exec !== undefined) assertRunnable(exec, nameOf('exec', 'exec'), process.env);
  const minMode =
    options.oneOf('require', SECURITY_MODES) ?? (textIn(file, 'require') as SecurityMode);
  const adminToken = await readToken(options.text('admin-token') ?? textIn(file, 'admin_token'));
  const tls = tlsOf(options, file, pathOf, dirname(path ?? '.'));
  const publicUrl = publicUrlOf(options.text('public-url') ?? textIn(file, 'public_url'));
  const evidence = evidenceOf(options, file, pathOf, dirname(path ?? '.'));
  const replay = options.text('replay') ?? textIn(file, 'replay');
  const steerqa = steerqaOf(options, file);
  const swp = readSwpConfig(options, file['swp'], path, tls);
  const a2a = a2aSettings(options, file);
  return {
    name: options.text('name') ?? textIn(file, 'name') ?? 'agent',
    http,
    ...(publicUrl !== undefined && { publicUrl }),
    allowedHosts: [...options.texts('allow-host'), ...listIn(file, 'allowed_hosts')],
    allowedOrigins: listIn(file, 'allowed_origins'),
    ipc: pathOf('ipc', 'ipc') ?? home.socket,
    ...(ipcTcp !== undefined && { ipcTcp: readHostPort(nameOf('ipc-tcp', 'ipc_tcp'), ipcTcp) }),
    profile:
      options.oneOf('profile', ['hardened', 'compat'] as const) ??
      (textIn(file, 'profile') as SecurityProfile) ??
      'hardened',
    switches: [...options.texts('compat'), ...listIn(file, 'switches')].map((name) =>
      requireOneOf('--compat', name, COMPAT_SWITCHES),
    ),
    ...(minMode !== undefined && { minMode }),
    minModeByContentType: (file['require_by_content_type'] ?? {}) as Record<string, SecurityMode>,
    aliases: listIn(file, 'aliases'),
    open: options.flag('open') || file['open'] === true,
    store: await readStoreAddress(options.text('store') ?? textIn(file, 'store'), home),
    ...(replay !== undefined && { replay: await readReplayAddress(replay) }),
    ...(handler !== undefined && { handler }),
    ...(exec !== undefined && { exec }),
    ...(upstream !== undefined && { upstream }),
    ...(tls !== undefined && { tls }),
    ...(adminToken !== undefined && { adminToken }),
    audit: file['audit'] !== false,
    ...receiptsIn(file),
    ...secondsIn(file, 'skew_s', 'skewMs'),
    ...secondsIn(file, 'max_window_s', 'maxWindowMs'),
    ...secondsIn(file, 'handler_timeout_s', 'handlerTimeoutMs'),
    drainMs: ((file['drain_s'] as number | undefined) ?? DEFAULT_DRAIN_S) * 1_000,
    approvers: approversIn(file),
    quorum: (file['quorum'] as number | undefined) ?? 1,
    limits: renamed(file['limits'], LIMIT_NAMES),
    admission: renamed(file['admission'], ADMISSION_NAMES),
    tasks: tasksIn(file),
    versions: isJsonObject(file['versions']) ? file['versions'] : {},
    callers: callersIn(file, path),
    ...(evidence !== undefined && { evidence }),
    ...(steerqa !== undefined && { steerqa }),
    anonymous: anonymousOf(options, file, {
      steerqa: [http.host],
      swp: [swp.tcp?.host],
      a2a: [http.host, a2a?.grpc?.host],
    }),
    swp,
    ...(a2a !== undefined && { a2a }),
  };
}

function callersIn(file: JsonObject, path: string | undefined): readonly CallerEntry[] {
  if (file['callers'] === undefined) return [];
  try {
    return readCallers(file['callers'], dirname(path!));
  } catch (thrown) {
    throw failure(`${path}: ${(thrown as TypeError).message}`, {
      code: 'CONFIG_INVALID',
      cause: thrown,
    });
  }
}

function evidenceOf(
  options: OptionValues,
  file: JsonObject,
  pathOf: (option: string, member: string) => string | undefined,
  folder: string,
): EvidenceConfig | undefined {
  const inFile = isJsonObject(file['evidence']) ? file['evidence'] : {};
  const at = (option: string, member: string): string | undefined => {
    const value = textIn(inFile, member);
    return pathOf(option, 'none') ?? (value === undefined ? undefined : resolve(folder, value));
  };
  const [directory, rawDirectory] = [at('evidence', 'directory'), at('evidence-raw', 'raw')];
  const required = options.flag('evidence-required') || inFile['required'] === true;
  if (directory === undefined) {
    if (rawDirectory === undefined && !required) return undefined;
    throw usageError('--evidence-raw and --evidence-required need --evidence DIR');
  }
  const { max_queued: maxQueued } = inFile;
  return {
    directory,
    required,
    ...(rawDirectory !== undefined && { rawDirectory }),
    ...(maxQueued !== undefined && { maxQueued: Number(maxQueued) }),
  };
}

function tlsOf(
  options: OptionValues,
  file: JsonObject,
  pathOf: (option: string, member: string) => string | undefined,
  folder: string,
): TlsFiles | undefined {
  const inFile = isJsonObject(file['tls']) ? file['tls'] : {};
  const at = (option: string, member: string): string | undefined => {
    const value = textIn(inFile, member);
    return pathOf(option, 'none') ?? (value === undefined ? undefined : resolve(folder, value));
  };
  const [cert, key, ca] = [at('tls-cert', 'cert'), at('tls-key', 'key'), at('tls-ca', 'ca')];
  const requireClientCert =
    options.flag('require-client-cert') || inFile['require_client_cert'] === true;
  if (cert === undefined && key === undefined) {
    if (ca === undefined && !requireClientCert) return undefined;
    throw usageError('client certificates need TLS', 'give --tls-cert and --tls-key');
  }
  if (cert === undefined || key === undefined) {
    throw usageError('--tls-cert and --tls-key go together');
  }
  if (requireClientCert && ca === undefined) {
    throw usageError('--require-client-cert needs --tls-ca', 'name the authority of the clients');
  }
  return { cert, key, ...(ca !== undefined && { ca }), requireClientCert };
}

function publicUrlOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !/^https?:/.test(value)) {
    throw usageError('--public-url expects a URL such as https://agent.example/a2a');
  }
  const url = new URL(value);
  // What is meant is the place where messages go.
  if (url.pathname === '/') url.pathname = '/a2a';
  return url.href;
}

async function readToken(value: string | undefined): Promise<string | undefined> {
  if (value === undefined) return undefined;
  const isFile = value.startsWith('@');
  const text = isFile
    ? new TextDecoder().decode(await readFileBytes(value.slice(1))).trim()
    : value;
  if (text.length >= MIN_TOKEN_LENGTH) return text;
  throw usageError(
    `an admin token has at least ${MIN_TOKEN_LENGTH} characters; this one is shorter`,
  );
}

function approversIn(file: JsonObject): Map<string, Uint8Array> {
  const approvers = isJsonObject(file['approvers']) ? file['approvers'] : {};
  return new Map(
    Object.keys(approvers).map((name) => {
      const key = decodeBase64url(approvers[name] as string);
      if (key?.length !== 32)
        throw failure(`the key of the approver "${name}" is not base64url of 32 bytes`);
      return [name, key];
    }),
  );
}

function receiptsIn({ receipts }: JsonObject): Pick<DaemonConfig, 'receipts'> {
  if (receipts === false) return { receipts };
  if (!isJsonObject(receipts)) return {};
  const { max } = receipts;
  return {
    receipts: {
      ...secondsIn(receipts, 'keep_s', 'keepMs'),
      ...(max !== undefined && { max: Number(max) }),
    },
  };
}

function tasksIn(file: JsonObject): DaemonConfig['tasks'] {
  const tasks = isJsonObject(file['tasks']) ? file['tasks'] : {};
  const { recovery, ...members } = tasks;
  const seconds: Record<string, number> = {};
  const numbers: Record<string, JsonValue> = {};
  for (const name of Object.keys(members)) {
    if (Object.hasOwn(TASK_SECONDS, name)) seconds[name] = Number(members[name]) * 1_000;
    else numbers[name] = members[name]!;
  }
  return {
    ...renamed(numbers, TASK_NUMBERS),
    ...renamed(seconds, TASK_SECONDS),
    ...(recovery !== undefined && { recovery: recovery as 'restart' | 'fail' }),
  };
}

function renamed<T extends string>(
  value: JsonValue | undefined,
  names: Readonly<Record<string, T>>,
): Partial<Record<T, number>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.keys(value).map((name) => [names[name], Number(value[name])]),
  ) as Partial<Record<T, number>>;
}

function textIn(file: JsonObject, name: string): string | undefined {
  const value = file[name];
  return typeof value === 'string' ? value : undefined;
}

function listIn(file: JsonObject, name: string): string[] {
  return [...((file[name] ?? []) as readonly string[])];
}

function secondsIn<T extends string>(
  file: JsonObject,
  member: string,
  name: T,
): { [N in T]?: number } {
  const value = file[member];
  return value === undefined ? {} : ({ [name]: Number(value) * 1_000 } as { [N in T]?: number });
}
