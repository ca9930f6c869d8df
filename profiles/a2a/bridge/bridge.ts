// Owns an agent whose tasks are done by agents of official A2A. What speaks to them is loaded with the first task.
// SPEC.md section 20.2.

import type { HandedPart, OnTask } from '../../../src/door/index.ts';
import type { A2aBridgeOptions } from './options.ts';
import { resolveBridgeOptions } from './options.ts';

/** What a runtime is given: `createRuntime({ ..., ...a2aBridge({ upstreams }) })`. */
export interface A2aBridge {
  readonly onTask: OnTask;
  readonly cancelHanded: (part: HandedPart, signal: AbortSignal) => Promise<void>;
}

/** Tasks are done by the upstreams; they keep what they need in the task. Throws a TypeError for what is no upstream. */
export function a2aBridge(options: A2aBridgeOptions): A2aBridge {
  const resolved = resolveBridgeOptions(options);
  const load = lazily(async () => {
    const [{ Upstreams }, { bridgeTask }, { cancelHanded }] = await Promise.all([
      import('./upstreams.ts'),
      import('./run.ts'),
      import('./cancel.ts'),
    ]);
    return { upstreams: new Upstreams(resolved), bridgeTask, cancelHanded };
  });
  return Object.freeze({
    async onTask(task, ctx) {
      const { upstreams, bridgeTask } = await load();
      await bridgeTask(task, ctx, upstreams, resolved);
    },
    async cancelHanded(part, signal) {
      const { upstreams, cancelHanded } = await load();
      await cancelHanded(part, upstreams, signal);
    },
  } satisfies A2aBridge);
}

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
