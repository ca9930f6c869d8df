// The Python reference of A2A-SDL v1, for suites that talk to it: found, or installed once into the temporary folder.
// Where it cannot be had, those suites skip with a line that says why.

import { execFile } from 'node:child_process';
import { rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const VERSION = '0.2.1';
const INSTALL_TIMEOUT_MS = 60_000;
const folder = join(tmpdir(), `a2a-sdl-reference-${VERSION}`);

const run = promisify(execFile);

let search: Promise<string | undefined> | undefined;

/** A Python that has the reference, or nothing. It is looked for once: what failed is not tried again in this run. */
export function findPythonReference(): Promise<string | undefined> {
  return (search ??= find().catch((cause: unknown) => {
    const why = reasonOf(cause);
    console.log(`the Python reference cannot be had, so its interop suite is skipped: ${why}`);
    return undefined;
  }));
}

/** The last line that the failed program said, or why there was none. */
function reasonOf(cause: unknown): string {
  const { name, message, stderr = '' } = cause as Error & { readonly stderr?: string };
  if (name === 'AbortError') return `installing it took longer than ${INSTALL_TIMEOUT_MS} ms`;
  return stderr.trim().split('\n').at(-1) || message;
}

async function find(): Promise<string> {
  const given = process.env['A2A_SDL_REFERENCE_PYTHON'];
  if (given !== undefined && given !== '') {
    if (await hasReference(given)) return given;
    throw new Error('the Python in $A2A_SDL_REFERENCE_PYTHON has no a2acrpt');
  }
  const python = pythonIn(folder);
  if ((await isOurs(folder)) && (await hasReference(python))) return python;
  await install();
  return python;
}

/** What others have put into the shared temporary folder is not run. */
async function isOurs(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

async function hasReference(python: string): Promise<boolean> {
  return run(python, ['-c', 'import a2a_sdl, cbor2, jsonschema, websockets']).then(
    () => true,
    () => false,
  );
}

/** Made aside and moved into place whole, so that nobody finds half an environment. */
async function install(): Promise<void> {
  const unfinished = `${folder}.${process.pid}`;
  const limits = {
    signal: AbortSignal.timeout(INSTALL_TIMEOUT_MS),
    killSignal: 'SIGKILL',
  } as const;
  try {
    await run(process.env['PYTHON'] ?? 'python3', ['-m', 'venv', unfinished], limits);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    const once = ['--retries', '0', '--timeout', '15'];
    await run(pythonIn(unfinished), [...pip, ...once, `a2acrpt[full]==${VERSION}`], limits);
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

function pythonIn(environment: string): string {
  return join(environment, 'bin', 'python');
}
