// Hostile messages: each may cost at most five times what reading a plain 1 MiB message costs, in time and memory.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { allCases, outcomeOf } from './cases.ts';
import { hostileStateCases } from './state.ts';
import { measure } from '../measure.ts';
import { printTable } from '../table.ts';

const MOST = 5;

/** Prints the table; answers whether every case kept within the bound. */
export async function benchHostile(): Promise<boolean> {
  const cases = allCases();
  const outcomes = cases.map(outcomeOf);
  const times = await measure(
    cases.map((one) => ({ name: one.name, run: () => outcomeOf(one) })),
    { warmUpMs: 100, rounds: 9, roundMs: 10 },
  );
  const memory = allocatedPerCase();
  let isBounded = true;
  const rows = times.map(({ name, micros }, index) => {
    const time = micros / times[0]!.micros;
    const space = memory[index]! / memory[0]!;
    const isOver = time > MOST || space > MOST;
    if (isOver) isBounded = false;
    const verdict = isOver ? `OVER ${MOST}` : '';
    const millis = (micros / 1_000).toFixed(2);
    return [name, time.toFixed(2), space.toFixed(2), millis, outcomes[index]!, verdict];
  });
  printTable(
    'hostile messages, as ratios to a plain message of 1 MiB',
    ['', 'time', 'memory', 'ms', 'outcome', ''],
    rows,
  );
  return isBounded;
}

/** The same bound for patches, in time. Applying and hashing only; to read the message comes on top. */
export async function benchHostileState(): Promise<boolean> {
  const [plain] = allCases();
  const cases = [{ name: plain!.name, run: () => outcomeOf(plain!) }, ...hostileStateCases()];
  const times = await measure(cases, { warmUpMs: 100, rounds: 9, roundMs: 10 });
  const ratios = times.map(({ micros }) => micros / times[0]!.micros);
  printTable(
    'hostile patches, as ratios to receiving a plain message of 1 MiB',
    ['', 'time', 'ms', 'outcome', ''],
    times.map(({ name, micros }, index) => [
      name,
      ratios[index]!.toFixed(2),
      (micros / 1_000).toFixed(2),
      cases[index]!.run(),
      ratios[index]! > MOST ? `OVER ${MOST}` : '',
    ]),
  );
  return ratios.every((ratio) => ratio <= MOST);
}

/** In a process of its own: a young generation so large that nothing is collected would distort the times. */
function allocatedPerCase(): number[] {
  const script = fileURLToPath(new URL('./memory.ts', import.meta.url));
  const flags = ['--expose-gc', '--max-semi-space-size=512', '--import', 'tsx'];
  const run = spawnSync(process.execPath, [...flags, script], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`the memory run failed: ${run.stderr}`);
  return JSON.parse(run.stdout) as number[];
}
