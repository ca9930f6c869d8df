// `npm run bench [section …]`: prints every section, or those named. Exits 1 when a bound is broken. `--stages` shows
// where the time of the section `pipeline` goes, `--million` fills the stores of `growth` with a million tasks,
// `--against=FOLDER` measures another build beside this one in `startup`, `--builds=FOLDER` keeps there what `tasks`,
// `a2a` and `bridge` build to compare with.

import { cpus } from 'node:os';

import { benchA2a } from './a2a/a2a.ts';
import { benchBridge } from './a2a/bridge.ts';
import { benchCodec } from './codec.ts';
import { benchCrypto } from './crypto.ts';
import { benchEndToEnd } from './end-to-end/end-to-end.ts';
import { benchEvidence } from './evidence.ts';
import { benchHostile, benchHostileState } from './hostile/hostile.ts';
import { benchPipeline } from './pipeline/pipeline.ts';
import { benchSealed } from './sealed.ts';
import { benchStartup } from './startup/startup.ts';
import { benchSteerqa } from './steerqa.ts';
import { benchStores } from './stores.ts';
import { benchSwp } from './swp/swp.ts';
import { benchGrowth } from './tasks/growth.ts';
import { benchTasks } from './tasks/tasks.ts';
import { benchWatchers } from './watchers.ts';

type Section = (flags: ReadonlySet<string>) => Promise<boolean | void>;

const SECTIONS: Readonly<Record<string, Section>> = {
  codec: benchCodec,
  hostile: benchHostile,
  state: benchHostileState,
  crypto: benchCrypto,
  startup: benchStartup,
  stores: benchStores,
  tasks: benchTasks,
  watchers: benchWatchers,
  evidence: benchEvidence,
  growth: benchGrowth,
  pipeline: benchPipeline,
  'end-to-end': benchEndToEnd,
  steerqa: benchSteerqa,
  swp: benchSwp,
  a2a: benchA2a,
  sealed: benchSealed,
  bridge: benchBridge,
};

const FLAG = /^--(?:stages|million|against=.+|builds=.+)$/;

const flags = new Set(process.argv.slice(2).filter((word) => FLAG.test(word)));
const named = process.argv.slice(2).filter((word) => !flags.has(word));
const unknown = named.filter((name) => !Object.hasOwn(SECTIONS, name));
if (unknown.length > 0) {
  console.error(
    `no such section: ${unknown.join(', ')}; there are: ${Object.keys(SECTIONS).join(', ')}`,
  );
  process.exit(2);
}

const [cpu] = cpus();
console.log(
  `Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpu?.model ?? 'unknown CPU'}`,
);
let isWithinBounds = true;
for (const name of named.length > 0 ? named : Object.keys(SECTIONS)) {
  if ((await SECTIONS[name]!(flags)) === false) isWithinBounds = false;
}
if (!isWithinBounds) console.log('\na bound is broken');
process.exitCode = isWithinBounds ? 0 : 1;
