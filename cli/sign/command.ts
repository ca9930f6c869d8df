// Owns the commands `sign` and `encrypt`: a message made by hand, for a file, a pipe or a test. SPEC.md section 6.

import type { JsonValue } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import type { SigningForm } from '../../src/envelope/index.ts';
import { SchemaRegistry } from '../../src/schema/index.ts';
import type { OwnIdentity, Peer } from '../../src/security/index.ts';
import { newPeer, thumbprint } from '../../src/security/index.ts';
import type { Action, CommandContext, CommandOption, Parameter } from '../kit/command.ts';
import { COMPLETE_NOTE, completePayload } from '../send/complete-payload.ts';
import type { ExitCode } from '../kit/exit.ts';
import { EXIT, failure, usageError } from '../kit/exit.ts';
import { openIdentity, peersOf } from '../home/identities.ts';
import { STDIN, readJsonInput } from '../kit/input.ts';
import { readPeerKey, readSecretKeyFile } from '../home/key-argument.ts';
import type { MessageBody } from './outgoing.ts';
import { makeMessage } from './outgoing.ts';
import { PASSPHRASE_OPTION } from '../home/passphrase-file.ts';
import { requireContentType } from '../schema/command.ts';

const FORMS: readonly SigningForm[] = ['jcs', 'python', 'cbor'];
/** The name of the daemon's identity in the operator's book. */
const OWN_AGENT = 'agent';
const DEFAULT_TTL_S = 300;
const MAX_TTL_S = 3_600;

const OPTIONS: Readonly<Record<string, CommandOption>> = {
  ct: {
    type: 'string',
    value: 'CT',
    description: 'the content type of the payload; without it the input is an envelope',
  },
  to: {
    type: 'string',
    value: 'PEER',
    description:
      'for whom: an agent id or a name (default: the receiver of the envelope, else agent)',
  },
  type: { type: 'string', value: 'TYPE', description: 'req or evt (default: req)' },
  as: { type: 'string', value: 'NAME', description: 'the identity that signs (default: operator)' },
  'sign-key': {
    type: 'string',
    value: 'FILE',
    description: 'a file with another secret key to sign with; needs --from',
  },
  from: { type: 'string', value: 'ID', description: 'with --sign-key: the agent id of its owner' },
  kid: {
    type: 'string',
    value: 'KID',
    description: 'with --sign-key: its key id (default: its thumbprint)',
  },
  canon: {
    type: 'string',
    value: 'FORM',
    description: 'jcs, python or cbor (default: the peer’s, else jcs)',
  },
  encoding: { type: 'string', value: 'ENC', description: 'json or cbor (default: json)' },
  'ttl-s': {
    type: 'string',
    value: 'SECONDS',
    description: `how long the message may be used (default: ${DEFAULT_TTL_S})`,
  },
  'passphrase-file': PASSPHRASE_OPTION,
};

const FILE: Parameter = {
  name: 'FILE',
  isOptional: true,
  description: 'a JSON file (default: stdin, as with -)',
};
const NOTES = [
  COMPLETE_NOTE,
  'The message is printed as it goes on the wire; it can be used once, until its time is over.',
];

export const signCommand: Action = {
  name: 'sign',
  summary: 'make a signed message from a payload or an envelope',
  parameters: [FILE],
  options: OPTIONS,
  notes: NOTES,
  examples: [
    `echo '{"goal": "sum 1 2 3"}' | a2a-sdl sign --ct task.v1 --to alice`,
    'a2a-sdl sign --ct task.v1 --to alice payload.json',
    'a2a-sdl sign --ct toolcall.v1 --to did:key:legacy --sign-key me.pem --from did:key:me --kid k1 call.json',
  ],
  run: (context) => run(context, false),
};

export const encryptCommand: Action = {
  name: 'encrypt',
  summary: 'make a signed and encrypted message from a payload or an envelope',
  parameters: [FILE],
  options: {
    ...OPTIONS,
    'enc-key': {
      type: 'string',
      value: '[KID=]KEY',
      description: 'the public key to encrypt to, instead of the one in the peer book',
    },
  },
  notes: NOTES,
  examples: [
    'a2a-sdl encrypt --ct task.v1 --to alice payload.json',
    'a2a-sdl encrypt --ct task.v1 --to did:key:legacy --enc-key e1=legacy-enc.pem payload.json',
  ],
  run: (context) => run(context, true),
};

