// Owns the command `credentials add`: a secret, and the one origin that it may be shown at. SPEC.md section 20
// (#a2a-client-home, #a2a-client-secrets).

import type {
  A2aCredential,
  BoundCredential,
} from '../../profiles/a2a/client/credentials/credential.ts';
import { assertCredentials } from '../../profiles/a2a/client/credentials/credential.ts';
import { preparePrivateFolder } from '../home/private-folder.ts';
import type { Action, CommandContext, CommandOption } from '../kit/command.ts';
import { EXIT, usageError } from '../kit/exit.ts';
import { decodeText, readFileBytes } from '../kit/input.ts';
import { readSecret } from '../kit/secret-input.ts';
import { CredentialBook } from './book.ts';
import { requireOrigin } from './origin.ts';
import { credentialDocument, detailText } from './view.ts';

const SCHEMES = ['bearer', 'api-key', 'basic', 'oauth2', 'certificate'] as const;
/** Which options belong to which scheme alone. */
const OF_SCHEME: Readonly<Record<string, (typeof SCHEMES)[number]>> = {
  header: 'api-key',
  'token-url': 'oauth2',
  scope: 'oauth2',
  key: 'certificate',
};

const text = (value: string, description: string): CommandOption => ({
  type: 'string',
  value,
  description,
});

export const credentialsAddCommand: Action = {
  name: 'add',
  summary: 'keep a secret for the agents at an origin',
  parameters: [
    { name: 'ORIGIN', description: 'where it may be shown, such as https://agent.example' },
    {
      name: '@FILE|-',
      isOptional: true,
      description: 'with --basic or --oauth2: the file with the password or client secret',
    },
  ],
  options: {
    bearer: text('@FILE|-', 'a bearer token'),
    'api-key': text('@FILE|-', 'an API key'),
    header: text(
      'NAME',
      'with --api-key: the header for it (default: as the card says, else X-API-Key)',
    ),
    basic: text('USER', 'this user and the password in @FILE'),
    oauth2: text('CLIENT_ID', 'OAuth 2.0 client credentials: this client and the secret in @FILE'),
    'token-url': text(
      'URL',
      'with --oauth2: where tokens are fetched; what a card says is not used',
    ),
    scope: text('SCOPE', 'with --oauth2: the scope that is asked for'),
    certificate: text('FILE', 'a client certificate for TLS (PEM)'),
    key: text('FILE', 'with --certificate: its private key (PEM)'),
  },
  notes: [
    'A secret is read from a file, or from stdin for "-", and never taken from the command line. It is kept in\n' +
      'a file of the home that only you can read, and goes with requests to ORIGIN alone: scheme, host and port\n' +
      'must be the same, whatever a card or a redirect says. Another one of the same kind replaces it.',
  ],
  examples: [
    'a2a-sdl credentials add https://agent.example --bearer @token.txt',
    'pass show agent/key | a2a-sdl credentials add https://agent.example --api-key - --header X-Key',
    'a2a-sdl credentials add https://agent.example --basic bob @password.txt',
    'a2a-sdl credentials add https://agent.example --oauth2 me @secret.txt --token-url https://login.example/token',
    'a2a-sdl credentials add https://agent.example --certificate me.pem --key me.key',
  ],
  async run(context) {
    const { words, home, terminal } = context;
    const origin = requireOrigin(words[0]!);
    const credential: BoundCredential = { ...(await readCredential(context)), origin };
    try {
      assertCredentials([credential]);
    } catch (thrown) {
      throw usageError((thrown as TypeError).message.replace(/^"credentials\[0\]\./, '"'));
    }
    await preparePrivateFolder(home.root);
    const isReplaced = await (await CredentialBook.open(home)).put(credential);
    if (isInClear(origin)) {
      terminal.note('warning: this origin has no TLS: whoever is on the way can read the secret');
    }
    terminal.result({ ...credentialDocument(credential), replaced: isReplaced }, () => {
      const what = isReplaced ? 'replaced' : 'kept';
      terminal.print(`${what}: ${credential.scheme} (${detailText(credential)}) for ${origin}`);
    });
    return EXIT.ok;
  },
};

async function readCredential({
  options,
  words,
  terminal,
}: CommandContext): Promise<A2aCredential> {
  const given = SCHEMES.filter((name) => options.flag(name));
  const [scheme] = given;
  if (scheme === undefined || given.length > 1) {
    throw usageError(`give one of ${SCHEMES.map((name) => `--${name}`).join(', ')}`);
  }
  const foreign = Object.keys(OF_SCHEME).find(
    (name) => options.flag(name) && OF_SCHEME[name] !== scheme,
  );
  if (foreign !== undefined) throw usageError(`--${foreign} is for --${OF_SCHEME[foreign]!}`);
  const isPair = scheme === 'basic' || scheme === 'oauth2';
  if (words[1] !== undefined && !isPair) throw usageError('@FILE is for --basic and --oauth2');
  const value = options.text(scheme)!;
  const secretOf = async (what: string, from: string | undefined): Promise<string> => {
    const secret = await readSecret(what, from, terminal);
    if (secret === '') throw usageError(`${what}: the secret is empty`);
    return secret;
  };
  switch (scheme) {
    case 'bearer':
      return { scheme, token: await secretOf('--bearer', value) };
    case 'api-key': {
      const header = options.text('header');
      const key = await secretOf('--api-key', value);
      return { scheme, key, ...(header !== undefined && { header }) };
    }
    case 'basic':
      return { scheme, user: value, password: await secretOf('--basic USER', words[1]) };
    case 'oauth2': {
      const [tokenUrl, scope] = [options.text('token-url'), options.text('scope')];
      if (tokenUrl === undefined) throw usageError('--oauth2 needs --token-url');
      const clientSecret = await secretOf('--oauth2 CLIENT_ID', words[1]);
      return {
        scheme,
        tokenUrl,
        clientId: value,
        clientSecret,
        ...(scope !== undefined && { scope }),
      };
    }
    default:
      return { scheme, cert: await pemIn(value), key: await pemIn(options.text('key')) };
  }
}

async function pemIn(path: string | undefined): Promise<string> {
  if (path === undefined) throw usageError('--certificate needs --key');
  return decodeText(await readFileBytes(path.replace(/^@/, '')));
}

function isInClear(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'http:' && !/^(localhost|127\.|\[::1\])/.test(hostname);
}
