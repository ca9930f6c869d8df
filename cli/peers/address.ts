// Owns what a user writes for an agent: its id, an address, or one of both with a mistake in it.

import { isReservedId } from '../../src/security/index.ts';
import { usageError } from '../kit/exit.ts';

const ADDRESS = /^(https?|wss?|ipc):/i;
/** A host with a point or a port in it, such as `bob.example` or `localhost:8787/a2a`. */
const HOST = /^(?<host>[\w-]+(\.[\w-]+)+|localhost|\[[\da-f:]+\])(:\d+)?(\/\S*)?$/i;
const HOST_AND_PORT = /^[\w.-]+:\d+(\/\S*)?$/;
const LOCAL = /^(localhost|127\.|\[::1\])/i;
/** So a did:key of an Ed25519 key begins; a label that does is a key with a mistake in it. */
const KEY_LIKE = /^(did:key:)?z\w*$|^did:key:6Mk/;

export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** Throws with the address that was probably meant; what else is wrong with one, the peer book says. */
export function requireAddress(text: string): string {
  const next = isAddress(text) ? undefined : meant(text);
  if (next === undefined) return text;
  throw usageError(`${text} is no address of an agent`, next);
}

/** Throws for an id that can only be a mistake; `isLabel`: the user says that it is a label. */
export function requireAgentId(text: string, isLabel: boolean): string {
  if (isReservedId(text)) {
    throw usageError(
      `${text} cannot be the id of an agent: * means everybody, and ~ begins the ids of callers that are no peers`,
      'such an agent needs another id, and tells it to its peers',
    );
  }
  if (isLabel) return text;
  if (KEY_LIKE.test(text)) {
    throw usageError(
      `${text} is not an agent id: there is no key in it`,
      'copy the whole id, such as "a2a-sdl keys list" shows it there; a label needs --compat label-id',
    );
  }
  if (text.startsWith('did:')) return text;
  throw usageError(
    `${text} is neither an agent id nor an address`,
    meant(text) ?? 'ids begin with did:key:, addresses with https:// or ipc:',
  );
}

function meant(text: string): string | undefined {
  if (/^\.{0,2}\//.test(text)) return `did you mean ipc:${text}?`;
  if (!HOST.test(text) && !HOST_AND_PORT.test(text)) return undefined;
  return `did you mean ${LOCAL.test(text) ? 'http' : 'https'}://${text}?`;
}
