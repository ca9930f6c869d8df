// Our side of the interop suites: a home that knows some peers of the reference, and its daemon, run by the command line.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';

import { main } from '../../cli/program.ts';
import type { JsonObject } from '../../src/index.ts';
import { parse, textOf } from '../support/wire/bytes.ts';
import type { CliRun } from '../support/agents/cli.ts';
import { runCli } from '../support/agents/cli.ts';

/** A public key as peers of the reference are told of it. */
interface PublicKey {
  readonly kid: string;
  readonly public: string;
}

export interface OurIdentity {
  readonly agentId: string;
  readonly sign: PublicKey;
  readonly enc: PublicKey;
}

/** A home of its own; it goes with {@link OurHome.remove}. */
export class OurHome {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<OurHome> {
    const home = new OurHome(await mkdtemp(join(tmpdir(), 'interop-')));
    await home.succeed('init');
    return home;
  }

  /** The command line in this home, at the time that the reference lives in too. */
  run(...words: string[]): Promise<CliRun> {
    return runCli([...words, '--home', this.path, '--json'], { nowMs: Date.now() });
  }

  /** With `input` on stdin. */
  feed(input: string, ...words: string[]): Promise<CliRun> {
    return runCli([...words, '--home', this.path, '--json'], { nowMs: Date.now(), input });
  }

  async succeed(...words: string[]): Promise<JsonObject> {
    const ran = await this.run(...words);
    if (ran.code !== 0) throw new Error(ran.stderr);
    return ran.json() as JsonObject;
  }

  async identity(role: 'agent' | 'operator'): Promise<OurIdentity> {
    const keyFor = async (use: string): Promise<PublicKey> => {
      const { kid, key } = await this.succeed('keys', 'export', role, '--use', use);
      return { kid: kid as string, public: key as string };
    };
    const { agent_id: agentId } = await this.succeed('keys', 'show', role);
    return { agentId: agentId as string, sign: await keyFor('sig'), enc: await keyFor('enc') };
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

export interface OurDaemon {
  readonly addresses: Readonly<Record<'http' | 'ws' | 'ipc', string>>;
  /** What it said of each message, in order: `verdict`, and `reason` where it refused. */
  readonly messages: readonly JsonObject[];
  readonly stop: () => Promise<void>;
}

/** `a2a-sdl serve` in this process, on ports that are free, until it is stopped. */
export async function serveDaemon(home: OurHome, ...words: string[]): Promise<OurDaemon> {
  const stopping = new AbortController();
  const messages: JsonObject[] = [];
  let said = '';
  let onReady: (ready: JsonObject) => void;
  const ready = new Promise<JsonObject>((resolve) => (onReady = resolve));
  const stdout = lineReader((line) => {
    const event = parse(line) as JsonObject;
    if (event['event'] === 'ready') onReady(event);
    else messages.push(event);
  });
  const stderr = lineReader((line) => (said += `${line}\n`));
  const anyPort = ['--http', '127.0.0.1:0', '--ipc-tcp', '127.0.0.1:0'];
  const ended = main(['serve', ...anyPort, '--home', home.path, '--json', ...words], {
    stdin: new PassThrough().end(),
    stdout,
    stderr,
    env: {},
    interrupted: () => stopping.signal,
  });
  const failed = ended.then((): never => {
    throw new Error(`the daemon ended: ${said}`);
  });
  const { http, ws, ipc_tcp: ipc } = await Promise.race([ready, failed]);
  failed.catch(() => {});
  return {
    addresses: { http: http as string, ws: ws as string, ipc: ipc as string },
    messages,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

function lineReader(onLine: (line: string) => void): Writable {
  let rest = '';
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      const lines = (rest + textOf(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
      done();
    },
  });
}
