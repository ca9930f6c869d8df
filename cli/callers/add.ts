// Owns the command `callers add`: how somebody proves itself, and what it may do.

import type { CallerEntry, CallerProof } from '../../profiles/auth/index.ts';
import {
  assertSecret,
  assertTokenSupport,
  certificateHash,
  hashOfUser,
  hashPassword,
  hashSecret,
} from '../../profiles/auth/index.ts';
import type { Action, CommandContext, CommandOption } from '../kit/command.ts';
import { EXIT, failure, usageError } from '../kit/exit.ts';
import { decodeText, readFileBytes } from '../kit/input.ts';
import type { OptionValues } from '../kit/option-values.ts';
import { openBook, peerLike } from '../home/identities.ts';
import { CallerBook } from './book.ts';
import { readSecretFile } from '../kit/secret-input.ts';
import { callerDocument, callerRows } from './view.ts';

const PROOFS = ['bearer', 'api-key', 'basic', 'jwt', 'certificate'] as const;
const OF_JWT = ['audience', 'jwks', 'subject'] as const;
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2}))?$/;

const text = (value: string, description: string): CommandOption => ({
  type: 'string',
  value,
  description,
});

export const callersAddCommand: Action = {
  name: 'add',
  summary: 'let in a caller',
  parameters: [
    { name: 'NAME', description: 'what you call it; unique' },
    { name: '@FILE', isOptional: true, description: 'with --basic: the file with its password' },
  ],
  options: {
    bearer: text('@FILE', 'it shows the bearer token in this file'),
    'api-key': text('@FILE', 'it shows the API key in this file'),
    basic: text('USER', 'it shows this user and the password in @FILE'),
    jwt: text('ISSUER', 'it shows a token of this issuer (needs the package jose)'),
    audience: text('AUDIENCE', 'with --jwt: whom its tokens must be for'),
    jwks: text('URL', 'with --jwt: the keys of the issuer (default: as the issuer says)'),
    subject: text('SUBJECT', 'with --jwt: this subject alone (default: each is a caller)'),
    certificate: text('FILE', 'it shows this client certificate (PEM)'),
    tools: text('LIST', 'the tools that it may call, with commas between (default: all)'),
    ct: text('LIST', 'the content types that it may use, with commas between (default: all)'),
    tenant: text('TENANT', 'the tenant that its tasks belong to'),
    peer: text('PEER', 'it is this peer: both see the same tasks'),
    expires: text('DATE', 'until when it is let in, such as 2027-01-31 or 2027-01-31T12:00:00Z'),
  },
  notes: [
    'What is kept is a hash: the SHA-256 of a token or key, which has at least 16 characters, or the scrypt\n' +
      'hash of a password. The running daemon takes in the change at once.',
  ],
  examples: [
    'a2a-sdl callers add ci --bearer @token.txt --tools math.add --expires 2027-01-31',
    'a2a-sdl callers add bob --basic bob @password.txt',
    'a2a-sdl callers add staff --jwt https://login.example --audience https://agent.example',
  ],
  async run(context) {
    const { words, home, terminal, now } = context;
    const entry: CallerEntry = {
      name: words[0]!,
      proof: await readProof(context),
      ...(await readLimits(context)),
    };
    if ((entry.expiresAt ?? Infinity) <= now()) throw usageError('--expires is in the past');
    await refusedWithWords(() => assertTokenSupport([entry]));
    const book = await CallerBook.open(home);
    await refusedWithWords(() => book.add(entry));
    terminal.result(callerDocument(entry, now()), () => {
      terminal.print('the caller is let in');
      terminal.table(callerRows(entry, now()));
    });
    return EXIT.ok;
  },
};

