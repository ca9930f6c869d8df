// Owns the table of commands. Each is loaded only when it is called.

import type { Command } from './command.ts';

export interface CommandRow {
  /** The same as the command's own. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export const COMMANDS: Readonly<Record<string, CommandRow>> = {
  init: {
    summary: 'make the identities of this home',
    load: async () => (await import('./init.ts')).initCommand,
  },
  serve: {
    summary: 'run the peer daemon',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  send: {
    summary: 'send a task, or any payload, to an agent',
    load: async () => (await import('./send.ts')).sendCommand,
  },
  call: {
    summary: 'call a tool of an agent',
    load: async () => (await import('./call.ts')).callCommand,
  },
  tasks: {
    summary: 'the tasks of an agent: list, watch, cancel, answer, retry',
    load: async () => (await import('./tasks.ts')).tasksCommand,
  },
  peers: {
    summary: 'the agents that this home knows',
    load: async () => (await import('./peers.ts')).peersCommand,
  },
  keys: {
    summary: 'the identities of this home and their keys',
    load: async () => (await import('./keys.ts')).keysCommand,
  },
  sign: {
    summary: 'make a signed message from a payload or an envelope',
    load: async () => (await import('./sign.ts')).signCommand,
  },
  encrypt: {
    summary: 'make a signed and encrypted message from a payload or an envelope',
    load: async () => (await import('./sign.ts')).encryptCommand,
  },
  inspect: {
    summary: 'show what a receiver makes of a message, check by check',
    load: async () => (await import('./inspect.ts')).inspectCommand,
  },
  verify: {
    summary: 'say whether the signature of a message holds',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  decrypt: {
    summary: 'open the payload of an encrypted message',
    load: async () => (await import('./decrypt.ts')).decryptCommand,
  },
  audit: {
    summary: 'what was received and answered, receipts of others, and evidence of both',
    load: async () => (await import('./audit.ts')).auditCommand,
  },
  store: {
    summary: 'what the daemon keeps: upgrade, check and copy it',
    load: async () => (await import('./store.ts')).storeCommand,
  },
  schema: {
    summary: 'content types, their schemas, and what fits them',
    load: async () => (await import('./schema.ts')).schemaCommand,
  },
  doctor: {
    summary: 'find out what is wrong with this installation and this home',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
};
