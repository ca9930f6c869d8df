// Owns the table of commands. Each is loaded only when it is called.

import type { Command } from './kit/command.ts';

export interface CommandRow {
  /** The same as the command's own. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

export const COMMANDS: Readonly<Record<string, CommandRow>> = {
  init: {
    summary: 'make the identities of this home',
    load: async () => (await import('./init/command.ts')).initCommand,
  },
  serve: {
    summary: 'run the peer daemon',
    load: async () => (await import('./serve/command.ts')).serveCommand,
  },
  send: {
    summary: 'send a task, or any payload, to an agent',
    load: async () => (await import('./send/command.ts')).sendCommand,
  },
  call: {
    summary: 'call a tool of an agent',
    load: async () => (await import('./call/command.ts')).callCommand,
  },
  tasks: {
    summary: 'the tasks of an agent: list, watch, cancel, answer, retry',
    load: async () => (await import('./tasks/command.ts')).tasksCommand,
  },
  peers: {
    summary: 'the agents that this home knows',
    load: async () => (await import('./peers/command.ts')).peersCommand,
  },
  card: {
    summary: 'agent cards of A2A: show one, verify it, sign it',
    load: async () => (await import('./card/command.ts')).cardCommand,
  },
  credentials: {
    summary: 'secrets for agents of A2A, each for one origin',
    load: async () => (await import('./credentials/command.ts')).credentialsCommand,
  },
  callers: {
    summary: 'who may speak to the agent in other dialects, and what they may do',
    load: async () => (await import('./callers/command.ts')).callersCommand,
  },
  steerqa: {
    summary: 'SteerQA: send an offer, check messages and events',
    load: async () => (await import('./steerqa/command.ts')).steerqaCommand,
  },
  swp: {
    summary: 'frames of the SWP wire: read, write and send them',
    load: async () => (await import('./swp/command.ts')).swpCommand,
  },
  keys: {
    summary: 'the identities of this home and their keys',
    load: async () => (await import('./keys/command.ts')).keysCommand,
  },
  sign: {
    summary: 'make a signed message from a payload or an envelope',
    load: async () => (await import('./sign/command.ts')).signCommand,
  },
  encrypt: {
    summary: 'make a signed and encrypted message from a payload or an envelope',
    load: async () => (await import('./sign/command.ts')).encryptCommand,
  },
  inspect: {
    summary: 'show what a receiver makes of a message, check by check',
    load: async () => (await import('./inspect/command.ts')).inspectCommand,
  },
  verify: {
    summary: 'say whether the signature of a message holds',
    load: async () => (await import('./inspect/verify.ts')).verifyCommand,
  },
  decrypt: {
    summary: 'open the payload of an encrypted message',
    load: async () => (await import('./inspect/decrypt.ts')).decryptCommand,
  },
  audit: {
    summary: 'what was received and answered, receipts of others, and evidence of both',
    load: async () => (await import('./audit/command.ts')).auditCommand,
  },
  evidence: {
    summary: 'records of tasks in the form of Assay: convert packets, look at a run, check it',
    load: async () => (await import('./evidence/command.ts')).evidenceCommand,
  },
  store: {
    summary: 'what the daemon keeps: upgrade, check and copy it',
    load: async () => (await import('./store/command.ts')).storeCommand,
  },
  schema: {
    summary: 'content types, their schemas, and what fits them',
    load: async () => (await import('./schema/command.ts')).schemaCommand,
  },
  doctor: {
    summary: 'find out what is wrong with this installation and this home',
    load: async () => (await import('./doctor/command.ts')).doctorCommand,
  },
  completion: {
    summary: 'print a script by which bash, zsh or fish completes command lines',
    load: async () => (await import('./completion/command.ts')).completionCommand,
  },
};
