// Owns the parts that the scripts for bash and zsh have in common: a function that knows every place.

import { PROGRAM } from '../kit/help.ts';
import type { OptionSpec, PlaceSpec, Values } from './spec.ts';

/** The name of a function or a variable of the scripts. */
export const PREFIX: string = `_${PROGRAM.replaceAll('-', '_')}`;

/** As one word of a shell script. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Sets `commands`, `options`, `takes` (options with a value), `kinds` (`--option=kind` for each of those that are known)
 * and `parameters` (kinds, in order) for the place that it is given; they belong to who calls it.
 */
export function placeFunction(places: readonly PlaceSpec[]): string {
  const cases = places.map(({ place, commands, options, parameters }) => {
    const valued = options.filter(({ values }) => values !== undefined);
    return [
      `    ${quote(place)})`,
      `      commands=${quote(commands.map(({ name }) => name).join(' '))}`,
      `      options=${quote(options.map(dashed).join(' '))}`,
      `      takes=${quote(valued.map(dashed).join(' '))}`,
      `      kinds=${quote(valued.map((option) => `${dashed(option)}=${kindOf(option.values!)}`).join(' '))}`,
      `      parameters=${quote(parameters.map(kindOf).join(' '))} ;;`,
    ].join('\n');
  });
  return [
    `${PREFIX}_place() {`,
    "  commands='' options='' takes='' kinds='' parameters=''",
    '  case "$1" in',
    ...cases,
    '  esac',
    '}',
  ].join('\n');
}

function dashed({ name }: Pick<OptionSpec, 'name'>): string {
  return `--${name}`;
}

/** One word: `any`, `file`, `folder`, `peer`, or the values with commas between them. */
function kindOf(values: Values): string {
  return typeof values === 'string' ? values : values.join(',');
}
