// Owns where the Python packages of official A2A are found: in environments that variables name, as `.ci/run` makes them.
// Where there is none, the suites that need it say so in a line and are skipped; in CI they fail.

export const PYTHONS = {
  'a2a-sdk 1.3.0': 'A2A_SDL_A2A_PYTHON',
  'a2a-sdk 0.3.26': 'A2A_SDL_A2A_V03_PYTHON',
  'penguiflow 3.11.2': 'A2A_SDL_PENGUIFLOW_PYTHON',
} as const;

/** The Python that has this package. */
export function pythonWith(requirement: keyof typeof PYTHONS): string | undefined {
  const variable = PYTHONS[requirement];
  const python = process.env[variable];
  if (python !== undefined && python !== '') return python;
  const words = `$${variable} names no Python that has ${requirement}`;
  if (process.env['CI'] === 'true') throw new Error(words);
  console.log(`${words}: its suites are skipped`);
  return undefined;
}
