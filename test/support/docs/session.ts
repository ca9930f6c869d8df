// Owns the run of a document's commands by a real shell: homes of their own, daemons behind `serve`, free ports.

import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

import { makeCertificate } from '../wire/certificates.ts';
import { freePort } from '../wire/free-port.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Inside node_modules, so that the packages are found from there. */
const BUILD = join(ROOT, 'node_modules/.cache/a2a-sdl-docs');

export interface Ran {
  readonly code: number;
  readonly output: string;
}

/** Compiles the program once, as it is published. */
export function buildProgram(): void {
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(tsc, ['-p', 'tsconfig.build.json', '--outDir', BUILD], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stdout);
  writeFileSync(join(BUILD, 'package.json'), '{"type":"module"}');
}

/** What stands in a document, and what stands for it here. */
type Names = readonly (readonly [inDocument: string | RegExp, here: string])[];

export class DocsSession {
  /** Where the commands run, and where the files of the document are. */
  readonly folder: string = mkdtempSync(join(tmpdir(), 'docs-'));
  readonly #daemons = new Map<string, ChildProcess>();
  readonly #names: Names;
  readonly #port: number;

  private constructor(names: Names, port: number) {
    this.#port = port;
    this.#names = names;
    mkdirSync(join(this.folder, 'bin'));
    const program = join(this.folder, 'bin/a2a-sdl');
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${BUILD}/cli/main.js" "$@"\n`);
    chmodSync(program, 0o755);
    const certificate = makeCertificate('bob.example');
    if (certificate === undefined) return;
    for (const name of ['cert.pem', 'ca.pem']) this.write(name, certificate.cert);
    this.write('key.pem', certificate.key);
  }

  /** `names` stand in a document for what differs from machine to machine. */
  static async open(names: Readonly<Record<string, string>> = {}): Promise<DocsSession> {
    const [port, otherPort] = await Promise.all([freePort(), freePort()]);
    const all: Names = [
      ...Object.entries(names),
      ['0.0.0.0', '127.0.0.1'],
      ['bob.example', '127.0.0.1'],
      [/\b8787\b/g, String(port)],
      [/\b8443\b/g, String(otherPort)],
    ];
    return new DocsSession(all, port);
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text, { mode: 0o600 });
  }

  /** Runs one command in a home; `serve` goes on until the next `serve` of that home. */
  async run(
    command: string,
    home = 'home',
    more: Readonly<Record<string, string>> = {},
  ): Promise<Ran> {
    let line = command;
    for (const [name, value] of [...Object.entries(more), ...this.#names]) {
      line = line.replaceAll(name, value);
    }
    if (!/^a2a-sdl serve\b(?!.*--help)/.test(line)) return this.#finish(line, home);
    await this.#stop(home);
    return this.#serve(/--(http|config)\b/.test(line) ? line : this.#onOurPort(line), home);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#daemons.keys()].map((home) => this.#stop(home)));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #onOurPort(line: string): string {
    return line.replace('a2a-sdl serve', `a2a-sdl serve --http 127.0.0.1:${this.#port}`);
  }

  #start(line: string, home: string): ChildProcess {
    return spawn('sh', ['-c', line], {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: `${join(this.folder, 'bin')}${delimiter}${process.env['PATH']}`,
        A2A_SDL_HOME: join(this.folder, home),
      },
    });
  }

  async #finish(line: string, home: string): Promise<Ran> {
    const child = this.#start(line, home);
    const output = outputOf(child);
    const [code] = (await once(child, 'close')) as [number];
    return { code, output: output() };
  }

  async #serve(line: string, home: string): Promise<Ran> {
    const child = this.#start(`exec ${line} --json`, home);
    const output = outputOf(child);
    this.#daemons.set(home, child);
    const isReady = (async () => {
      for await (const said of createInterface({ input: child.stdout! })) {
        if (said.includes('"ready"')) return true;
      }
      return false;
    })();
    return { code: (await isReady) ? 0 : 1, output: output() };
  }

  async #stop(home: string): Promise<void> {
    const child = this.#daemons.get(home);
    if (child === undefined) return;
    this.#daemons.delete(home);
    if (child.exitCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }
}

function outputOf(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk: Uint8Array) => (output += new TextDecoder().decode(chunk)));
  }
  return () => output;
}
