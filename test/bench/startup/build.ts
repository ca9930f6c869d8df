// Owns one build of the package that is started: where its entries are, and how its command line is run.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const HOOK = fileURLToPath(new URL('count-modules.mjs', import.meta.url));

export interface Started {
  readonly ms: number;
  readonly stop: () => Promise<void>;
}

export class Build {
  readonly folder: string;
  readonly home: string = mkdtempSync(join(tmpdir(), 'startup-'));

  constructor(folder: string) {
    this.folder = folder;
    if (!existsSync(this.#cli)) throw new Error(`there is no build in ${folder}: npm run build`);
  }

  get #cli(): string {
    return join(this.folder, 'dist/cli/main.js');
  }

  command(...args: string[]): string[] {
    return [this.#cli, ...args, '--home', this.home];
  }

  /** The words that import an entry of the package, such as `./transports/http`. */
  importing(entry: string): string[] {
    const { exports } = JSON.parse(readFileSync(join(this.folder, 'package.json'), 'utf8')) as {
      exports: Readonly<Record<string, { readonly default: string }>>;
    };
    const file = join(this.folder, exports[entry]!.default);
    return ['--input-type=module', '-e', `await import(${JSON.stringify(file)})`];
  }

  /** Until the line that says that it is ready. */
  async serve(preload: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Started> {
    const begin = performance.now();
    const child = spawn(
      process.execPath,
      [...preload, ...this.command('serve', '--http', '127.0.0.1:0', '--json')],
      { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, ...env } },
    );
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes('"ready"')) break;
    }
    const ms = performance.now() - begin;
    return {
      ms,
      stop: async () => {
        child.kill('SIGTERM');
        if (child.exitCode === null) await once(child, 'exit');
      },
    };
  }

  /** How many modules of the package, and how many of others, a program loads. */
  async modules(args: readonly string[] | 'serve'): Promise<{ ours: number; others: number }> {
    const folder = mkdtempSync(join(tmpdir(), 'modules-'));
    const env = { MODULES_FILE: join(folder, 'modules') };
    const preload = ['--import', HOOK];
    try {
      if (args === 'serve') await (await this.serve(preload, env)).stop();
      else spawnSync(process.execPath, [...preload, ...args], { env: { ...process.env, ...env } });
      const files = new Set(readFileSync(env.MODULES_FILE, 'utf8').trim().split('\n'));
      const ours = [...files].filter(
        (url) => url.includes('/dist/') && !url.includes('/node_modules/'),
      );
      const others = [...files].filter((url) => url.includes('/node_modules/'));
      return { ours: ours.length, others: others.length };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  close(): void {
    rmSync(this.home, { recursive: true });
  }
}
