// Owns the command `keys export`: public keys for everybody, secret ones only when asked for twice.

import type { SecretKey } from '../../src/security/index.ts';
import type { KeyFormat, StoredIdentity } from '../../keys/index.ts';
import { exportPublicKey, exportSecretKey } from '../../keys/index.ts';
import { thumbprint } from '../../src/security/index.ts';
import type { Action } from '../kit/command.ts';
import { EXIT, failure } from '../kit/exit.ts';
import { openIdentity } from '../home/identities.ts';
import { NAME_PARAMETER } from './show.ts';
import { PASSPHRASE_OPTION } from '../home/passphrase-file.ts';

const FORMATS: readonly KeyFormat[] = ['raw', 'pem', 'jwk'];
const USES = ['sig', 'enc', 'root'] as const;

export const keysExportCommand: Action = {
  name: 'export',
  summary: 'print a key of an identity',
  parameters: [NAME_PARAMETER],
  options: {
    use: {
      type: 'string',
      value: 'USE',
      description: 'which key: sig, enc or root (default: sig)',
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
  examples: [
    'a2a-sdl keys export --use enc',
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
    const identity = await openIdentity(context, words[0] ?? 'agent');
    const { kid, key } = pickKey(identity, use);
    const text = isSecret ? exportSecretKey(key, format) : exportPublicKey(key, format);
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

/** The newest key of its use. */
function pickKey(
  { name, root, keys }: StoredIdentity,
  use: (typeof USES)[number],
): { readonly kid: string; readonly key: SecretKey } {
  if (use === 'root') return { kid: thumbprint(root.alg, root.publicKey), key: root };
  const found = keys.find((candidate) => candidate.use === use);
  if (found !== undefined) return found;
  throw failure(`the identity "${name}" has no such key`, { next: `a2a-sdl keys rotate ${name}` });
}
