// Owns `serve --upstream`: the daemon as a bridge to agents of official A2A, with the pins and secrets of its home.
// SPEC.md section 20.2 (#bridge-asked).

import { a2aBridge } from '../../profiles/a2a/index.ts';
import type { A2aBridge } from '../../profiles/a2a/index.ts';
import { openA2aWay } from '../a2a/way.ts';
import type { UpstreamConfig } from '../serve/upstreams.ts';
import type { DaemonOptions } from './daemon.ts';

export interface LiveBridge {
  readonly bridge: A2aBridge;
  /** Takes in secrets that were changed meanwhile. */
  reloadIfChanged(): Promise<void>;
}

export async function openUpstreams(
  { upstreams, maxAwayMs }: UpstreamConfig,
  { home, log, now }: Pick<DaemonOptions, 'home' | 'log' | 'now'>,
): Promise<LiveBridge> {
  const way = await openA2aWay(home, {});
  const named = Object.entries(upstreams).map(([name, settings]) => {
    const client = way.optionsFor(settings.url);
    return [name, { ...settings, client }] as const;
  });
  const bridge = a2aBridge({
    upstreams: Object.fromEntries(named),
    ...(maxAwayMs !== undefined && { maxAwayMs }),
    now,
    onNotice: (words, task) => log.error('the bridge', words, task),
  });
  return { bridge, reloadIfChanged: () => way.reloadIfChanged() };
}
