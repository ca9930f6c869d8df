// Owns what `serve` can be called with.

import type { CommandOption } from '../kit/command.ts';
import { PASSPHRASE_OPTION } from '../home/passphrase-file.ts';

const text = (value: string, description: string): CommandOption => ({
  type: 'string',
  value,
  description,
});
const flag = (description: string): CommandOption => ({ type: 'boolean', description });

export const SERVE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  http: text(
    'HOST:PORT',
    'where to listen for HTTP and WebSocket (default 127.0.0.1:8787; a port alone is this machine only, port 0 takes any)',
  ),
  'public-url': text(
    'URL',
    'where others reach it, when that is not where it listens: a name, a proxy',
  ),
  'allow-host': {
    type: 'string',
    multiple: true,
    value: 'HOST',
    description: 'one more Host header to answer to, such as agent.example',
  },
  ipc: text(
    'PATH',
    'the Unix socket (default: run/agent.sock in the home); its address is ipc:PATH',
  ),
  'ipc-tcp': text('HOST:PORT', 'also listen on loopback TCP, for local peers without Unix sockets'),
  swp: text(
    'HOST:PORT',
    'also speak SWP there: with --tls-* to callers with client certificates, without on this machine only',
  ),
  'swp-unix': text('PATH', 'also speak SWP on a Unix socket, whose callers are you'),
  profile: text('NAME', 'hardened (default), or compat: what peers of the Python reference need'),
  compat: {
    type: 'string',
    multiple: true,
    value: 'SWITCH',
    description: 'one switch of the compat profile, for every peer',
  },
  require: text('MODE', 'the weakest mode that is accepted: none, sig (default), enc or enc+sig'),
  open: flag('let in strangers who prove that their did:key is theirs'),
  anonymous: {
    type: 'string',
    multiple: true,
    value: 'FACE',
    description:
      'let in who proves nothing on this face (a2a, swp, steerqa); only where this machine alone reaches it',
  },
  steerqa: text('PATH', 'take SteerQA offers at this path of --http, such as /task_offer'),
  'steerqa-agent': {
    type: 'string',
    multiple: true,
    value: 'NAME@VERSION',
    description: 'a build that offers may ask for (default: any)',
  },
  evidence: text(
    'DIR',
    'write a record of each task message that is accepted, and of each status and artifact that is sent, in the form of Assay',
  ),
  'evidence-raw': text(
    'DIR',
    'with --evidence: also keep the bytes of those messages, as they came',
  ),
  'evidence-required': flag('with --evidence: refuse a message whose record cannot be written'),
  'no-a2a': flag('do not speak official A2A (JSON-RPC at /rpc, REST at /)'),
  grpc: text(
    'HOST:PORT',
    'also speak official A2A over gRPC there (needs npm install @grpc/grpc-js); with --tls-* encrypted',
  ),
  'grpc-public-url': text('URL', 'where others reach it, such as https://agent.example:443'),
  'a2a-profile': text('VERSION', 'the text of A2A 1.0 that counts: 1.0.1 (default) or 1.0.0'),
  'a2a-card': text(
    'FORM',
    'the agent card for clients that do not say their version: superset (default) or strict',
  ),
  'a2a-sealed': text(
    'POLICY',
    'messages of official A2A sealed from end to end: prefer (default), require (plain ones are refused) or none',
  ),
  'allow-loopback-hooks': flag(
    'also tell web hooks of official A2A that are on this machine; otherwise only public ones',
  ),
  'sign-hooks': flag('sign every notice to a web hook of official A2A'),
  store: text(
    'URL',
    'sqlite:PATH (default: data/store.db in the home), postgres://… for several nodes, or memory:',
  ),
  replay: text(
    'URL',
    'nonces, sessions and the rates of agents in redis://… instead; @FILE reads an address from a file',
  ),
  handler: text('FILE', 'an ES module that exports onTask, contents or tools'),
  exec: text(
    'COMMAND',
    'a program that does the tasks (no shell: write sh -c for one): JSON on its input, output streams back',
  ),
  upstream: {
    type: 'string',
    multiple: true,
    value: '[NAME=]CARD_URL',
    description:
      'an agent of official A2A that does the tasks; with several, a task says by its kind which one',
  },
  'tls-cert': text('FILE', 'the certificate chain (PEM): makes HTTP and WebSocket https and wss'),
  'tls-key': text('FILE', 'its private key (PEM)'),
  'tls-ca': text('FILE', 'authorities of client certificates (PEM)'),
  'require-client-cert': flag('accept no connection without a client certificate'),
  'admin-token': text('TOKEN', 'opens /metrics; @FILE reads it from a file'),
  verbose: flag('log where an unexpected failure came from, too (with --json always)'),
  name: text('NAME', 'what peers are told besides the id (default: agent)'),
  config: text('FILE', 'a JSON file with these settings; what the command line says counts more'),
  'passphrase-file': PASSPHRASE_OPTION,
};
