// Owns how a command is started: in a process group of its own, with a guard that ends the group when this process
// dies in whatever way. The command begins only when the guard is there.

import { spawn } from 'node:child_process';
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { ExecCommand } from './command.ts';
import { findProgram } from './program.ts';

/** Windows has no process groups; there only the process itself is ended. */
export const HAS_GROUPS: boolean = process.platform !== 'win32';

const SHELL = '/bin/sh';

/** Waits for the end of its input, which comes when this process dies in whatever way, then ends the group. */
const GUARD_SCRIPT = 'read -r line; kill -s KILL -- "-$1" 2>/dev/null';

/** Waits for a line, then becomes the command. When this process dies before, there is none, and no command. */
const GATE_SCRIPT = 'read -r A2A_SDL_GATE <&3 || exit 1; unset $1; shift; exec "$@" 3<&-';

/** What the gate adds to the environment; some shells also count themselves in SHLVL, and cannot be kept from it. */
const GATE_NAMES = ['A2A_SDL_GATE', 'PWD', 'OLDPWD'];

type Environment = Readonly<Record<string, string>>;

export interface StartedCommand {
  /** Leads the group; without an id it could not be started, which it tells by its event `error`. */
  readonly child: ChildProcessWithoutNullStreams;
  readonly guard: ChildProcess | undefined;
}

export function startCommand(command: ExecCommand, env: Environment): StartedCommand {
  const program = gateableProgram(command, env);
  if (program === undefined) {
    // Nothing to run, which Node tells best, or nothing to wait with.
    const child = spawn(command.file, command.args, {
      env,
      detached: HAS_GROUPS,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    return { child, guard: startGuard(child.pid) };
  }
  const added = GATE_NAMES.filter((name) => !Object.hasOwn(env, name)).join(' ');
  const child = spawn(SHELL, ['-c', GATE_SCRIPT, 'gate', added, program, ...command.args], {
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const guard = startGuard(child.pid);
  if (child.pid !== undefined) openGate(child.stdio[3] as Writable);
  return { child, guard };
}

function openGate(gate: Writable): void {
  // It may have been ended before.
  gate.on('error', ignore);
  gate.end('go\n');
}

function startGuard(group: number | undefined): ChildProcess | undefined {
  if (!HAS_GROUPS || group === undefined) return undefined;
  const guard = spawn(SHELL, ['-c', GUARD_SCRIPT, 'guard', String(group)], {
    env: {},
    // Not in our own group: what ends that must not end the guard first.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell there is no guard; an orderly end of this process still ends the group.
  guard.on('error', ignore);
  guard.stdin.on('error', ignore);
  guard.unref();
  return guard;
}

/** Where the program is, if a shell can wait in its place: one drops variables that it could not name itself. */
function gateableProgram({ file }: ExecCommand, env: Environment): string | undefined {
  const canWait = HAS_GROUPS && findProgram(SHELL, env) !== undefined;
  if (!canWait || !Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name))) return undefined;
  return findProgram(file, env);
}

function ignore(): void {
  // How a process ended is told by its exit.
}
