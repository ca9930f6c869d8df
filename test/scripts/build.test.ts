// The build: `npm start` compiles only when it has to, and never runs what was made of other sources.

import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { newFolder } from '../support/agents/cli.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Project {
  readonly path: (file: string) => string;
  readonly write: (file: string, text: string) => void;
  /** Runs the build script; tells whether it compiled. */
  readonly build: (...args: string[]) => { readonly code: number | null; readonly ran: boolean };
}

/** A small package with the build script of this one. */
function newProject(): Project {
  const folder = newFolder();
  const path = (file: string): string => join(folder, file);
  const write = (file: string, text: string): void => writeFileSync(path(file), text);
  for (const name of ['scripts', 'cli', 'schemas']) mkdirSync(path(name));
  copyFileSync(join(ROOT, 'scripts/build.mjs'), path('scripts/build.mjs'));
  symlinkSync(join(ROOT, 'node_modules'), path('node_modules'));
  write('package.json', '{"name":"small","type":"module"}');
  write('tsconfig.json', '{}');
  write(
    'tsconfig.build.json',
    '{"compilerOptions":{"module":"nodenext","target":"es2023","rootDir":".","outDir":"dist","types":[],"lib":["es5"],"skipLibCheck":true},"include":["cli"]}',
  );
  write('schemas/one.json', '{}');
  write('cli/main.ts', 'export const one = 1;\n');
  write('cli/other.ts', 'export const other = 1;\n');
  return {
    path,
    write,
    build: (...args) => {
      const marker = path('dist/marker');
      if (existsSync(path('dist'))) writeFileSync(marker, '');
      const { status } = spawnSync(process.execPath, ['scripts/build.mjs', ...args], {
        cwd: folder,
      });
      return { code: status, ran: !existsSync(marker) };
    },
  };
}

describe('npm start', () => {
  test('runs the build script, which compiles when it has to', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['start']).toBe(
      'node scripts/build.mjs --if-stale && node dist/cli/main.js serve',
    );
    expect(scripts['build']).toBe('node scripts/build.mjs');
  });

  test('does not compile again what has not changed; "npm run build" always does', () => {
    const { build, path } = newProject();
    expect(build('--if-stale')).toEqual({ code: 0, ran: true });
    expect(existsSync(path('dist/cli/main.js'))).toBe(true);
    expect(build('--if-stale')).toEqual({ code: 0, ran: false });
    expect(build()).toEqual({ code: 0, ran: true });
    expect(build('--if-stale')).toEqual({ code: 0, ran: false });
  });

  const changes: [string, (project: Project) => void][] = [
    ['a changed source', ({ write }) => write('cli/main.ts', 'export const one = 2;\n')],
    ['a new source', ({ write }) => write('cli/new.ts', 'export const fresh = 1;\n')],
    ['a source of an older time', ({ path }) => utimesSync(path('cli/main.ts'), 1, 1)],
    ['a changed schema', ({ write }) => write('schemas/one.json', '{"a":1}')],
    ['other settings', ({ write }) => write('tsconfig.json', '{ }')],
    ['another package.json', ({ write }) => write('package.json', '{"type":"module"}')],
    ['a file missing in dist', ({ path }) => rmSync(path('dist/cli/other.js'))],
    ['a deleted source', ({ path }) => rmSync(path('cli/other.ts'))],
  ];

  test(`compiles after ${changes.map(([what]) => what).join(', ')}`, () => {
    const project = newProject();
    project.build();
    for (const [what, change] of changes) {
      change(project);
      expect(project.build('--if-stale'), what).toEqual({ code: 0, ran: true });
      const isThere = existsSync(project.path('dist/cli/other.js'));
      expect(isThere, what).toBe(existsSync(project.path('cli/other.ts')));
    }
    expect(project.build('--if-stale')).toEqual({ code: 0, ran: false });
  });

  test('compiles again after a build that failed, until it succeeds', () => {
    const { build, write, path } = newProject();
    build();
    write('cli/main.ts', 'export const one: string = 1;\n');
    expect(build('--if-stale')).toMatchObject({ code: expect.not.toBeOneOf([0]) as number });
    expect(build('--if-stale')).toMatchObject({ ran: true });
    write('cli/main.ts', 'export const one = 1;\n');
    expect(build('--if-stale')).toEqual({ code: 0, ran: true });
    expect(statSync(path('dist/.made-from.json')).size).toBeGreaterThan(0);
  });

  test('is described by a package.json that says where the project is', () => {
    expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))).toMatchObject({
      repository: { type: 'git', url: expect.stringContaining('https://') as string },
      homepage: expect.stringContaining('https://') as string,
      bugs: expect.stringContaining('https://') as string,
      keywords: expect.arrayContaining(['agents']) as string[],
    });
  });
});