async function run(context: CommandContext, isSealed: boolean): Promise<ExitCode> {
  const { words, options, terminal } = context;
  const encoding = options.oneOf('encoding', ['json', 'cbor']) ?? 'json';
  const ttlS = options.integer('ttl-s', 1, MAX_TTL_S) ?? DEFAULT_TTL_S;
  const canon = options.oneOf('canon', FORMS);
  if (encoding === 'cbor' && terminal.isStdoutTerminal) {
    throw failure('CBOR is not for a terminal', { next: 'send it to a file or a program' });
  }
  if (words[0] === undefined && terminal.isInteractive) {
    throw usageError('FILE is missing', 'name a JSON file, or send the JSON to standard input');
  }
  const { identity, senderName } = await readSender(context);
  const body = bodyOf(await readJsonInput(words[0] ?? STDIN, terminal), context);
  const { receiver, receiverName } = await readReceiver(body, context);
  const { bytes } = await makeMessage(
    body,
    {
      identity,
      senderName,
      receiver,
      receiverName,
      isSealed,
      form: canon ?? receiver.canon ?? 'jcs',
      encoding,
      lifetimeMs: ttlS * 1_000,
    },
    context,
  );
  terminal.rawBytes(bytes);
  if (encoding === 'json') terminal.raw('\n');
  return EXIT.ok;
}

function bodyOf(input: JsonValue, { options }: CommandContext): MessageBody {
  const ct = options.text('ct');
  const type = options.oneOf('type', ['req', 'evt']);
  if (ct !== undefined) {
    requireContentType(ct, new SchemaRegistry());
    return { ct, payload: completePayload(ct, input), type: type ?? 'req' };
  }
  if (type !== undefined) throw usageError('--type is for a payload', 'give --ct as well');
  if (isJsonObject(input) && Object.hasOwn(input, 'v') && Object.hasOwn(input, 'ct')) {
    return { envelope: input };
  }
  throw usageError('the input is not an envelope', 'for a payload give its content type with --ct');
}

async function readSender(
  context: CommandContext,
): Promise<{ readonly identity: OwnIdentity; readonly senderName: string }> {
  const { options, crypto } = context;
  const file = options.text('sign-key');
  const agentId = options.text('from');
  if (file === undefined) {
    if (agentId !== undefined || options.text('kid') !== undefined) {
      throw usageError('--from and --kid go with --sign-key', 'give all of them, or --as NAME');
    }
    const identity = await openIdentity(context, options.text('as') ?? 'operator');
    return { identity, senderName: identity.name };
  }
  if (agentId === undefined) throw usageError('--from is missing', 'say whose key it is');
  if (options.text('as') !== undefined) {
    throw usageError('--as and --sign-key exclude each other', 'leave one of them out');
  }
  const key = await readSecretKeyFile(file, 'sig', crypto);
  const kid = options.text('kid') ?? thumbprint(key.alg, key.publicKey);
  const identity = { agentId, keys: [{ kid, use: 'sig' as const, notAfterMs: Infinity, key }] };
  return { identity, senderName: agentId };
}

/** The peer by `--to`, else the one that the envelope names; `--enc-key` stands in for one that has no entry. */
async function readReceiver(
  body: MessageBody,
  { options, home }: CommandContext,
): Promise<{ readonly receiver: Peer; readonly receiverName: string }> {
  const peers = await peersOf(home, 'operator');
  // What the operator has to say is mostly for the agent of its own home.
  const isOperator = options.text('sign-key') === undefined && options.text('as') !== OWN_AGENT;
  const usual = isOperator ? peers.get(OWN_AGENT)?.agentId : undefined;
  const named = options.text('to') ?? receiverOf(body) ?? usual;
  if (named === undefined) throw usageError('--to is missing', 'say for whom the message is');
  const entry = peers.get(named);
  const encKey = options.declares('enc-key') ? options.text('enc-key') : undefined;
  const encryptionKeys = encKey === undefined ? undefined : [await readPeerKey(encKey, 'enc')];
  const isId = entry === undefined && named.startsWith('did:');
  if (entry === undefined && !isId) {
    throw failure('there is no peer of this name', {
      code: 'NO_PEER',
      next: 'see "a2a-sdl peers list", or give an agent id',
    });
  }
  const receiver = entry ?? newPeer(named);
  return {
    receiver: encryptionKeys === undefined ? receiver : { ...receiver, encryptionKeys },
    receiverName: entry?.name ?? receiver.agentId,
  };
}

function receiverOf(body: MessageBody): string | undefined {
  if (!('envelope' in body) || !isJsonObject(body.envelope)) return undefined;
  const to = body.envelope['to'];
  const id = isJsonObject(to) ? to['agent_id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
