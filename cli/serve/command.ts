// Owns the command `serve`: runs the peer daemon until it is interrupted.

import type { Outcome } from '../../src/internal.ts';
import { PACKAGE_VERSION } from '../../src/version.ts';
import { homeOption } from '../kit/command-line.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { startDaemon } from '../daemon/daemon.ts';
import { EXIT } from '../kit/exit.ts';
import { holdHome } from '../home/hold.ts';
import { readPassphrase } from '../home/passphrase-file.ts';
import { readDaemonConfig } from './config.ts';
import { SERVE_OPTIONS } from './options.ts';
import { shownAddress } from '../store/address.ts';

export const serveCommand: Action = {
  name: 'serve',
  summary: 'run the peer daemon',
  options: SERVE_OPTIONS,
  notes: [
    'Listens on HTTP, WebSocket and a Unix socket. Makes its keys on the first run.\n' +
      'Without --handler and --exec it does tasks such as "sum 1 2 3" with its own tools.\n' +
      'SIGINT and SIGTERM let what is in flight end first. One daemon runs on a home.',
  ],
  examples: [
    'a2a-sdl serve',
    'a2a-sdl serve --http 127.0.0.1:0 --json',
    "a2a-sdl serve --exec 'python3 agent.py'",
    'a2a-sdl serve --handler ./agent.mjs --require enc+sig',
    'a2a-sdl serve --http 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem --open',
    'a2a-sdl serve --admin-token @token.txt',
  ],
  async run(context) {
    const { options, home, crypto, now, terminal } = context;
    const interrupted = context.interrupted();
    const config = await readDaemonConfig(options, home);
    warnOfToken(context);
    const passphrase = await readPassphrase(context);
    const status = {
      pid: process.pid,
      version: PACKAGE_VERSION,
      store: shownAddress(config.store),
    };
    const held = await holdHome(home, { ...status, state: 'starting' });
    try {
      const daemon = await startDaemon({
        config,
        home,
        crypto,
        now,
        ...(passphrase !== undefined && { passphrase }),
        onOutcome: (outcome) => tellOutcome(outcome, context),
        onError: (what, cause) => terminal.note(`${what}: ${wordsOf(cause)}`),
      });
      const { ipc } = daemon.urls;
      held.tell({ ...status, ipc, state: 'ready' });
      announce(daemon, context);
      await untilAborted(interrupted);
      held.tell({ ...status, ipc, state: 'stopping' });
      terminal.note('stopping: letting what is in flight end');
      await daemon.stop();
      return EXIT.ok;
    } finally {
      await held.release();
    }
  },
};

/** The command line of a process can be read by every user of the machine. */
function warnOfToken({ options, terminal }: CommandContext): void {
  const token = options.text('admin-token');
  if (token === undefined || token.startsWith('@')) return;
  terminal.note(
    'others on this machine can read the admin token of this process: write it to a file and give --admin-token @FILE',
  );
}

function announce({ home, urls }: Daemon, context: CommandContext): void {
  const { terminal, home: paths, options, program } = context;
  const { agentId } = home.identities.agent;
  const ready = {
    event: 'ready',
    agent_id: agentId,
    http: urls.http,
    ws: urls.ws,
    ipc: urls.ipc,
    ...(urls.ipcTcp !== undefined && { ipc_tcp: urls.ipcTcp }),
  };
  terminal.result(ready, () => {
    if (home.created.length > 0) terminal.print(`made new keys in ${paths.keys}`);
    terminal.table([
      ['agent', agentId],
      ['http', urls.http],
      ['ws', urls.ws],
      ['ipc', urls.ipc],
      ...(urls.ipcTcp === undefined ? [] : [['ipc-tcp', urls.ipcTcp]]),
    ]);
    const isOwn = options.text('exec') === undefined && options.text('handler') === undefined;
    const goal = isOwn ? 'sum 1 2 3' : 'YOUR GOAL';
    terminal.print();
    if (isWildcard(urls.http)) {
      terminal.note(
        'others cannot reach an agent at this address: say where they do with --public-url https://NAME:PORT/a2a',
      );
    }
    terminal.print('In another terminal:');
    terminal.print(`  ${program} send agent "${goal}"${homeOption(context)}`);
    terminal.print(`You speak as ${home.identities.operator.agentId}`);
    terminal.print(
      `Another agent lets you in with: ${program} peers add ${home.identities.operator.agentId}`,
    );
  });
}

/** Every address of the machine: nobody can dial that. */
function isWildcard(url: string): boolean {
  return /^https?:\/\/(0\.0\.0\.0|\[::\])/.test(url);
}

/** One line a message; with `--json` one JSON object. Never what a message said. */
function tellOutcome(outcome: Outcome, { terminal }: CommandContext): void {
  const { transport, ct, from, id, stage, error, isRetry, durationMs } = outcome;
  if (terminal.isJson) {
    terminal.json({
      event: 'message',
      transport,
      verdict: error?.code ?? 'ok',
      ...(id !== undefined && { id }),
      ...(ct !== undefined && { ct }),
      ...(from !== undefined && { from }),
      ...(stage !== undefined && { stage }),
      ...(error !== undefined && { reason: error.reason }),
      retry: isRetry,
      ms: durationMs,
    });
    return;
  }
  const verdict =
    error === undefined
      ? terminal.style('green', isRetry ? 'retry' : 'ok')
      : terminal.style('red', error.code);
  const why = error === undefined ? '' : ` at ${stage}: ${error.reason}`;
  terminal.note(
    `${verdict} ${transport} ${ct ?? '-'} from ${from ?? 'unknown'} ${durationMs} ms${why}`,
  );
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
