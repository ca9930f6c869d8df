// A daemon that cannot start leaves nothing running.

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { parseWords } from '../../../cli/kit/arguments.ts';
import { startDaemon } from '../../../cli/daemon/daemon.ts';
import { homeAt } from '../../../cli/home/home.ts';
import { OptionValues } from '../../../cli/kit/option-values.ts';
import { readDaemonConfig } from '../../../cli/serve/config.ts';
import { SERVE_OPTIONS } from '../../../cli/serve/options.ts';
import { crypto } from '../../support/agents/agents.ts';
import { newCliHome } from '../../support/agents/cli.ts';
import { quietLog } from '../../support/agents/quiet-log.ts';

describe('a daemon that cannot start', () => {
  test('does not go on looking for changes of keys and peers', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const home = homeAt(newCliHome());
    const { given } = parseWords(['--http', '127.0.0.1:0', '--store', 'memory:'], SERVE_OPTIONS);
    const options = new OptionValues(Object.keys(SERVE_OPTIONS), given);
    const config = { ...(await readDaemonConfig(options, home)), handlerTimeoutMs: 0 };
    const started = startDaemon({
      config,
      home,
      crypto,
      now: Date.now,
      log: quietLog(),
    });
    await expect(started).rejects.toThrow('"timeouts.handlerMs" expected');
    expect(vi.getTimerCount()).toBe(0);
  });
});
