// Owns what a Redis server must be before nonces are entrusted to it: one that keeps what it was given.

import { StoreError } from '../../src/stores/index.ts';
import type { Reply } from './driver.ts';
import { refusalOf } from './driver.ts';
import type { RedisLink } from './link.ts';

export interface ServerDemands {
  readonly allowEviction: boolean;
  readonly onWarning: (message: string) => void;
}

const FORMAT = '1';

export async function checkServer(link: RedisLink, demands: ServerDemands): Promise<void> {
  const { allowEviction, onWarning } = demands;
  const info = await textUnlessRefused(link.send('INFO'));
  if (info === undefined) {
    onWarning(
      'the Redis user may not run INFO, so nothing was checked: make sure that maxmemory-policy is noeviction and appendonly is yes',
    );
    return;
  }
  const facts = factsOf(info);
  if (facts.get('cluster_enabled') === '1') {
    throw new StoreError(
      'unsafe',
      'Redis Cluster is not supported: give the URL of a single server, which may have replicas',
    );
  }
  const policy = facts.get('maxmemory_policy');
  if (policy !== 'noeviction') {
    const words = `Redis would evict nonces when it is full (maxmemory-policy ${policy}), and evicted messages can be replayed: run "CONFIG SET maxmemory-policy noeviction" and put it into redis.conf`;
    if (!allowEviction) {
      throw new StoreError('unsafe', `${words}, or accept it with the option allowEviction`);
    }
    onWarning(words);
  }
  await checkPersistence(link, facts, onWarning);
}

/** Every process of a store writes the same format. */
export async function checkFormat(link: RedisLink, base: string): Promise<void> {
  const key = `${base}format`;
  await link.send('SET', key, FORMAT, 'NX');
  const format = String(await link.send('GET', key));
  if (format !== FORMAT) {
    throw new StoreError(
      'newer',
      `the data in Redis have format ${format}, this version knows ${FORMAT}: use a later version of a2a-sdl, or another prefix`,
    );
  }
}

async function checkPersistence(
  link: RedisLink,
  facts: ReadonlyMap<string, string>,
  onWarning: (message: string) => void,
): Promise<void> {
  if (facts.get('aof_enabled') !== '1') {
    onWarning(
      'Redis keeps no append-only file, so a restart of it forgets nonces, and their messages can be replayed until they expire: set appendonly to yes',
    );
    return;
  }
  const config = await textUnlessRefused(link.send('CONFIG', 'GET', 'appendfsync'));
  const appendFsync = config?.split(',')[1];
  if (appendFsync === 'always') return;
  onWarning(
    appendFsync === undefined
      ? 'the Redis user may not run CONFIG GET: unless appendfsync is always, a power failure can make Redis forget its last nonces'
      : `a power failure can make Redis forget its last nonces (appendfsync ${appendFsync}): set appendfsync to always where that matters`,
  );
}

/** A list comes as its items with commas between them. */
async function textUnlessRefused(answer: Promise<Reply>): Promise<string | undefined> {
  try {
    return String(await answer);
  } catch (thrown) {
    // Managed servers rename or forbid such commands: that is no failure. But no answer at all is one.
    if (thrown instanceof StoreError && refusalOf(thrown.cause) !== undefined) return undefined;
    throw thrown;
  }
}

function factsOf(info: string): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const line of info.split('\r\n')) {
    const at = line.indexOf(':');
    if (at > 0) facts.set(line.slice(0, at), line.slice(at + 1));
  }
  return facts;
}
