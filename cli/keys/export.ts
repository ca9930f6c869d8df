// Owns the command `keys export`: public keys for everybody, secret ones only when asked for twice.
// SPEC.md section 10 (#unbound-key).

import type { SecretKey } from '../../src/security/index.ts';
import type { KeyFormat, StoredIdentity } from '../../keys/index.ts';
import { exportPublicKey, exportSecretKey } from '../../keys/index.ts';
import { thumbprint } from '../../src/security/index.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import { EXIT, failure } from '../kit/exit.ts';
import { openDirectory, openIdentity } from '../home/identities.ts';
import { NAME_PARAMETER } from './show.ts';
import { PASSPHRASE_OPTION, readPassphrase } from '../home/passphrase-file.ts';

const FORMATS: readonly KeyFormat[] = ['raw', 'pem', 'jwk'];
const USES = ['sig', 'enc', 'unbound-enc', 'root'] as const;

export const keysExportCommand: Action = {
  name: 'export',
  summary: 'print a key of an identity',
  parameters: [NAME_PARAMETER],
  options: {
    use: {
      type: 'string',
      value: 'USE',
      description: 'which key: sig, enc, unbound-enc or root (default: sig)',
    },
    format: {
      type: 'string',
      value: 'FORMAT',
      description: 'raw (base64url), pem or jwk (default: raw)',
    },
    secret: { type: 'boolean', description: 'the secret key, in clear' },
    yes: { type: 'boolean', description: 'print a secret key even to a terminal' },
    'passphrase-file': PASSPHRASE_OPTION,
  },
  notes: [
    'A peer with the switch unbound-enc, such as one of the Python reference, encrypts to the key of\n' +
      '--use unbound-enc: what comes without a binding is opened with no other key. Give it to nobody else.',
  ],
  examples: [
    'a2a-sdl keys export --use enc',
    'a2a-sdl keys export --use unbound-enc --json',
    'a2a-sdl keys export --format pem > agent.pem',
    'a2a-sdl keys export --use root --secret --format pem | age -p > root.pem.age',
  ],
  async run(context) {
    const { words, options, terminal } = context;
    const use = options.oneOf('use', USES) ?? 'sig';
    const format = options.oneOf('format', FORMATS) ?? 'raw';
    const isSecret = options.flag('secret');
    if (isSecret && terminal.isStdoutTerminal && !options.flag('yes')) {
      throw failure('a secret key would be shown on this terminal', {
        next: 'send it to a file or a program, or give --yes',
      });
    }
    const opened = await openIdentity(context, words[0] ?? 'agent');
    const identity = use === 'unbound-enc' ? await withUnboundKey(opened, context) : opened;
    const { kid, key } = pickKey(identity, use);
    const text = isSecret ? exportSecretKey(key, format) : exportPublicKey(key, format, kid);
    const result = {
      agent_id: identity.agentId,
      use,
      kid,
      alg: key.alg,
      format,
      secret: isSecret,
      key: text,
    };
    terminal.result(result, () => terminal.raw(text.endsWith('\n') ? text : `${text}\n`));
    return EXIT.ok;
  },
};

/** Homes that were made before there was one get it when it is asked for. A running daemon takes it by itself. */
async function withUnboundKey(
  { name }: StoredIdentity,
  context: CommandContext,
): Promise<StoredIdentity> {
  const passphrase = await readPassphrase(context);
  const unlock = passphrase === undefined ? {} : { passphrase };
  return openDirectory(context).ensureUnboundKey(name, unlock);
}

/** The newest key of its use. */
function pickKey(
  { name, root, keys, unboundKeys = [] }: StoredIdentity,
  use: (typeof USES)[number],
): { readonly kid: string; readonly key: SecretKey } {
  if (use === 'root') return { kid: thumbprint(root.alg, root.publicKey), key: root };
  const found =
    use === 'unbound-enc' ? unboundKeys[0] : keys.find((candidate) => candidate.use === use);
  if (found !== undefined) return found;
  throw failure(`the identity "${name}" has no such key`, { next: `a2a-sdl keys rotate ${name}` });
}
