// Owns what the user says about agents that do the tasks of the daemon: `--upstream`, or `upstreams` in the file of
// `--config`. SPEC.md section 20.2 (#bridge-choice).

import type { UpstreamSettings } from '../../profiles/a2a/bridge/options.ts';
import { isUpstreamName, isUpstreamUrl } from '../../profiles/a2a/bridge/options.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import { usageError } from '../kit/exit.ts';
import type { OptionValues } from '../kit/option-values.ts';

export interface UpstreamConfig {
  readonly upstreams: Readonly<Record<string, UpstreamSettings>>;
  readonly maxAwayMs?: number;
}

/** The only one needs no name. */
const USUAL_NAME = 'upstream';

/** `undefined` where tasks are done here. What the command line names counts more than the file. */
export function upstreamsOf(options: OptionValues, file: JsonObject): UpstreamConfig | undefined {
  const given = options.texts('upstream').map(readUpstream);
  const inFile = isJsonObject(file['upstreams']) ? file['upstreams'] : {};
  const named = new Map<string, UpstreamSettings>();
  for (const [name, settings] of Object.entries(inFile)) {
    assertUpstream(`"upstreams" in the file of --config`, name, (settings as JsonObject)['url']);
    named.set(name, { ...(settings as unknown as UpstreamSettings) });
  }
  const names = given.map(({ name }) => name ?? USUAL_NAME);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw usageError(
      `two agents are called ${twice}`,
      'give each a name: --upstream NAME=CARD_URL, and choose it by the kind of a task',
    );
  }
  for (const [at, { url }] of given.entries()) {
    named.set(names[at]!, { ...named.get(names[at]!), url });
  }
  if (named.size === 0) return undefined;
  const { upstream_away_s: awayS } = file;
  return {
    upstreams: Object.fromEntries(named),
    ...(awayS !== undefined && { maxAwayMs: Math.ceil(Number(awayS) * 1_000) }),
  };
}

function readUpstream(text: string): { readonly name?: string; readonly url: string } {
  const [, name, url = text] = /^([^=/:]*)=(.*)$/s.exec(text) ?? [];
  assertUpstream('--upstream', name ?? USUAL_NAME, url);
  return { url, ...(name !== undefined && { name }) };
}

function assertUpstream(where: string, name: string, url: unknown): void {
  if (!isUpstreamName(name)) {
    throw usageError(
      `${where}: ${JSON.stringify(name.slice(0, 64))} is no name`,
      'use up to 64 letters, digits, "-", "_" and "."',
    );
  }
  if (typeof url !== 'string' || !isUpstreamUrl(url)) {
    throw usageError(
      `${where} expects the address of a card`,
      'such as https://agent.example or NAME=http://127.0.0.1:9999/.well-known/agent-card.json',
    );
  }
}
