// Owns where the program of `--exec` is, and what is said at the start of the daemon of one that cannot be run.

import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { delimiter, extname, resolve } from 'node:path';

import { usageError } from '../../kit/exit.ts';
import { parseCommand } from './command.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the system searches where there is no PATH. */
const DEFAULT_PATH = '/usr/bin:/bin';

/** Programs that run the scripts of a language, by the ending of their files. */
const RUNNERS: Readonly<Record<string, string>> = {
  '.py': 'python3',
  '.js': 'node',
  '.mjs': 'node',
  '.cjs': 'node',
  '.sh': 'sh',
  '.rb': 'ruby',
  '.pl': 'perl',
};

const MAX_FIRST_LINE = 512;

/** A file that can be run: at its path, or in a folder of the PATH. `undefined` when there is none. */
export function findProgram(file: string, env: Environment): string | undefined {
  if (file.includes('/')) return isProgram(file) ? resolve(file) : undefined;
  const folders = (env['PATH'] ?? DEFAULT_PATH).split(delimiter);
  return folders.map((folder) => resolve(folder, file)).find(isProgram);
}

/**
 * Throws a usage error for a command that could not run any task. Its program may still go away later: then each task
 * fails by itself. Not asked on Windows, where more than the mode of a file decides what can be run.
 * @param what how the user calls the command, such as `--exec`
 */
export function assertRunnable(command: string, what: string, env: Environment): void {
  const file = fileOf(command, what);
  if (process.platform === 'win32') return;
  const program = findProgram(file, env);
  if (program === undefined) throw notFound(file, what);
  assertInterpreter(program, file, what, env);
}

function fileOf(command: string, what: string): string {
  try {
    return parseCommand(command).file;
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    const words = thrown.message.replace('"command"', 'the command');
    throw usageError(`${what}: ${words}`, `write it as in a shell: ${what} 'python3 agent.py'`);
  }
}

function notFound(file: string, what: string): Error {
  const path = resolve(file);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!file.includes('/')) {
    return usageError(
      `${what}: there is no program "${file}" in the folders of PATH`,
      found?.isFile() === true
        ? `a file of that name is here: write ./${file}${orRunner(file)}`
        : 'check its name, install it, or give its whole path',
    );
  }
  if (found === undefined) {
    const place = path === file ? '' : ` (looked for at ${path})`;
    return usageError(
      `${what}: there is no file ${file}${place}`,
      'check the path; a path that does not begin with / is meant from where the daemon is started',
    );
  }
  if (!found.isFile()) return usageError(`${what}: ${file} is not a file`, 'name a program');
  return usageError(
    `${what}: ${file} may not be run by this user`,
    `make it a program with "chmod +x ${file}"${orRunner(file)}`,
  );
}

/** A text file runs only when its first line says by what. */
function assertInterpreter(path: string, file: string, what: string, env: Environment): void {
  const start = startOf(path);
  // What cannot be read is a program of the system's, and text has no such byte.
  if (start === undefined || start.includes('\0')) return;
  const [, interpreter, argument] = /^#![ \t]*(\S+)[ \t]*(\S*)/.exec(start) ?? [];
  if (interpreter === undefined) {
    throw usageError(
      `${what}: ${file} is a script that does not say what runs it`,
      `begin it with a line such as #!/bin/sh${orRunner(file)}`,
    );
  }
  const isEnv = interpreter.endsWith('/env') && argument !== '' && !argument?.startsWith('-');
  const missing = [interpreter, ...(isEnv ? [argument!] : [])].find(
    (name) => findProgram(name, env) === undefined,
  );
  if (missing === undefined) return;
  throw usageError(
    `${what}: ${file} wants to be run by ${missing}, which is not there`,
    'install that, or change the first line of the script',
  );
}

function startOf(path: string): string | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(path, 'r');
    const bytes = Buffer.alloc(MAX_FIRST_LINE);
    return bytes.toString('latin1', 0, readSync(handle, bytes, 0, MAX_FIRST_LINE, 0));
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function orRunner(file: string): string {
  const runner = RUNNERS[extname(file)];
  return runner === undefined ? '' : `, or name what runs it: '${runner} ${file}'`;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
