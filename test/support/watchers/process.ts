// A process that runs one load of watchers, given as JSON, and prints its figures as JSON.

import type { WatcherLoad } from './load.ts';
import { runWatcherLoad } from './load.ts';

const load = JSON.parse(process.argv[2]!) as WatcherLoad;
console.log(JSON.stringify(await runWatcherLoad(load)));
