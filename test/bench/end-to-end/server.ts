// A server process of the benchmark: the runtime as it is shipped, on every transport, with its store in memory.

import { http } from '../../../transports/http/index.ts';
import { ipc } from '../../../transports/ipc/index.ts';
import { ws } from '../../../transports/ws/index.ts';
import { entryFor, newAgent } from '../../support/agents/agents.ts';
import { serve } from './child.ts';
import { NO_BRAKES, echoContent } from '../pipeline/sender.ts';

serve(async ({ socketPath, peers }) => {
  const { identity, book, runtime } = await newAgent({
    admission: NO_BRAKES,
    contents: [echoContent()],
  });
  for (const peer of peers) book.add(peer);
  const [web, socket] = await runtime.listen(
    http({ port: 0 }),
    ws({ maxConnectionsPerAddress: 256 }),
    ipc({ path: socketPath }),
  );
  return {
    addresses: { http: web!.urls[0]!, ws: socket!.urls[0]!, ipc: socketPath },
    entry: entryFor(identity),
  };
});
