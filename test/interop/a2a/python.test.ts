// The clients of the Python packages, over every binding that they have, as users of an agent of ours.

import { describe } from 'vitest';

import { pythonWith } from '../../support/a2a/pythons.ts';
import { sqlite } from '../../support/dialect/stores.ts';
import { penguiflow, pythonV03, pythonV1 } from './drivers/python.ts';
import { describeClient } from './matrix.ts';

const BINDINGS = ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const;

const v1 = pythonWith('a2a-sdk 1.3.0');
const v03 = pythonWith('a2a-sdk 0.3.26');
const draft = pythonWith('penguiflow 3.11.2');

describe.skipIf(v1 === undefined).each(BINDINGS)(
  'a2a-sdk 1.3.0 over %s #a2a-clients',
  (binding) => {
    describeClient(pythonV1(v1!, binding), { kind: sqlite() });
  },
);

describe.skipIf(v03 === undefined).each(BINDINGS)(
  'a2a-sdk 0.3.26 over %s #a2a-clients #a2a-03',
  (binding) => {
    describeClient(pythonV03(v03!, binding), { kind: sqlite() });
  },
);

describe.skipIf(draft === undefined)('penguiflow 3.11.2 #a2a-clients #a2a-draft', () => {
  describeClient(penguiflow(draft!), { kind: sqlite() });
});
