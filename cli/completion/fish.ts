// Owns the script for fish.

import { PROGRAM } from '../kit/help.ts';
import { PREFIX, quote } from './shell-text.ts';
import type { PlaceSpec, Values } from './spec.ts';

export function fishScript(places: readonly PlaceSpec[]): string {
  return `# Completes the command lines of ${PROGRAM} in fish.

# The words of the command line that are neither options nor their values.
function _${PREFIX}_words
  set -l words (commandline -opc)
  set -e words[1]
  set -l takes ${[...takesOf(places)].join(' ')}
  while set -q words[1]
    if contains -- $words[1] $takes
      set -e words[1]
    else if not string match -q -- '-*' $words[1]
      echo $words[1]
    end
    set -q words[1]; and set -e words[1]
  end
end

# Is the cursor behind exactly these words?
function _${PREFIX}_at
  test "$(_${PREFIX}_words | string join ' ')" = "$argv"
end

# Is the cursor somewhere behind these words?
function _${PREFIX}_in
  set -l words (_${PREFIX}_words)
  test "$words[1..$(count $argv)]" = "$argv"
end

function _${PREFIX}_peers
  ${PROGRAM} completion --peers 2>/dev/null
end

complete -c ${PROGRAM} -f
${places.flatMap((place) => linesOf(place)).join('\n')}
`;
}

function start(condition: string): string {
  return `complete -c ${PROGRAM} -n ${condition}`;
}

function linesOf({ place, commands, options, parameters }: PlaceSpec): string[] {
  const at = quote(`_${PREFIX}_at ${place}`.trimEnd());
  const within = place === '' ? at : quote(`_${PREFIX}_in ${place}`);
  return [
    ...commands.map(({ name, summary }) => `${start(at)} -a ${name} -d ${quote(summary)}`),
    ...options.map(({ name, description, values }) => {
      const value = values === undefined ? '' : ` ${valueText(values)}`;
      return `${start(within)} -l ${name}${value} -d ${quote(description)}`;
    }),
    // Where the first word of a command is no option, it stands directly behind the command.
    ...parameters.slice(0, 1).flatMap((values) => {
      const text = parameterText(values);
      return text === undefined ? [] : [`${start(at)} ${text}`];
    }),
  ];
}

/** Of an option with a value. */
function valueText(values: Values): string {
  return ['-x', parameterText(values)]
    .filter((text) => text !== undefined)
    .join(' ')
    .replace('-x -F', '-r -F');
}

function parameterText(values: Values): string | undefined {
  if (values === 'any') return undefined;
  if (values === 'file') return '-F';
  if (values === 'folder') return "-a '(__fish_complete_directories)'";
  if (values === 'peer') return `-a '(_${PREFIX}_peers)'`;
  return `-a ${quote(values.join(' '))}`;
}

/** An option with a value somewhere; none is without one elsewhere. */
function takesOf(places: readonly PlaceSpec[]): Set<string> {
  const all = places.flatMap(({ options }) => options);
  return new Set(all.filter(({ values }) => values !== undefined).map(({ name }) => `--${name}`));
}
