// Owns the command `completion`: scripts by which a shell completes the words of a command line.

import { COMMANDS } from '../commands.ts';
import { A2aAgentBook } from '../a2a/book.ts';
import { peersOf } from '../home/identities.ts';
import type { Action } from '../kit/command.ts';
import { EXIT, usageError } from '../kit/exit.ts';
import { requireOneOf } from '../kit/option-values.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import type { PlaceSpec } from './spec.ts';
import { placesOf } from './spec.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS: Readonly<Record<'bash' | 'zsh' | 'fish', (places: readonly PlaceSpec[]) => string>> =
  { bash: bashScript, zsh: zshScript, fish: fishScript };
const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const completionCommand: Action = {
  name: 'completion',
  summary: 'print a script by which bash, zsh or fish completes command lines',
  parameters: [{ name: 'bash|zsh|fish', isOptional: true, description: 'which shell' }],
  options: {
    peers: {
      type: 'boolean',
      description: 'print the names of the peers instead, for the scripts',
    },
  },
  notes: [
    'bash: put the line  source <(a2a-sdl completion bash)  into ~/.bashrc.\n' +
      'zsh:  a2a-sdl completion zsh > a folder of your $fpath, as the file _a2a-sdl.\n' +
      'fish: a2a-sdl completion fish > ~/.config/fish/completions/a2a-sdl.fish',
    'Commands, their options, files and the names of peers are completed.',
  ],
  examples: ['a2a-sdl completion bash', 'a2a-sdl completion fish'],
  async run({ words, options, terminal, home }) {
    if (options.flag('peers')) {
      const peers = (await peersOf(home, 'operator')).list();
      const agents = (await A2aAgentBook.open(home)).list();
      const names = [
        ...peers.map(({ name, agentId }) => name ?? agentId),
        ...agents.map(({ name, cardUrl }) => name ?? cardUrl),
      ];
      terminal.result(names, () => {
        for (const name of names) terminal.print(name);
      });
      return EXIT.ok;
    }
    const [shell] = words;
    if (shell === undefined) throw usageError('which shell?', `give one of ${SHELLS.join(', ')}`);
    const script = SCRIPTS[requireOneOf('the shell', shell, SHELLS)];
    terminal.raw(script(await placesOf(COMMANDS)));
    return EXIT.ok;
  },
};
