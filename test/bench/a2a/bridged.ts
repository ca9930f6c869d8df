// A server of the A2A benchmark: a bridge of this package as it is shipped, before a server of it.

import { join } from 'node:path';

import type * as A2a from '../../../profiles/a2a/index.ts';
import type * as Auth from '../../../profiles/auth/index.ts';
import type * as Root from '../../../src/index.ts';
import type * as Http from '../../../transports/http/index.ts';
import { serve } from './child.ts';

/** Nothing is held back: what is measured is the work and not its limits. */
const MANY = 1e6;

serve(async ({ builds, upstream }) => {
  const load = (module: string): Promise<unknown> => import(join(builds, 'ours', module));
  const { createIdentity, createRuntime } = (await load('src/index.js')) as typeof Root;
  const { createCallers } = (await load('profiles/auth/index.js')) as typeof Auth;
  const { http } = (await load('transports/http/index.js')) as typeof Http;
  const { a2a, a2aBridge } = (await load('profiles/a2a/index.js')) as typeof A2a;
  const runtime = createRuntime({
    identity: await createIdentity(),
    callers: createCallers({ entries: [], anonymous: ['a2a'] }),
    admission: {
      maxInFlight: MANY,
      maxInFlightPerPeer: MANY,
      ratePerSecond: MANY,
      burst: MANY,
      maxStreams: MANY,
      maxStreamsPerPeer: MANY,
    },
    tasks: {
      maxTasks: MANY,
      maxTasksPerOwner: MANY,
      maxConcurrent: MANY,
      maxConcurrentPerOwner: MANY,
    },
    ...a2aBridge({ upstreams: { behind: upstream! } }),
  });
  const [host] = await runtime.listen(http({ port: 0 }), a2a());
  return { url: new URL('/rpc', host!.urls[0]).href };
});
