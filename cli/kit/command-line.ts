// Owns command lines that users are shown to copy: they name the same home and the same agent as the command that
// shows them.

import { CLIENT_OPTIONS } from '../client/client.ts';
import type { CommandContext } from './command.ts';
import { shellWord } from '../home/private-folder.ts';

/** Behind a command line: the home, if one was named. */
export function homeOption({ options, home }: CommandContext): string {
  return options.text('home') === undefined ? '' : ` --home ${shellWord(home.root)}`;
}

export interface NamedTask {
  readonly id: string;
  /** Who does it, as the user named it. */
  readonly peer: string;
  /** Who gave it, if it was not the user. */
  readonly owner?: string | undefined;
}

/** A command for a task; `more` is what stands behind the id. */
export function taskLine(
  context: CommandContext,
  command: 'watch' | 'reply',
  { id, peer, owner }: NamedTask,
  more = '',
): string {
  const { program, options } = context;
  const words = [program, 'tasks', command, shellWord(id)];
  if (more !== '') words.push(more);
  if (peer !== 'agent') words.push('--peer', shellWord(peer));
  if (owner !== undefined) words.push('--owner', shellWord(owner));
  if (options.flag('sign-only')) words.push('--sign-only');
  for (const name of Object.keys(CLIENT_OPTIONS)) {
    const value = options.text(name);
    if (value !== undefined) words.push(`--${name}`, shellWord(value));
  }
  return words.join(' ') + homeOption(context);
}
