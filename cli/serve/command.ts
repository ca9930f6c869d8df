// Owns the command `serve`: runs the peer daemon until it is interrupted.

import { PACKAGE_VERSION } from '../../src/version.ts';
import { homeOption } from '../kit/command-line.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { startDaemon } from '../daemon/daemon.ts';
import { EXIT } from '../kit/exit.ts';
import { holdHome } from '../home/hold.ts';
import { readPassphrase } from '../home/passphrase-file.ts';
import { warnOfOpenSecret } from '../kit/secret-input.ts';
import { readDaemonConfig } from './config.ts';
import { createLog } from './log.ts';
import { SERVE_OPTIONS } from './options.ts';
import { hasPassword, shownAddress } from '../store/address.ts';

export const serveCommand: Action = {
  name: 'serve',
  summary: 'run the peer daemon',
  options: SERVE_OPTIONS,
  notes: [
    'Listens on HTTP, WebSocket and a Unix socket. Makes its keys on the first run.\n' +
      'Without --handler, --exec and --upstream it does tasks such as "sum 1 2 3" with its own tools.\n' +
      'SIGINT and SIGTERM let what is in flight end first; a second one does not. One daemon runs on a home.',
    'Other homes of this user on this machine reach it at its socket, too: "a2a-sdl peers add ipc:PATH", with\n' +
      'the ipc address that it prints.',
    'It logs one line an event on stderr: the time, the outcome, who, which task, how long, why. With --json\n' +
      'the lines are JSON on stdout, the first of them {"event":"ready",...}.',
  ],
  examples: [
    'a2a-sdl serve',
    'a2a-sdl serve --http 127.0.0.1:0 --json',
    "a2a-sdl serve --exec 'python3 agent.py'",
    'a2a-sdl serve --upstream http://127.0.0.1:9999',
    'a2a-sdl serve --handler ./agent.mjs --require enc+sig',
    'a2a-sdl serve --http 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem --open',
    'a2a-sdl serve --admin-token @token.txt',
    'a2a-sdl serve --evidence ./evidence',
  ],
  async run(context) {
    const { options, home, crypto, now } = context;
    const interrupted = context.interrupted();
    context.outliveReaders();
    const config = await readDaemonConfig(options, home);
    const log = createLog(context);
    warnOfOpenSecret(context, 'admin-token', () => true);
    warnOfOpenSecret(context, 'store', hasPassword);
    warnOfOpenSecret(context, 'replay', hasPassword);
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
        isHomeHeld: true,
        ...(passphrase !== undefined && { passphrase }),
        log,
      });
      const { ipc } = daemon.urls;
      const evidence = daemon.evidence === undefined ? {} : { evidence: daemon.evidence };
      const isTls = config.tls !== undefined && daemon.tlsUntilMs !== undefined;
      const tls = isTls ? { tlsCert: config.tls.cert, tlsUntilMs: daemon.tlsUntilMs } : {};
      held.tell({ ...status, ipc, ...tls, ...evidence, state: 'ready' }, async () => ({
        stores: (await daemon.doStoresAnswer()) ? 'answer' : 'silent',
      }));
      announce(daemon, context);
      log.open();
      await untilAborted(interrupted);
      held.tell({ ...status, ipc, state: 'stopping' });
      log.step('stopping', 'stopping: letting what is in flight end');
      await daemon.stop();
      log.close();
      log.step('stopped', 'stopped');
      return EXIT.ok;
    } finally {
      log.open();
      await held.release();
    }
  },
};

function announce({ home, urls, evidence }: Daemon, context: CommandContext): void {
  const { terminal, home: paths, options, program } = context;
  const { agentId } = home.identities.agent;
  const ready = {
    event: 'ready',
    time: new Date(context.now()).toISOString(),
    agent_id: agentId,
    ...Object.fromEntries(
      Object.entries(urls).map(([name, url]) => [
        name.replaceAll('-', '_'),
        // A socket of the machine is told by its path.
        url.replace(/^unix:/, ''),
      ]),
    ),
    ...(evidence !== undefined && { evidence }),
  };
  terminal.result(ready, () => {
    if (home.created.length > 0) terminal.print(`made new keys in ${paths.keys}`);
    const file = evidence === undefined ? [] : [['evidence', evidence]];
    terminal.table([['agent', agentId], ...Object.entries(urls), ...file]);
    const isOwn = ['exec', 'handler', 'upstream'].every((name) => !options.flag(name));
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

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
