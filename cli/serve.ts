// Owns the command `serve`: runs the peer daemon until it is interrupted.

import type { Outcome } from '../src/index.ts';
import type { Action, CommandContext } from './command.ts';
import type { Daemon } from './daemon.ts';
import { startDaemon } from './daemon.ts';
import { EXIT } from './exit.ts';
import { readPassphrase } from './passphrase-file.ts';
import { shellWord } from './private-folder.ts';
import { readDaemonConfig } from './serve-config.ts';
import { SERVE_OPTIONS } from './serve-options.ts';

export const serveCommand: Action = {
  name: 'serve',
  summary: 'run the peer daemon',
  options: SERVE_OPTIONS,
  notes: [
    'Listens on HTTP, WebSocket and a Unix socket. Makes its keys on the first run.\n' +
      'Without --handler and --exec it does tasks such as "sum 1 2 3" with its own tools.\n' +
      'SIGINT and SIGTERM let what is in flight end first.',
  ],
  examples: [
    'a2a-sdl serve',
    'a2a-sdl serve --http 127.0.0.1:0 --json',
    "a2a-sdl serve --exec 'python3 agent.py'",
    'a2a-sdl serve --handler ./agent.mjs --require enc+sig',
    'a2a-sdl serve --http 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem --open',
  ],
  async run(context) {
    const { options, home, crypto, now, terminal } = context;
    const interrupted = context.interrupted();
    const config = await readDaemonConfig(options, home);
    const passphrase = await readPassphrase(context);
    const daemon = await startDaemon({
      config,
      home,
      crypto,
      now,
      ...(passphrase !== undefined && { passphrase }),
      onOutcome: (outcome) => tellOutcome(outcome, context),
      onError: (what, cause) => terminal.note(`${what}: ${wordsOf(cause)}`),
    });
    announce(daemon, context);
    await untilAborted(interrupted);
    terminal.note('stopping: letting what is in flight end');
    await daemon.stop();
    return EXIT.ok;
  },
};

function announce(
  { home, urls }: Daemon,
  { terminal, home: paths, options, program }: CommandContext,
): void {
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
    const place = options.text('home') === undefined ? '' : ` --home ${shellWord(paths.root)}`;
    terminal.print();
    if (isWildcard(urls.http)) {
      terminal.note(
        'others cannot reach an agent at this address: say where they do with --public-url https://NAME:PORT/a2a',
      );
    }
    terminal.print('In another terminal:');
    terminal.print(`  ${program} send agent "${goal}"${place}`);
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
