// Owns several daemons that are one agent: the same keys in homes of their own, one PostgreSQL, perhaps one Redis.

import { randomUUID } from 'node:crypto';
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ReadyHome } from '../../../cli/home/init.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { Incoming } from '../../../src/transport.ts';
import { openHome } from './daemon-peers.ts';
import type { RunningDaemon } from './daemon.ts';
import { daemonFile, daemonFolder, startDaemon } from './daemon.ts';
import { schemaAt, server } from '../stores/postgres.ts';
import { frameLine } from '../wire/raw-lines.ts';

export interface Cluster {
  readonly home: ReadyHome;
  /** Where the keys of the first node are. */
  readonly path: string;
  /** The address of the store, for a file that `@FILE` names. */
  readonly storeFile: string;
  readonly nodes: readonly [RunningDaemon, RunningDaemon];
  /** What the tool `test.run` was called with so far, on whatever node. */
  readonly runs: () => readonly string[];
  /** Lets `test.run` end. */
  readonly openGate: () => void;
}

/**
 * Tasks by their goal: `steps N …` reports N times and hands over the goal, `ask` hands over the reply to its question,
 * `hold` goes on until it is stopped, `twice` too at its first attempt. The tool `test.run` notes its key and waits for the gate.
 */
function handlerText(runs: string, gate: string): string {
  return `
    import { appendFileSync, existsSync } from 'node:fs';
    import { setTimeout } from 'node:timers/promises';
    export async function* onTask({ text: goal }, ctx) {
      const [what, count] = goal.split(' ');
      if (what === 'ask') {
        const reply = await ctx.ask('go on?');
        yield ctx.artifact({ name: 'reply', text: String(reply) });
      } else if (what === 'hold') {
        yield ctx.progress('held');
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      } else if (what === 'twice' && ctx.attempt === 1) {
        yield ctx.progress('held');
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      } else {
        for (let step = 1; step <= Number(count); step += 1) yield ctx.progress('step ' + step);
        yield ctx.artifact({ name: 'answer', text: goal });
      }
    }
    export const tools = [{
      name: 'test.run',
      args: { type: 'object' },
      async run({ key }) {
        appendFileSync(${JSON.stringify(runs)}, key + '\\n');
        while (!existsSync(${JSON.stringify(gate)})) await setTimeout(5);
        return key;
      },
    }];`;
}

/** Nodes that fall silent are missed soon; one address has all the clients. */
const CONFIG = {
  tasks: { lease_s: 2, recover_every_s: 1 },
  admission: {
    max_in_flight: 10_000,
    max_in_flight_per_peer: 10_000,
    rate_per_second: 1_000_000,
    burst: 1_000_000,
  },
};

/** @param admission instead of room for everybody. */
export async function startCluster(
  replay?: string,
  admission: JsonObject = CONFIG.admission,
): Promise<Cluster> {
  const [first, second, folder] = [daemonFolder(), daemonFolder(), daemonFolder()];
  const home = await openHome(first);
  // As on two machines: the keys and the peers are copied, the rest is each node's own.
  rmSync(second, { recursive: true });
  cpSync(first, second, { recursive: true });
  const [runs, gate] = [join(folder, 'runs'), join(folder, 'gate')];
  appendFileSync(runs, '');
  const { url } = server!;
  const schema = schemaAt(`cluster_${randomUUID().slice(0, 8)}`);
  const storeFile = daemonFile(
    'store.url',
    `${url}${url.includes('?') ? '&' : '?'}schema=${schema}\n`,
  );
  const options = [
    '--open',
    `--store=@${storeFile}`,
    `--config=${daemonFile('config.json', JSON.stringify({ ...CONFIG, admission }))}`,
    `--handler=${daemonFile('handler.mjs', handlerText(runs, gate))}`,
    ...(replay === undefined ? [] : [`--replay=${replay}`]),
  ];
  return {
    home,
    path: first,
    storeFile,
    nodes: await Promise.all([startDaemon(first, options), startDaemon(second, options)]),
    runs: () => readFileSync(runs, 'utf8').split('\n').slice(0, -1),
    openGate: () => writeFileSync(gate, ''),
  };
}

/** What a node answers to bytes made by hand. */
export async function answerOf({ urls }: RunningDaemon, message: Incoming): Promise<Incoming> {
  const line = await frameLine(urls.ipc);
  line.send(message);
  const answer = await line.next();
  line.close();
  return answer!;
}
