// Owns the options that say what a peer may do and how it speaks, and the entry that they make.

import type { PeerChanges } from '../../keys/index.ts';
import type { SigningForm } from '../../src/envelope/index.ts';
import { COMPAT_SWITCHES, SEALED_POLICIES, SECURITY_MODES } from '../../src/security/index.ts';
import type { CommandOption } from '../kit/command.ts';
import { usageError } from '../kit/exit.ts';
import { ROLES } from '../home/home.ts';
import { requireAddress } from './address.ts';
import { readPeerKey } from '../home/key-argument.ts';
import type { OptionValues } from '../kit/option-values.ts';
import { requireOneOf } from '../kit/option-values.ts';

const FORMS: readonly SigningForm[] = ['jcs', 'python', 'cbor'];

export const PEER_OPTIONS: Readonly<Record<string, CommandOption>> = {
  name: { type: 'string', value: 'NAME', description: 'what you call it; unique in the book' },
  url: {
    type: 'string',
    multiple: true,
    value: 'URL',
    description: 'where it listens: http(s), ws(s) or ipc',
  },
  'sign-key': {
    type: 'string',
    multiple: true,
    value: '[KID=]KEY',
    description: 'a key that it signs with',
  },
  'enc-key': {
    type: 'string',
    multiple: true,
    value: '[KID=]KEY',
    description: 'a key to encrypt to it with',
  },
  canon: { type: 'string', value: 'FORM', description: `how it signs: ${FORMS.join(', ')}` },
  compat: {
    type: 'string',
    multiple: true,
    value: 'SWITCH',
    description: `a rule that it need not keep: ${COMPAT_SWITCHES.join(', ')}`,
  },
  'min-mode': {
    type: 'string',
    value: 'MODE',
    description: `the weakest mode accepted from it: ${SECURITY_MODES.join(', ')}`,
  },
  sealed: {
    type: 'string',
    value: 'POLICY',
    description: `must official A2A with it be sealed: ${SEALED_POLICIES.join(', ')} (default: prefer)`,
  },
  'allow-ct': {
    type: 'string',
    multiple: true,
    value: 'CT',
    description: 'a content type that it may send (default: all)',
  },
  'allow-tool': {
    type: 'string',
    multiple: true,
    value: 'TOOL',
    description: 'a tool that it may call (default: all)',
  },
  certificate: {
    type: 'string',
    multiple: true,
    value: 'SHA256',
    description: 'a client certificate that may speak for it, as 64 hex digits (default: any)',
  },
  'may-grant': { type: 'boolean', description: 'grants of this peer count' },
};

export const KEY_NOTE: string =
  'KEY is raw base64url, or a file with a public key as PEM, JWK or raw text. Without KID the key is\n' +
  'known by its RFC 7638 thumbprint.';

/** Only what was given; the rest of an entry stays as it is. */
export async function readPeerOptions(options: OptionValues): Promise<PeerChanges> {
  const name = options.text('name');
  if (ROLES.some((role) => role === name)) {
    throw usageError('the names "agent" and "operator" are for this home', 'choose another name');
  }
  const canon = options.oneOf('canon', FORMS);
  const minMode = options.oneOf('min-mode', SECURITY_MODES);
  const sealed = options.oneOf('sealed', SEALED_POLICIES);
  const switches = options
    .texts('compat')
    .map((word) => requireOneOf('--compat', word, COMPAT_SWITCHES));
  const contentTypes = options.texts('allow-ct');
  const tools = options.texts('allow-tool');
  const certificates = options.texts('certificate');
  const endpoints = options.texts('url').map((url) => requireAddress(url));
  const signingKeys = await readKeys(options.texts('sign-key'), 'sig');
  const encryptionKeys = await readKeys(options.texts('enc-key'), 'enc');
  return {
    ...(name !== undefined && { name }),
    ...(endpoints.length > 0 && { endpoints }),
    ...(signingKeys.length > 0 && { signingKeys }),
    ...(encryptionKeys.length > 0 && { encryptionKeys }),
    ...(canon !== undefined && { canon }),
    ...(minMode !== undefined && { minMode }),
    ...(sealed !== undefined && { sealed }),
    ...(switches.length > 0 && { switches: new Set(switches) }),
    ...(contentTypes.length > 0 && { contentTypes }),
    ...(tools.length > 0 && { tools }),
    ...(certificates.length > 0 && { certificates }),
    ...(options.flag('may-grant') && { mayGrant: true }),
  };
}

function readKeys(
  texts: readonly string[],
  use: 'sig' | 'enc',
): Promise<Awaited<ReturnType<typeof readPeerKey>>[]> {
  return Promise.all(texts.map((text) => readPeerKey(text, use)));
}
