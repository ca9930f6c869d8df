// The daemon and its callers: of the configuration and of the book, and what is changed while it runs.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import type { Daemon } from '../../../cli/daemon/daemon.ts';
import { startDaemon } from '../../../cli/daemon/daemon.ts';
import { homeAt } from '../../../cli/home/home.ts';
import { parseWords } from '../../../cli/kit/arguments.ts';
import { OptionValues } from '../../../cli/kit/option-values.ts';
import { readDaemonConfig } from '../../../cli/serve/config.ts';
import { SERVE_OPTIONS } from '../../../cli/serve/options.ts';
import type { Shown } from '../../../src/door/principal.ts';
import { crypto } from '../../support/agents/agents.ts';
import { newFile, runCli } from '../../support/agents/cli.ts';
import { quietLog } from '../../support/agents/quiet-log.ts';
import { TOKEN } from '../../support/auth/attempts.ts';

const OTHER = 'another-token-of-another-machine';

interface Running {
  readonly home: string;
  readonly daemon: Daemon;
  readonly told: string[];
  /** The id of who shows this, or the code of the refusal. */
  readonly ask: (shown: Partial<Shown>) => Promise<string>;
}

async function start(callers: readonly object[], ...args: string[]): Promise<Running> {
  // Short: the path of a Unix socket has to fit.
  const folder = mkdtempSync(join(tmpdir(), 'c-'));
  const path = join(folder, 'h');
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ callers }));
  const words = ['--http', '127.0.0.1:0', '--store', 'memory:', '--config', config, ...args];
  const { given } = parseWords(words, SERVE_OPTIONS);
  const home = homeAt(path);
  const told: string[] = [];
  const daemon = await startDaemon({
    config: await readDaemonConfig(new OptionValues(Object.keys(SERVE_OPTIONS), given), home),
    home,
    crypto,
    now: Date.now,
    log: quietLog({ error: (text, cause) => void told.push(`${text}: ${String(cause)}`) }),
  });
  onTestFinished(async () => {
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const { authenticate } = await daemon.runtime.listenContext();
  const ask = async (shown: Partial<Shown>): Promise<string> => {
    try {
      return (await authenticate({ face: 'test', address: '192.0.2.1', ...shown })).principal.id;
    } catch (thrown) {
      return (thrown as { code: string }).code;
    }
  };
  return { home: path, daemon, told, ask };
}

const shown = (token: string): Partial<Shown> => ({ authorization: `Bearer ${token}` });

describe('#callers-live callers of a running daemon', () => {
  test('are those of its configuration and those that are added; a revoked one is out at once', async () => {
    const file = newFile('token.txt', TOKEN);
    const { home, ask } = await start([{ name: 'ci', bearer: `@${file}` }]);
    expect(await ask(shown(TOKEN))).toBe('~bearer:ci');
    expect(await ask(shown(OTHER))).toBe('UNAUTHENTICATED');
    const secret = `@${newFile('other.txt', OTHER)}`;
    await runCli(['callers', 'add', 'web', '--bearer', secret, '--home', home]);
    await vi.waitFor(async () => expect(await ask(shown(OTHER))).toBe('~bearer:web'), 5_000);
    await runCli(['callers', 'revoke', 'web', '--home', home]);
    await vi.waitFor(async () => expect(await ask(shown(OTHER))).toBe('UNAUTHENTICATED'), 5_000);
    expect(await ask(shown(TOKEN))).toBe('~bearer:ci');
  });

  test('that clash with the configuration are left out alone, with a word in the log', async () => {
    const file = newFile('token.txt', TOKEN);
    const { home, ask, told } = await start([{ name: 'ci', bearer: `@${file}` }]);
    for (const [name, text] of [
      ['ci', OTHER],
      ['web', `${OTHER}-2`],
    ]) {
      const secret = `@${newFile('other.txt', text!)}`;
      await runCli(['callers', 'add', name!, '--bearer', secret, '--home', home]);
    }
    await vi.waitFor(async () => expect(await ask(shown(`${OTHER}-2`))).toBe('~bearer:web'), 5_000);
    expect(await ask(shown(OTHER))).toBe('UNAUTHENTICATED');
    expect(told[0]).toContain('the caller "ci" of the book is left out');
    expect(told.join()).not.toContain(OTHER);
  });

  test('that are a peer end with the peer', async () => {
    const { home, ask, daemon } = await start([]);
    const { agentId } = daemon.home.identities.operator;
    const secret = `@${newFile('token.txt', TOKEN)}`;
    const args = ['callers', 'add', 'me', '--bearer', secret, '--peer', 'operator'];
    await runCli([...args, '--home', home]);
    await vi.waitFor(async () => expect(await ask(shown(TOKEN))).toBe(agentId), 5_000);
    await daemon.home.books.agent.revoke(agentId);
    expect(await ask(shown(TOKEN))).toBe('UNAUTHENTICATED');
  });

  test('are anonymous only on the faces that were named', async () => {
    const { ask } = await start([], '--anonymous', 'steerqa');
    expect(await ask({ face: 'steerqa' })).toBe('~none:steerqa');
    expect(await ask({ face: 'swp' })).toBe('UNAUTHENTICATED');
    expect(await ask({ isLocalOwner: true })).toBe('~local:operator');
  });
});