async function readProof({ options, words }: CommandContext): Promise<CallerProof> {
  const given = PROOFS.filter((name) => options.flag(name));
  const [scheme] = given;
  if (scheme === undefined || given.length > 1) {
    throw usageError(`give one of ${PROOFS.map((name) => `--${name}`).join(', ')}`);
  }
  const foreign = OF_JWT.find((name) => scheme !== 'jwt' && options.flag(name));
  if (foreign !== undefined) throw usageError(`--${foreign} is for --jwt`);
  if (words[1] !== undefined && scheme !== 'basic') throw usageError('@FILE is for --basic');
  const value = options.text(scheme)!;
  switch (scheme) {
    case 'bearer':
    case 'api-key': {
      const secret = await readSecretFile(`--${scheme}`, value);
      await refusedWithWords(() => Promise.resolve(assertSecret(secret)));
      return { scheme, secret: { sha256: hashSecret(secret) } };
    }
    case 'basic': {
      const password = await readSecretFile('--basic USER', words[1]);
      if (password === '') throw usageError('the password is empty');
      const hash = hashOfUser(password, value) ?? (await hashPassword(password));
      return { scheme, user: value, password: { hash } };
    }
    case 'certificate':
      return { scheme, certificate: { sha256: await readCertificate(value) } };
    default:
      return { scheme, issuer: value, ...readToken(options) };
  }
}

function readToken(options: OptionValues): {
  readonly audience: string;
  readonly jwksUrl?: string;
  readonly subject?: string;
} {
  const audience = options.text('audience');
  if (audience === undefined) {
    throw usageError('--jwt needs --audience', 'say whom the tokens must be for');
  }
  const [jwksUrl, subject] = [options.text('jwks'), options.text('subject')];
  return {
    audience,
    ...(jwksUrl !== undefined && { jwksUrl }),
    ...(subject !== undefined && { subject }),
  };
}

async function readCertificate(path: string): Promise<string> {
  const pem = decodeText(await readFileBytes(path.replace(/^@/, '')));
  try {
    return certificateHash(pem);
  } catch {
    throw usageError('--certificate expects a file with a certificate in PEM');
  }
}

async function readLimits({ options, home }: CommandContext): Promise<Partial<CallerEntry>> {
  const [tools, contentTypes] = [listOf(options, 'tools'), listOf(options, 'ct')];
  const [tenant, peer, expires] = ['tenant', 'peer', 'expires'].map((name) => options.text(name));
  if (expires !== undefined && !(DATE.test(expires) && Number.isFinite(Date.parse(expires)))) {
    throw usageError('--expires expects a date such as 2027-01-31 or 2027-01-31T12:00:00Z');
  }
  return {
    ...(tools !== undefined && { tools }),
    ...(contentTypes !== undefined && { contentTypes }),
    ...(tenant !== undefined && { tenant }),
    ...(peer !== undefined && { peer: await peerId(home, peer) }),
    ...(expires !== undefined && { expiresAt: Date.parse(expires) }),
  };
}

function listOf(options: OptionValues, name: string): readonly string[] | undefined {
  const given = options.text(name);
  if (given === undefined) return undefined;
  const names = given.split(',').map((word) => word.trim());
  // `math.*` looks like a pattern, but it would be compared as a plain name and allow nothing.
  if (names.every((word) => /^(\*|[^*\s]+)$/.test(word))) return names;
  throw usageError(`--${name} expects names with commas between, or *`);
}

async function peerId(home: CommandContext['home'], idOrName: string): Promise<string> {
  const book = await openBook(home, 'agent');
  const entry = book.get(idOrName) ?? peerLike(idOrName, book.list());
  if (entry !== undefined) return entry.agentId;
  throw failure('there is no peer of this id or name in the book of the agent', {
    code: 'NO_PEER',
    next: 'see "a2a-sdl peers list"',
  });
}

/** What is wrong with the entry, in the words that the room of callers has for it. */
async function refusedWithWords<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    const isWrong = thrown instanceof TypeError || thrown instanceof RangeError;
    if (isWrong) throw usageError(thrown.message);
    if (thrown instanceof Error && thrown.message.includes('npm install')) {
      throw failure(thrown.message, { cause: thrown });
    }
    throw thrown;
  }
}
