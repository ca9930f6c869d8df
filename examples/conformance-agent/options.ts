// Owns what the conformance agent can be told on its command line.

import { parseArgs } from 'node:util';

export const USAGE = `usage: npm run conformance-agent -- [options]

  --http HOST:PORT               where JSON-RPC, REST and the card are; port 0 takes any  (127.0.0.1:0)
  --grpc HOST:PORT               where gRPC is spoken                                     (nowhere)
  --profile 1.0.0|1.0.1          the text of A2A 1.0 that counts                          (1.0.1)
  --card strict|superset         the card for clients that do not say their version       (superset)
  --capabilities all|none        streaming, web hooks and the extended card               (all)
  --auth none|bearer             whether callers must show a token                        (none)
  --context-ids accept|refuse    whether callers may make up the ids of contexts          (accept)
  --help                         this text

It prints one line of JSON when it can be asked, and ends on SIGTERM or SIGINT.
`;

interface Address {
  readonly host: string;
  readonly port: number;
}

export interface AgentOptions {
  readonly http: Address;
  readonly grpc?: Address;
  readonly profile: '1.0.0' | '1.0.1';
  readonly card: 'strict' | 'superset';
  readonly capabilities: 'all' | 'none';
  readonly auth: 'none' | 'bearer';
  readonly contextIds: 'accept' | 'refuse';
}

/** What was typed is not what can be done: its message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const MAX_PORT = 65_535;
/** Of an IPv6 address the host stands in brackets. */
const ADDRESS = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/;
const FLAGS = {
  http: { type: 'string', default: '127.0.0.1:0' },
  grpc: { type: 'string' },
  profile: { type: 'string', default: '1.0.1' },
  card: { type: 'string', default: 'superset' },
  capabilities: { type: 'string', default: 'all' },
  auth: { type: 'string', default: 'none' },
  'context-ids': { type: 'string', default: 'accept' },
  help: { type: 'boolean', default: false },
} as const;

/** `undefined` when it was asked how to use it. Throws a {@link UsageError}. */
export function readOptions(args: readonly string[]): AgentOptions | undefined {
  const { help, ...values } = flagsIn(args);
  if (help) return undefined;
  return {
    http: addressIn('http', values.http),
    ...(values.grpc !== undefined && { grpc: addressIn('grpc', values.grpc) }),
    profile: oneOf('profile', values.profile, ['1.0.0', '1.0.1']),
    card: oneOf('card', values.card, ['strict', 'superset']),
    capabilities: oneOf('capabilities', values.capabilities, ['all', 'none']),
    auth: oneOf('auth', values.auth, ['none', 'bearer']),
    contextIds: oneOf('context-ids', values['context-ids'], ['accept', 'refuse']),
  };
}

function flagsIn(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, strict: true }).values;
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function oneOf<Word extends string>(flag: string, value: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new UsageError(`--${flag} takes ${words.join(' or ')}, not "${value}"`);
}

function addressIn(flag: string, value: string): Address {
  const [, bracketed, plain, digits] = ADDRESS.exec(value) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host !== undefined && port <= MAX_PORT) return { host, port };
  throw new UsageError(`--${flag} takes HOST:PORT, not "${value}"`);
}
