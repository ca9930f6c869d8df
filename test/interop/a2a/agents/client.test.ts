// Proves that our client uses agents of the Python packages of official A2A and of PenguiFlow, over every binding
// that they have: all that they offer.

import { afterAll, beforeAll, describe } from 'vitest';

import { describeClient } from '../../../support/a2a/client-suite.ts';
import type { Missing } from '../../../support/a2a/client-suite.ts';
import type { ForeignServer } from '../../../support/a2a/js-servers.ts';
import { pythonWith } from '../../../support/a2a/pythons.ts';
import { startPythonAgent } from './process.ts';

const START_MS = 120_000;

interface Subject {
  readonly package: Parameters<typeof pythonWith>[0];
  readonly script: string;
  readonly version: '1.0' | '0.3' | 'draft';
  /** Which it cannot do. */
  readonly missing?: readonly Missing[];
  /** And over REST. */
  readonly missingInRest?: readonly Missing[];
  /** And over gRPC. @default it does not speak it */
  readonly missingInGrpc?: readonly Missing[];
}

const SUBJECTS: readonly Subject[] = [
  { package: 'a2a-sdk 1.3.0', script: 'python_v1.py', version: '1.0', missingInGrpc: [] },
  {
    package: 'a2a-sdk 0.3.26',
    script: 'python_v03.py',
    version: '0.3',
    // It encodes the bytes of files twice, and does not do the last two.
    missingInRest: ['files', 'push lists', 'push deletes'],
    // The same.
    missingInGrpc: ['files', 'push lists', 'push deletes'],
  },
  {
    package: 'penguiflow 3.11.2',
    script: 'penguiflow_server.py',
    version: 'draft',
    missing: ['answers', 'files', 'follow-ups', 'progress'],
  },
];

for (const { package: name, script, version, ...lacks } of SUBJECTS) {
  const python = pythonWith(name);
  describe.skipIf(python === undefined)(name, () => {
    let server: ForeignServer;
    beforeAll(async () => {
      server = await startPythonAgent(python!, script);
    }, START_MS);
    afterAll(() => server.stop());
    const { missing = [], missingInRest = [], missingInGrpc } = lacks;
    const bindings = { JSONRPC: [], 'HTTP+JSON': missingInRest, GRPC: missingInGrpc } as const;
    for (const binding of ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const) {
      const more = bindings[binding];
      if (more === undefined) continue;
      const subject = {
        name,
        origin: () => server.origin,
        prefer: { binding, version },
        missing: [...missing, ...more],
      };
      describeClient(subject, '#a2a-client-wires');
    }
  });
}
